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
#include "exec/check/program_checks.h"
#include "exec/divergence_registry.h"
#include "exec/texture.h"
#include "runtime/check_report.h"
#include "runtime/code_place.h"
#include "runtime/launch.h"
#include "vm/managed_memory.h"

namespace heddle::gpu {
struct GpuParameters;
class Gpu;
}  // namespace heddle::gpu

namespace heddle::runtime {

class Machine;
struct EventState;

/// A queue of work; work of different streams may overlap. Stream 0 is there from the start, the others are made.
using Stream = std::uint32_t;
/// A point in a stream that can be waited for and that knows its simulated time.
using Event = std::shared_ptr<EventState>;

/// An address in the simulated GPU's memory. Never dereferenced on the host.
using DeviceAddress = std::uint64_t;

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
class DeviceImplementation;

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
    bool keep_going = false;        ///< a kernel that cannot be compiled is an error when it is asked for, not before
    bool host_sees_memory = false;  ///< device addresses are valid on the host, too
    /// The GPU to time on; nothing: execute without timing. Must not change while the device exists.
    std::shared_ptr<const gpu::GpuParameters> gpu;
    unsigned threads = 1;  ///< host threads for a timed run; the result does not depend on it
    Limits limits;
    exec::DivergenceFactory divergence;  ///< how lanes of a warp diverge without a GPU; none: independent
    bool profile = false;                ///< a timed run counts what every instruction costs
    /// What is looked for in programs; a run is then simulated by one host thread.
    exec::CheckKinds checks{};
    /// Called now and then while a kernel runs. Return false to stop it: the launch then throws Interrupted.
    std::function<bool(const Progress&)> progress;
    /// Receives what kernels print; standard output if not set.
    std::function<void(std::string_view)> print;
  };

  Device();
  explicit Device(const Options& options);
  /// One of several applications on a machine; of the options, those about the machine do not apply.
  Device(std::shared_ptr<Machine> machine, const Options& options);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // These act at once: no work that is queued has to end before, and no simulated time passes.
  [[nodiscard]] DeviceAddress allocate(std::uint64_t bytes);
  /// Managed memory. Where it migrates (managed.migrates), its pages are on the host or on the device; where not, it is
  /// like any other.
  [[nodiscard]] DeviceAddress allocate_managed(std::uint64_t bytes);
  void free(DeviceAddress address);
  /// What the device has for allocations, those that are managed and on the host not counted; and how much is free.
  [[nodiscard]] std::uint64_t free_bytes() const;
  /// Whether all these bytes are managed memory that migrates.
  [[nodiscard]] bool migrates(DeviceAddress address, std::uint64_t bytes) const;
  /// Sets or takes back advice about managed memory; nothing happens where it does not migrate.
  void advise(DeviceAddress address, std::uint64_t bytes, vm::Advice advice, vm::Side side, bool set);
  void copy_to_device(DeviceAddress destination, const void* source, std::uint64_t bytes);
  void copy_to_host(void* destination, DeviceAddress source, std::uint64_t bytes);
  void copy_on_device(DeviceAddress destination, DeviceAddress source, std::uint64_t bytes);
  void fill(DeviceAddress destination, std::uint8_t value, std::uint64_t bytes);

  /// Device memory has been written in another way than by the functions above, by a copy or a fill: caches may keep
  /// it.
  void host_wrote(DeviceAddress address, std::uint64_t bytes, bool copied);

  /// Where programs are checked: this memory has values, whoever wrote them.
  void assume_written(DeviceAddress address, std::uint64_t bytes);

  /// Makes host memory reachable for kernels, at the address returned; free() its page to end that.
  [[nodiscard]] DeviceAddress map_host(void* memory, std::uint64_t bytes);
  /// Limits of what kernels may ask for: malloc() all together, and the stack of each thread.
  void set_heap_bytes(std::uint64_t bytes);
  void set_stack_bytes(std::uint32_t bytes);

  // Whole pages of allocated memory (4 KiB, or the size that a machine with address translation maps). Each of these is
  // followed by a flush of all TLBs; kernels may be running. If their L2 is virtual, it returns when that is over.
  /// Stores to read-only memory fail like those to no memory at all.
  void protect(DeviceAddress address, std::uint64_t bytes, bool writable);
  /// The pages become other names of the target's.
  void alias(DeviceAddress address, DeviceAddress target, std::uint64_t bytes);
  /// The pages go to disk: their next access is a major fault. Without address translation nothing happens.
  void evict(DeviceAddress address, std::uint64_t bytes);
  /// The pages move to other frames. Without address translation nothing happens.
  void migrate(DeviceAddress address, std::uint64_t bytes);

  /// Makes a texture object over device memory; the result is what a kernel's texture handle must be.
  [[nodiscard]] std::uint64_t create_texture(const exec::Texture& texture);
  void destroy_texture(std::uint64_t handle);

  /// Parses, compiles and loads PTX. `name` appears in messages. Throws UserError with every diagnostic.
  [[nodiscard]] Module load(std::string_view ptx, const std::string& name);
  /// Likewise for texts that name each other's functions and variables.
  [[nodiscard]] Module load_linked(std::span<const std::string> ptx, const std::string& name);

  /// Runs a kernel in stream 0 to its end. Each argument's size must equal the size of the kernel's parameter.
  template <typename... Args>
  LaunchStatistics launch(const Kernel& kernel, Dim3 grid, Dim3 block, std::uint32_t dynamic_shared_bytes,
                          const Args&... args) {
    static_assert((std::is_trivially_copyable_v<Args> && ...), "kernel arguments are copied byte by byte");
    const std::vector<std::span<const std::byte>> views{std::as_bytes(std::span(&args, 1))...};
    return launch_raw(kernel, grid, block, dynamic_shared_bytes, views);
  }
  LaunchStatistics launch_raw(const Kernel& kernel, Dim3 grid, Dim3 block, std::uint32_t dynamic_shared_bytes,
                              std::span<const std::span<const std::byte>> arguments);

  // Work in streams. The argument bytes and the source of a copy to the device are read when it is queued; the
  // destination of a copy to the host must live until the copy has been waited for.
  [[nodiscard]] Stream create_stream();
  void destroy_stream(Stream stream);
  void launch_async(Stream stream, const Kernel& kernel, Dim3 grid, Dim3 block, std::uint32_t dynamic_shared_bytes,
                    std::span<const std::span<const std::byte>> arguments, bool cooperative = false);
  /// A transfer of any shape: takes the time of so many bytes that way, then calls `transfer`.
  enum class Way : std::uint8_t { to_device, to_host, on_device };
  void transfer_async(Stream stream, Way way, std::uint64_t bytes, std::function<void()> transfer);
  void copy_to_device_async(Stream stream, DeviceAddress destination, const void* source, std::uint64_t bytes);
  void copy_to_host_async(Stream stream, void* destination, DeviceAddress source, std::uint64_t bytes);
  void copy_on_device_async(Stream stream, DeviceAddress destination, DeviceAddress source, std::uint64_t bytes);
  /// Brings managed memory to one side; takes no time where it does not migrate.
  void prefetch_async(Stream stream, DeviceAddress address, std::uint64_t bytes, vm::Side to);
  void fill_async(Stream stream, DeviceAddress destination, std::uint8_t value, std::uint64_t bytes);
  /// Calls a host function when everything before it in the stream has ended. It must not wait for the device.
  void call_async(Stream stream, std::function<void()> function);
  [[nodiscard]] static Event create_event();
  void record(const Event& event, Stream stream);
  /// What follows in the stream waits until the event, as recorded last, has been reached.
  void wait(Stream stream, const Event& event);
  [[nodiscard]] static bool reached(const Event& event);
  /// Simulated milliseconds from one to the other.
  [[nodiscard]] double elapsed_ms(const Event& from, const Event& to) const;
  /// Whether everything queued has ended. Lets a little simulated time pass if not, so that asking again helps.
  [[nodiscard]] bool idle(Stream stream);
  void synchronize(const Event& event);
  void synchronize(Stream stream);
  void synchronize();

  /// The timed GPU and its statistics; nullptr when nothing is timed.
  [[nodiscard]] gpu::Gpu* gpu() const;
  /// Every launch so far, in order.
  [[nodiscard]] const std::vector<LaunchStatistics>& launches() const;

  /// Where an instruction of a module comes from; `code_id` is the module's number (core::KernelInstance).
  [[nodiscard]] CodePlace place(std::uint64_t code_id, std::uint32_t pc) const;
  /// What checks have found so far.
  [[nodiscard]] CheckReport check_report() const;

  /// The number by which this application is told apart on a machine that it shares.
  [[nodiscard]] std::uint16_t application() const;
  [[nodiscard]] Machine& machine() const;

 private:
  friend class Module;
  friend class Kernel;
  std::unique_ptr<DeviceImplementation> implementation_;
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
