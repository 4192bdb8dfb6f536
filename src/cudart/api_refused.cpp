// Functions that are there so that programs load, and that say what is missing when they are called.
#include <fmt/format.h>

#include "cudart/context.h"

namespace heddle::cudart {
namespace {

Error refuse(const char* name) {
  return call([name](Context& context) {
    const std::string why = fmt::format("the program called {}, which is not supported", name);
    // What is launched in another way is not run either.
    if (why.find("Launch") != std::string::npos) context.note_refused(name, cudaErrorNotSupported, why);
    throw Failure(cudaErrorNotSupported, why);
  });
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the compiler's names
// The arguments are not looked at, so a function without any will do for all of them.
#define X(name) \
  HEDDLE_API Error name() { return refuse(#name); }
#include "cudart/refused.def"
#undef X
// NOLINTEND(bugprone-reserved-identifier)

}  // namespace heddle::cudart
