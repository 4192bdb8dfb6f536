#include "driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/diagnostics.h"

namespace heddle::record {
namespace {

Driver load() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) throw UserError("libcuda.so.1 cannot be loaded: there is no NVIDIA driver on this machine");
  const auto find = [library](auto& to, const char* name) {
    to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(dlsym(library, name));
    if (to == nullptr) throw UserError(fmt::format("the driver has no {}", name));
  };
  Driver d{};
  find(d.init, "cuInit");
  find(d.retain_context, "cuDevicePrimaryCtxRetain");
  find(d.set_context, "cuCtxSetCurrent");
  find(d.load_module, "cuModuleLoadData");
  find(d.unload_module, "cuModuleUnload");
  find(d.function, "cuModuleGetFunction");
  find(d.global, "cuModuleGetGlobal_v2");
  find(d.allocate, "cuMemAlloc_v2");
  find(d.free, "cuMemFree_v2");
  find(d.to_device, "cuMemcpyHtoD_v2");
  find(d.to_host, "cuMemcpyDtoH_v2");
  find(d.on_device, "cuMemcpyDtoD_v2");
  find(d.fill, "cuMemsetD8_v2");
  find(d.launch, "cuLaunchKernel");
  find(d.synchronize, "cuCtxSynchronize");
  find(d.set_attribute, "cuFuncSetAttribute");
  find(d.error_name, "cuGetErrorName");
  find(d.start_profiler, "cuProfilerStart");
  find(d.stop_profiler, "cuProfilerStop");
  return d;
}

}  // namespace

const Driver& driver() {
  static const Driver loaded = load();
  return loaded;
}

void check(int result, const char* call) {
  if (result == 0) return;
  const char* name = "unknown error";
  driver().error_name(result, &name);
  throw UserError(fmt::format("{}: {}", call, name));
}

}  // namespace heddle::record
