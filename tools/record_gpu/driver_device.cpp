// runtime::Device over the CUDA driver: the bundled workloads, unchanged, on a real GPU. Only what workloads call is
// here; anything else does not link.
#include <fmt/format.h>

#include <cstdio>
#include <set>
#include <tuple>

#include "driver.h"
#include "recording.h"
#include "runtime/device.h"

namespace heddle::runtime {

using record::check;
using record::driver;

class DeviceImplementation {
 public:
  struct Function {
    KernelInfo info;
    void* handle = nullptr;
  };
  std::vector<void*> modules;
  std::vector<std::unique_ptr<Function>> functions;
  std::set<DeviceAddress> allocations;
  std::vector<LaunchStatistics> launches;
  /// How often a kernel was recorded with a grid.
  std::map<std::tuple<std::string, std::uint64_t>, unsigned> recorded;
};

Device::Device() : implementation_(std::make_unique<DeviceImplementation>()) {
  check(driver().init(0), "cuInit");
  void* context = nullptr;
  check(driver().retain_context(&context, 0), "cuDevicePrimaryCtxRetain");
  check(driver().set_context(context), "cuCtxSetCurrent");
}

Device::~Device() {
  for (const DeviceAddress address : implementation_->allocations) driver().free(address);
  for (void* module : implementation_->modules) driver().unload_module(module);
}

DeviceAddress Device::allocate(std::uint64_t bytes) {
  DeviceAddress address = 0;
  check(driver().allocate(&address, bytes == 0 ? 1 : bytes), "cuMemAlloc");
  implementation_->allocations.insert(address);
  return address;
}
void Device::free(DeviceAddress address) {
  implementation_->allocations.erase(address);
  check(driver().free(address), "cuMemFree");
}
void Device::copy_to_device(DeviceAddress destination, const void* source, std::uint64_t bytes) {
  if (bytes != 0) check(driver().to_device(destination, source, bytes), "cuMemcpyHtoD");
}
void Device::copy_to_host(void* destination, DeviceAddress source, std::uint64_t bytes) {
  if (bytes != 0) check(driver().to_host(destination, source, bytes), "cuMemcpyDtoH");
}
void Device::copy_on_device(DeviceAddress destination, DeviceAddress source, std::uint64_t bytes) {
  if (bytes != 0) check(driver().on_device(destination, source, bytes), "cuMemcpyDtoD");
}
void Device::fill(DeviceAddress destination, std::uint8_t value, std::uint64_t bytes) {
  if (bytes != 0) check(driver().fill(destination, value, bytes), "cuMemsetD8");
}

Module Device::load(std::string_view ptx, const std::string& /*name*/) {
  void* module = nullptr;
  check(driver().load_module(&module, std::string(ptx).c_str()), "cuModuleLoadData");
  implementation_->modules.push_back(module);
  Module loaded;
  loaded.device_ = this;
  loaded.index_ = static_cast<std::uint32_t>(implementation_->modules.size() - 1);
  return loaded;
}

Kernel Module::kernel(std::string_view name) const {
  DeviceImplementation& device = *device_->implementation_;
  auto function = std::make_unique<DeviceImplementation::Function>();
  function->info.name = name;
  check(driver().function(&function->handle, device.modules[index_], function->info.name.c_str()),
        "cuModuleGetFunction");
  Kernel kernel;
  kernel.module_ = index_;
  kernel.index_ = static_cast<std::uint32_t>(device.functions.size());
  kernel.info_ = &function->info;
  device.functions.push_back(std::move(function));
  return kernel;
}

Module::Symbol Module::symbol(std::string_view name) const {
  Symbol symbol;
  std::size_t bytes = 0;
  check(driver().global(&symbol.address, &bytes, device_->implementation_->modules[index_], std::string(name).c_str()),
        "cuModuleGetGlobal");
  symbol.size = bytes;
  return symbol;
}

const KernelInfo& Kernel::info() const { return *info_; }

LaunchStatistics Device::launch_raw(const Kernel& kernel, Dim3 grid, Dim3 block, std::uint32_t dynamic_shared_bytes,
                                    std::span<const std::span<const std::byte>> arguments) {
  constexpr int kMostDynamicShared = 8;  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
  void* function = implementation_->functions[kernel.index_]->handle;
  if (dynamic_shared_bytes > 48 * 1024)
    check(driver().set_attribute(function, kMostDynamicShared, static_cast<int>(dynamic_shared_bytes)),
          "cuFuncSetAttribute");
  std::vector<void*> pointers;
  for (const auto& argument : arguments) pointers.push_back(const_cast<std::byte*>(argument.data()));
  const std::string& name = kernel.info().name;
  const std::size_t launch = implementation_->launches.size();
  // A kernel launched over and over again is recorded a few times, so that it does not stand for all others.
  const bool wanted = implementation_->recorded[{name, grid.count()}]++ < record::kSameLaunches &&
                      implementation_->recorded[{name, 0}] < record::kKernelLaunches;
  if (wanted) {
    ++implementation_->recorded[{name, 0}];
    fmt::print("launch {} {}\n", launch, name);
    check(driver().synchronize(), "cuCtxSynchronize");
    driver().start_profiler();
  }
  check(driver().launch(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, dynamic_shared_bytes, nullptr,
                        pointers.data(), nullptr),
        "cuLaunchKernel");
  check(driver().synchronize(), fmt::format("kernel {}", name).c_str());
  if (wanted) driver().stop_profiler();
  LaunchStatistics statistics;
  statistics.kernel = name;
  statistics.grid = grid;
  statistics.block = block;
  implementation_->launches.push_back(statistics);
  return statistics;
}

gpu::Gpu* Device::gpu() const { return nullptr; }

}  // namespace heddle::runtime
