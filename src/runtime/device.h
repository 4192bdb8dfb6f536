// What a host program sees of a simulated GPU: memory, modules, kernels, launches.
//
// This is the C++ face of the simulator; the bundled workloads are written against it. Errors of the simulated
// program (bad address, trap, ...) throw LaunchError with the CUDA error a GPU would report; mistakes in the use of
// this interface throw UserError.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/types.h"
#include "exec/texture.h"

namespace heddle::gpu {
struct GpuParameters;
class Gpu;
}  // namespace heddle::gpu

namespace heddle::runtime {

/// An address in the simulated GPU's memory. Never dereferenced on the host.
using DeviceAddress = std::uint64_t;

/// The simulated program failed. what() is the full report.
class LaunchError : public std::runtime_error {
 public:
  LaunchError(int cuda_error, std::string cuda_name, const std::string& report)
      : std::runtime_error(report), cuda_error_(cuda_error), cuda_name_(std::move(cuda_name)) {}
  [[nodiscard]] int cuda_error() const { return cuda_error_; }
  [[nodiscard]] const std::string& cuda_name() const { return cuda_name_; }

 private:
  int cuda_error_;
  std::string cuda_name_;
};

/// The launch was stopped by the caller's progress function.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Progress {
  std::string_view kernel;
  std::uint64_t launches = 0;  ///< finished before this one
  std::uint64_t blocks_done = 0;
  std::uint64_t blocks = 0;
  std::uint64_t warp_instructions = 0;  ///< of all launches
  std::uint64_t cycles = 0;             ///< simulated so far; 0 when nothing is timed
};

struct LaunchStatistics {
  std::string kernel;
  Dim3 grid;
  Dim3 block;
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t cycles = 0;                       ///< core cycles; 0 when not timed
  std::map<std::string, std::uint64_t> counters;  ///< timed: every counter's share, added up over instances
  double host_seconds = 0;
};

struct KernelInfo {
  std::string name;
  unsigned registers = 0;  ///< per thread
  unsigned static_shared_bytes = 0;
  unsigned local_bytes = 0;  ///< per thread, spills included
  unsigned spill_bytes = 0;
  std::vector<unsigned> parameter_sizes;
  std::vector<unsigned> parameter_offsets;
  unsigned max_threads_per_block = 0;  ///< as the kernel was compiled for; 0: nothing said
};

class Device;

class Kernel {
 public:
  [[nodiscard]] const KernelInfo& info() const;

 private:
  friend class Device;
  friend class Module;
  std::uint32_t module_ = 0;
  std::uint32_t index_ = 0;
  const KernelInfo* info_ = nullptr;
};

class Module {
 public:
  [[nodiscard]] Kernel kernel(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> kernel_names() const;
  /// Address and size of a module-scope variable.
  struct Symbol {
    DeviceAddress address = 0;
    std::uint64_t size = 0;
  };
  [[nodiscard]] Symbol symbol(std::string_view name) const;

 private:
  friend class Device;
  Device* device_ = nullptr;
  std::uint32_t index_ = 0;
};

class Device {
 public:
  struct Options {
    std::uint64_t memory_bytes = std::uint64_t{64} << 30;  ///< address space, reserved not used
    unsigned register_limit = 255;                         ///< most registers a thread may have
    std::uint64_t instruction_limit = 0;                   ///< warp instructions per launch; 0: none
    /// The GPU to time on; nothing: execute without timing. Must not change while the device exists.
    std::shared_ptr<const gpu::GpuParameters> gpu;
    unsigned threads = 1;  ///< host threads for a timed run; the result does not depend on it
    /// Called now and then while a kernel runs. Return false to stop it: the launch then throws Interrupted.
    std::function<bool(const Progress&)> progress;
    /// Receives what kernels print; standard output if not set.
    std::function<void(std::string_view)> print;
  };

  Device();
  explicit Device(const Options& options);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] DeviceAddress allocate(std::uint64_t bytes);
  void free(DeviceAddress address);
  void copy_to_device(DeviceAddress destination, const void* source, std::uint64_t bytes);
  void copy_to_host(void* destination, DeviceAddress source, std::uint64_t bytes);
  void copy_on_device(DeviceAddress destination, DeviceAddress source, std::uint64_t bytes);
  void fill(DeviceAddress destination, std::uint8_t value, std::uint64_t bytes);

  /// Makes a texture object over device memory; the result is what a kernel's texture handle must be.
  [[nodiscard]] std::uint64_t create_texture(const exec::Texture& texture);
  void destroy_texture(std::uint64_t handle);

  /// Parses, compiles and loads PTX. `name` appears in messages. Throws UserError with every diagnostic.
  [[nodiscard]] Module load(std::string_view ptx, const std::string& name);
  /// Likewise for texts that name each other's functions and variables.
  [[nodiscard]] Module load_linked(std::span<const std::string> ptx, const std::string& name);

  /// Runs a kernel to its end. Each argument's size must equal the size of the kernel's parameter.
  template <typename... Args>
  LaunchStatistics launch(const Kernel& kernel, Dim3 grid, Dim3 block, std::uint32_t dynamic_shared_bytes,
                          const Args&... args) {
    static_assert((std::is_trivially_copyable_v<Args> && ...), "kernel arguments are copied byte by byte");
    const std::vector<std::span<const std::byte>> views{std::as_bytes(std::span(&args, 1))...};
    return launch_raw(kernel, grid, block, dynamic_shared_bytes, views);
  }
  LaunchStatistics launch_raw(const Kernel& kernel, Dim3 grid, Dim3 block, std::uint32_t dynamic_shared_bytes,
                              std::span<const std::span<const std::byte>> arguments);

  /// The timed GPU and its statistics; nullptr when nothing is timed.
  [[nodiscard]] gpu::Gpu* gpu() const;
  /// Every launch so far, in order.
  [[nodiscard]] const std::vector<LaunchStatistics>& launches() const;

 private:
  friend class Module;
  friend class Kernel;
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Typed device memory that is freed with its owner.
template <typename T>
class DeviceArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  DeviceArray(Device& device, std::size_t count)
      : device_(&device), count_(count), address_(device.allocate(count * sizeof(T))) {}
  DeviceArray(Device& device, std::span<const T> values) : DeviceArray(device, values.size()) { upload(values); }
  DeviceArray(Device& device, const std::vector<T>& values) : DeviceArray(device, std::span<const T>(values)) {}
  ~DeviceArray() {
    if (device_ != nullptr) device_->free(address_);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  DeviceArray(DeviceArray&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), count_(other.count_), address_(other.address_) {}
  DeviceArray& operator=(DeviceArray&&) = delete;

  [[nodiscard]] DeviceAddress address() const { return address_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  void upload(std::span<const T> values) { device_->copy_to_device(address_, values.data(), values.size_bytes()); }
  [[nodiscard]] std::vector<T> download() const {
    std::vector<T> values(count_);
    device_->copy_to_host(values.data(), address_, count_ * sizeof(T));
    return values;
  }
  void fill(std::uint8_t byte) { device_->fill(address_, byte, count_ * sizeof(T)); }

 private:
  Device* device_;
  std::size_t count_;
  DeviceAddress address_;
};

}  // namespace heddle::runtime
