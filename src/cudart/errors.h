// CUDA's error codes, and what becomes of an error that a call runs into.
#pragma once

#include <stdexcept>
#include <string>

#include "cudart/abi.h"

namespace heddle::cudart {

enum ErrorCode : int {
#define X(code, name, text) name = code,
#include "cudart/error_codes.def"
#undef X
};

[[nodiscard]] const char* error_name(Error error);
[[nodiscard]] const char* error_text(Error error);

/// Ends a call with this error. `message`, if there is one, is shown to the user once: what the code cannot say.
class Failure : public std::runtime_error {
 public:
  explicit Failure(ErrorCode code, const std::string& message = {}) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// Fails with `code` unless `condition`.
inline void require(bool condition, ErrorCode code = cudaErrorInvalidValue) {
  if (!condition) throw Failure(code);
}

/// Whether the error stays: after it every call fails with it.
[[nodiscard]] bool is_sticky(Error error);

/// Shows a message on standard error, unless the same one was shown before.
void tell_once(const std::string& message);

/// The calling thread's last error, as cudaGetLastError and cudaPeekAtLastError know it.
[[nodiscard]] Error& last_error();

}  // namespace heddle::cudart
