#include "cudart/properties.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <initializer_list>

#include "cudart/context.h"
#include "cudart/version.h"
#include "memory/memory_system.h"

namespace heddle::cudart {
namespace {

constexpr unsigned kKib = 1024;

/// Appends fields to a structure one after the other, aligned as the compiler does.
class Writer {
 public:
  explicit Writer(void* to) : to_(static_cast<char*>(to)) {}
  void bytes(const void* from, std::size_t count, std::size_t room) {
    std::memset(to_ + at_, 0, room);
    std::memcpy(to_ + at_, from, count);
    at_ += room;
  }
  void integers(std::initializer_list<std::int64_t> values) {
    for (const std::int64_t value : values) put(static_cast<std::int32_t>(value));
  }
  void size(std::uint64_t value) { put(value); }

 private:
  template <typename T>
  void put(T value) {
    at_ = (at_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    std::memcpy(to_ + at_, &value, sizeof(T));
    at_ += sizeof(T);
  }
  char* to_;
  std::size_t at_ = 0;
};

unsigned memory_bus_bits(const gpu::GpuParameters& gpu) { return gpu.dram.bus_bytes * 8 * gpu.memory.partitions; }

}  // namespace

DeviceLimits device_limits(Context& context) {
  const gpu::GpuParameters& gpu = context.gpu();
  DeviceLimits limits;
  limits.threads_per_sm = gpu.sm.warps * kWarpSize;
  limits.threads_per_block = std::min(1024u, limits.threads_per_sm);
  limits.blocks_per_sm = gpu.sm.blocks;
  limits.registers_per_sm = gpu.sm.registers;
  limits.shared_per_sm = gpu.sm.shared_kib * kKib;
  limits.shared_per_block = std::min(48 * kKib, limits.shared_per_sm);
  // Since compute capability 8 the system keeps one KiB of each block's.
  limits.shared_reserved = context.capability() >= 80 && gpu.sm.shared_kib > 48 ? kKib : 0;
  limits.shared_per_block_optin = limits.shared_per_sm - limits.shared_reserved;
  limits.memory_bytes = context.memory_bytes();
  limits.l2_bytes = std::uint64_t{gpu.l2.kib} * kKib * memory::MemorySystem::slices(gpu.memory, gpu.l2);
  return limits;
}

std::string device_name(Context& context) { return fmt::format("Heddle {}", context.options().machine.gpu); }

void write_properties(Context& context, void* properties) {
  const gpu::GpuParameters& gpu = context.gpu();
  const DeviceLimits limits = device_limits(context);
  const int capability = static_cast<int>(context.capability());
  const bool before_13 = kMajorVersion < 13;
  const std::string name = device_name(context).substr(0, 255);
  const std::array<char, 16> uuid{'h', 'e', 'd', 'd', 'l', 'e'};
  Writer w(properties);
  w.bytes(name.data(), name.size(), 256);
  w.bytes(uuid.data(), uuid.size(), 16);
  w.bytes("", 0, 8);  // luid
  w.integers({0});    // luidDeviceNodeMask
  w.size(limits.memory_bytes);
  w.size(limits.shared_per_block);
  w.integers({limits.registers_per_sm, kWarpSize});
  w.size(0x7fffffff);  // memPitch
  w.integers({limits.threads_per_block, limits.threads_per_block, limits.threads_per_block, 64});
  w.integers({0x7fffffff, 65535, 65535});
  if (before_13) w.integers({gpu.core_mhz * 1000});  // clockRate
  w.size(64 * kKib);                                 // totalConstMem
  w.integers({capability / 10, capability % 10});
  w.size(512);                     // textureAlignment
  w.size(32);                      // texturePitchAlignment
  if (before_13) w.integers({1});  // deviceOverlap
  w.integers({gpu.sms});
  if (before_13) w.integers({0});                                                   // kernelExecTimeoutEnabled
  w.integers({0, 1});                                                               // integrated, canMapHostMemory
  if (before_13) w.integers({0});                                                   // computeMode
  w.integers({131072, 32768});                                                      // maxTexture1D, 1DMipmap
  if (before_13) w.integers({1 << 28});                                             // maxTexture1DLinear
  w.integers({131072, 65536, 32768, 32768, 131072, 65000, 2097120, 32768, 32768});  // 2D, mipmap, linear, gather
  w.integers({16384, 16384, 16384, 8192, 8192, 32768, 32768});                      // 3D, 3DAlt, cube map
  w.integers({32768, 2048, 32768, 32768, 2048, 32768, 2046});                       // layered ones
  w.integers({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});                           // surfaces: there are none
  w.size(512);                                                                      // surfaceAlignment
  w.integers({1, 0, 1, 0, 0, 0, 2, 1});  // concurrentKernels, ECC, PCI bus, device, domain, tcc, copy engines, UVA
  if (before_13) w.integers({static_cast<std::int64_t>(gpu.dram.clock_mhz * 1000)});  // memoryClockRate
  w.integers({memory_bus_bits(gpu), static_cast<std::int64_t>(limits.l2_bytes), 0, limits.threads_per_sm, 1, 1, 1});
  w.size(limits.shared_per_sm);
  w.integers({limits.registers_per_sm, 1, 0, 0, 0});  // registers, managedMemory, multi-GPU board (2), host atomics
  if (before_13) w.integers({2});                     // singleToDoublePrecisionPerfRatio
  w.integers(
      {0, 1, 1, 0, 1});  // pageable access, concurrent managed access, preemption, registered memory, cooperative
  if (before_13) w.integers({0});  // cooperativeMultiDeviceLaunch
  w.size(limits.shared_per_block_optin);
  w.integers({0, 0, limits.blocks_per_sm, 0});  // host page tables, direct access, blocks, access policy window
  w.size(limits.shared_reserved);
  if (kMajorVersion >= 12)
    w.integers({1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0});  // registration, ..., pools, ..., clusters
}

int device_attribute(Context& context, int attribute) {
  const gpu::GpuParameters& gpu = context.gpu();
  const DeviceLimits limits = device_limits(context);
  const int capability = static_cast<int>(context.capability());
  switch (attribute) {
    case 1:
    case 2:
    case 3:
      return static_cast<int>(limits.threads_per_block);
    case 4:
      return 64;
    case 5:
      return 0x7fffffff;
    case 6:
    case 7:
      return 65535;
    case 8:
      return static_cast<int>(limits.shared_per_block);
    case 9:
      return 64 * kKib;
    case 10:
      return kWarpSize;
    case 11:
      return 0x7fffffff;
    case 12:
    case 82:
      return static_cast<int>(limits.registers_per_sm);
    case 13:
      return static_cast<int>(gpu.core_mhz * 1000);
    case 14:
      return 512;
    case 51:
      return 32;
    case 16:
      return static_cast<int>(gpu.sms);
    case 36:
      return static_cast<int>(gpu.dram.clock_mhz * 1000);
    case 37:
      return static_cast<int>(memory_bus_bits(gpu));
    case 38:
      return static_cast<int>(limits.l2_bytes);
    case 39:
      return static_cast<int>(limits.threads_per_sm);
    case 40:
      return 2;
    case 15:   // overlap of copies and kernels
    case 19:   // host memory can be mapped
    case 31:   // concurrent kernels
    case 33:   // PCI bus
    case 41:   // one address space
    case 78:   // priorities
    case 79:   // L1 caches global
    case 80:   // L1 caches local
    case 83:   // managed memory
    case 89:   // concurrent managed access
    case 90:   // preemption
    case 95:   // cooperative launch
    case 99:   // host registration
    case 115:  // memory pools
      return 1;
    case 21:
    case 22:
      return 131072;
    case 23:
    case 71:
      return 65000;
    case 69:
      return 1 << 28;
    case 70:
      return 131072;
    case 72:
      return 2097120;
    case 75:
      return capability / 10;
    case 76:
      return capability % 10;
    case 81:
      return static_cast<int>(limits.shared_per_sm);
    case 87:
      return 2;
    case 97:
      return static_cast<int>(limits.shared_per_block_optin);
    case 106:
      return static_cast<int>(limits.blocks_per_sm);
    case 111:
      return static_cast<int>(limits.shared_reserved);
    default:
      break;
  }
  require(attribute >= 1 && attribute <= 147);
  return 0;  // what a GPU does not have
}

unsigned blocks_per_sm(Context& context, Function& function, unsigned threads, std::size_t shared) {
  const DeviceLimits limits = device_limits(context);
  const runtime::KernelInfo& info = context.programs.kernel(context, function).info();
  if (threads == 0 || threads > limits.threads_per_block) return 0;
  const gpu::GpuParameters& gpu = context.gpu();
  const unsigned warps = (threads + kWarpSize - 1) / kWarpSize;
  const unsigned granule = gpu.sm.register_granule;
  const unsigned registers = (std::max(info.registers, 1u) * kWarpSize + granule - 1) / granule * granule * warps;
  const std::uint64_t shared_bytes = info.static_shared_bytes + shared + limits.shared_reserved;
  std::uint64_t blocks = std::min<std::uint64_t>(limits.blocks_per_sm, gpu.sm.warps / warps);
  blocks = std::min<std::uint64_t>(blocks, limits.registers_per_sm / registers);
  if (gpu.sm.operands.is("spill")) blocks = std::min<std::uint64_t>(blocks, gpu.sm.spill.shares(gpu.sm.warps) / warps);
  if (shared_bytes != 0) blocks = std::min<std::uint64_t>(blocks, limits.shared_per_sm / shared_bytes);
  return static_cast<unsigned>(blocks);
}

void check_cooperative(Context& context, const void* function, const GridSize& grid, const GridSize& block,
                       std::size_t shared) {
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  require(threads != 0 && threads <= 1024, cudaErrorInvalidConfiguration);
  const std::uint64_t most = std::uint64_t{blocks_per_sm(context, context.programs.function(function),
                                                         static_cast<unsigned>(threads), shared)} *
                             context.gpu().sms;
  require(std::uint64_t{grid.x} * grid.y * grid.z <= most, cudaErrorCooperativeLaunchTooLarge);
}

}  // namespace heddle::cudart
