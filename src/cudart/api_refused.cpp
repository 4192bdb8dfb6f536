// Functions that are there so that programs load, and that say what is missing when they are called.
#include "cudart/context.h"

namespace heddle::cudart {

// NOLINTBEGIN(bugprone-reserved-identifier): the compiler's names
// The arguments are not looked at, so a function without any will do for all of them.
#define X(name)                                                                                     \
  HEDDLE_API Error name() {                                                                         \
    return call([](Context&) {                                                                      \
      throw Failure(cudaErrorNotSupported, "the program called " #name ", which is not supported"); \
    });                                                                                             \
  }
#include "cudart/refused.def"
#undef X
// NOLINTEND(bugprone-reserved-identifier)

}  // namespace heddle::cudart
