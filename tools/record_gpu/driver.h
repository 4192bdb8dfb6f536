// The few functions of the CUDA driver that the recorder calls, found at run time: nothing of CUDA is needed to build.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::record {

struct Driver {
  using Address = std::uint64_t;
  int (*init)(unsigned);
  int (*retain_context)(void**, int);
  int (*set_context)(void*);
  int (*load_module)(void**, const void*);
  int (*unload_module)(void*);
  int (*function)(void**, void*, const char*);
  int (*global)(Address*, std::size_t*, void*, const char*);
  int (*allocate)(Address*, std::size_t);
  int (*free)(Address);
  int (*to_device)(Address, const void*, std::size_t);
  int (*to_host)(void*, Address, std::size_t);
  int (*on_device)(Address, Address, std::size_t);
  int (*fill)(Address, unsigned char, std::size_t);
  int (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**, void**);
  int (*synchronize)();
  int (*set_attribute)(void*, int, int);
  int (*error_name)(int, const char**);
  int (*start_profiler)();
  int (*stop_profiler)();
};

/// Loads the driver; throws UserError if there is none.
[[nodiscard]] const Driver& driver();
/// Throws UserError that names the call if it failed.
void check(int result, const char* call);

}  // namespace heddle::record
