// What a program asks about its kernels: attributes, occupancy.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "cudart/context.h"
#include "cudart/properties.h"
#include "cudart/version.h"

namespace heddle::cudart {
namespace {

enum FunctionAttribute : int { kMaxDynamicShared = 8, kCarveout = 9, kLastAttribute = 15 };

Error occupancy(int* blocks, const void* function, int threads, std::size_t shared) {
  return call([&](Context& context) {
    require(blocks != nullptr && threads > 0);
    *blocks = static_cast<int>(
        blocks_per_sm(context, context.programs.function(function), static_cast<unsigned>(threads), shared));
  });
}

}  // namespace

HEDDLE_API Error cudaFuncGetAttributes(FunctionAttributes* attributes, const void* host) {
  return call([&](Context& context) {
    require(attributes != nullptr);
    Function& function = context.programs.function(host);
    const runtime::KernelInfo& info = context.programs.kernel(context, function).info();
    const DeviceLimits limits = device_limits(context);
    FunctionAttributes a{};
    a.shared_bytes = info.static_shared_bytes;
    a.local_bytes = info.local_bytes;
    a.registers = static_cast<int>(info.registers);
    const unsigned by_registers = limits.registers_per_sm / (std::max(info.registers, 1u) * kWarpSize) * kWarpSize;
    a.max_threads_per_block = static_cast<int>(std::min(limits.threads_per_block, by_registers));
    if (info.max_threads_per_block != 0)
      a.max_threads_per_block = std::min(a.max_threads_per_block, static_cast<int>(info.max_threads_per_block));
    a.ptx_version = static_cast<int>(function.binary->architecture);
    a.binary_version = static_cast<int>(context.capability());
    a.max_dynamic_shared_bytes = static_cast<int>(
        std::max(function.max_dynamic_shared,
                 limits.shared_per_block - std::min(limits.shared_per_block, info.static_shared_bytes)));
    a.preferred_carveout = function.carveout;
    // CUDA 11's structure ends before the clusters.
    std::memcpy(attributes, &a, kMajorVersion == 11 ? offsetof(FunctionAttributes, cluster_must_be_set) : sizeof(a));
  });
}

HEDDLE_API Error cudaFuncSetAttribute(const void* host, int attribute, int value) {
  return call([&](Context& context) {
    Function& function = context.programs.function(host);
    const runtime::KernelInfo& info = context.programs.kernel(context, function).info();
    require(attribute >= kMaxDynamicShared && attribute <= kLastAttribute);
    if (attribute == kMaxDynamicShared) {
      const DeviceLimits limits = device_limits(context);
      require(value >= 0 && static_cast<unsigned>(value) + info.static_shared_bytes <= limits.shared_per_block_optin);
      function.max_dynamic_shared = static_cast<unsigned>(value);
    } else if (attribute == kCarveout) {
      require(value >= -1 && value <= 100);
      function.carveout = value;
    }
  });
}
HEDDLE_API Error cudaFuncSetCacheConfig(const void* host, int) {
  return call([&](Context& context) { static_cast<void>(context.programs.function(host)); });
}
HEDDLE_API Error cudaFuncSetSharedMemConfig(const void* host, int) {
  return call([&](Context& context) { static_cast<void>(context.programs.function(host)); });
}
HEDDLE_API Error cudaFuncGetName(const char** name, const void* host) {
  return call([&](Context& context) {
    require(name != nullptr);
    *name = context.programs.function(host).name.c_str();
  });
}
HEDDLE_API Error cudaFuncGetParamInfo(const void* host, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  return call([&](Context& context) {
    const runtime::KernelInfo& info = context.programs.kernel(context, context.programs.function(host)).info();
    require(index < info.parameter_sizes.size());
    if (offset != nullptr) *offset = info.parameter_offsets[index];
    if (bytes != nullptr) *bytes = info.parameter_sizes[index];
  });
}
HEDDLE_API Error cudaGetFuncBySymbol(KernelHandle* handle, const void* host) {
  return call([&](Context& context) {
    require(handle != nullptr);
    *handle = &context.programs.function(host);
  });
}
HEDDLE_API Error cudaGetKernel(KernelHandle* handle, const void* host) { return cudaGetFuncBySymbol(handle, host); }

HEDDLE_API Error cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                               std::size_t shared) {
  return occupancy(blocks, function, threads, shared);
}
HEDDLE_API Error cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function, int threads,
                                                                        std::size_t shared, unsigned) {
  return occupancy(blocks, function, threads, shared);
}
HEDDLE_API Error cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, const void* host, int blocks,
                                                           int threads) {
  return call([&](Context& context) {
    require(bytes != nullptr && blocks > 0 && threads > 0);
    Function& function = context.programs.function(host);
    const DeviceLimits limits = device_limits(context);
    const runtime::KernelInfo& info = context.programs.kernel(context, function).info();
    const unsigned taken = info.static_shared_bytes + limits.shared_reserved;
    const unsigned each = limits.shared_per_sm / static_cast<unsigned>(blocks);
    require(each >= taken);
    *bytes = std::min(each - taken, limits.shared_per_block_optin - info.static_shared_bytes);
  });
}

}  // namespace heddle::cudart
