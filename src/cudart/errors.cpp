#include "cudart/errors.h"

#include <cstdio>
#include <mutex>
#include <set>

namespace heddle::cudart {

const char* error_name(Error error) {
  switch (error) {
#define X(code, name, text) \
  case code:                \
    return #name;
#include "cudart/error_codes.def"
#undef X
    default:
      return "unrecognized error code";
  }
}

const char* error_text(Error error) {
  switch (error) {
#define X(code, name, text) \
  case code:                \
    return text;
#include "cudart/error_codes.def"
#undef X
    default:
      return "unrecognized error code";
  }
}

bool is_sticky(Error error) {
  switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
      return true;
    default:
      return false;
  }
}

void tell_once(const std::string& message) {
  static std::mutex mutex;
  static auto& told = *new std::set<std::string>;  // never destroyed: programs call in their own destructors
  const std::lock_guard lock(mutex);
  if (told.size() < 1000 && !told.insert(message).second) return;
  std::fflush(stdout);
  std::fprintf(stderr, "heddle: %s\n", message.c_str());
}

Error& last_error() {
  thread_local Error error = cudaSuccess;
  return error;
}

}  // namespace heddle::cudart
