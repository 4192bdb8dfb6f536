// HEDDLE_CHECK: an invariant of the simulator itself. On in every build; a failure is a bug in Heddle, not in the
// input.
#pragma once

#include <stdexcept>
#include <string>

namespace heddle {

class InvariantError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& detail);

}  // namespace heddle

#define HEDDLE_CHECK(condition, detail)                                 \
  do {                                                                  \
    if (!(condition)) [[unlikely]] {                                    \
      ::heddle::check_failed(__FILE__, __LINE__, #condition, (detail)); \
    }                                                                   \
  } while (false)
