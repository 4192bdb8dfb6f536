// A device's insides: one application's memory, modules and launches.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "exec/launch.h"
#include "runtime/device.h"
#include "runtime/loaded_module.h"
#include "runtime/machine.h"
#include "runtime/managed_side.h"

namespace heddle::runtime {

class DeviceImplementation {
 public:
  DeviceImplementation(std::shared_ptr<Machine> its_machine, const Device::Options& device_options);
  /// Waits for kernels that still run on a machine that others share; what else is queued is dropped with it.
  ~DeviceImplementation();
  DeviceImplementation(const DeviceImplementation&) = delete;
  DeviceImplementation& operator=(const DeviceImplementation&) = delete;

  void for_each_piece(const char* what, DeviceAddress address, std::uint64_t bytes,
                      const std::function<void(std::uint8_t*, std::uint64_t)>& f) const;
  /// The machine's queue for one of this application's streams. Throws UserError if there is no such stream.
  [[nodiscard]] Stream stream(Stream own) const;
  /// Where its memory is mapped; nullptr without address translation.
  [[nodiscard]] vm::AddressSpace* space() const {
    return machine->gpu() != nullptr ? machine->gpu()->address_space(application) : nullptr;
  }
  /// Size of the pages that device memory is mapped with.
  [[nodiscard]] std::uint64_t page_bytes() const;
  /// Throws UserError unless these are whole pages, all mapped.
  void check_pages(const char* what, DeviceAddress address, std::uint64_t bytes) const;
  /// Changes the translation of each page, then flushes TLBs.
  void change_pages(DeviceAddress address, std::uint64_t bytes,
                    const std::function<void(vm::AddressSpace&, vm::VirtPage)>& change) const;
  /// While kernels run behind virtual caches, a change of each page takes its time: begins it and waits for its end.
  /// False: it is to be done at once.
  [[nodiscard]] bool change_in_time(const char* what, DeviceAddress address, std::uint64_t bytes,
                                    const std::function<vm::PageChange(vm::VirtPage)>& wish) const;
  /// New memory; `managed` memory may go beyond what the device has.
  [[nodiscard]] DeviceAddress allocate(std::uint64_t bytes, std::uint64_t alignment, bool is_managed);
  /// Bytes of allocations that are always on the device.
  [[nodiscard]] std::uint64_t fixed_bytes() const;
  void set_managed_room();
  /// Whether everything this application has queued has ended.
  [[nodiscard]] bool idle() const;
  /// What copies cost: over the link to the host, and in the memory of the device.
  [[nodiscard]] double link_ns(std::uint64_t bytes) const;
  [[nodiscard]] double memory_ns(std::uint64_t bytes) const;

  std::shared_ptr<Machine> machine;
  std::uint16_t application = 0;
  Device::Options options;
  exec::GlobalMemory memory;
  exec::Environment environment;
  std::vector<std::unique_ptr<LoadedModule>> modules;
  std::vector<LaunchStatistics> launches;
  std::uint64_t last_texture = 0;
  std::uint32_t stack_bytes = 0;               ///< at least this much per thread, if it calls functions
  std::map<Stream, std::uint64_t> workspaces;  ///< of cooperative launches, by stream
  std::map<Stream, Stream> streams;            ///< own number -> the machine's
  Stream last_stream = 0;
  std::unique_ptr<exec::ProgramChecks> checks;           ///< of programs that are checked
  std::map<std::uint64_t, std::string> checked_kernels;  ///< then, by grid id: names
  std::unique_ptr<ManagedSide> managed;                  ///< where managed memory migrates
};

}  // namespace heddle::runtime
