// Memory of the device that is always there, and managed memory that moves.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/device_implementation.h"

namespace heddle::runtime {

std::uint64_t DeviceImplementation::fixed_bytes() const {
  return memory.allocated_bytes() - (managed ? managed->bytes() : 0);
}

void DeviceImplementation::set_managed_room() {
  managed->set_room(options.memory_bytes - std::min(options.memory_bytes, fixed_bytes()));
}

DeviceAddress DeviceImplementation::allocate(std::uint64_t bytes, std::uint64_t alignment, bool is_managed) {
  const bool fits = is_managed || bytes <= options.memory_bytes - std::min(options.memory_bytes, fixed_bytes());
  const auto address = fits ? memory.allocate(bytes, alignment) : std::nullopt;
  if (!address)
    throw LaunchError(
        2, "cudaErrorMemoryAllocation",
        fmt::format("out of device memory: {} bytes asked for, {} in use", bytes, memory.allocated_bytes()));
  if (managed && !is_managed) set_managed_room();
  return *address;
}

std::uint64_t Device::free_bytes() const {
  const DeviceImplementation& device = *implementation_;
  const std::uint64_t resident =
      device.managed ? device.machine->gpu()->managed()->resident_pages() * exec::GlobalMemory::kPageBytes : 0;
  const std::uint64_t used = device.fixed_bytes() + resident;
  return device.options.memory_bytes - std::min(device.options.memory_bytes, used);
}

bool Device::migrates(DeviceAddress address, std::uint64_t bytes) const {
  return implementation_->managed && implementation_->managed->contains(address, bytes);
}

void Device::advise(DeviceAddress address, std::uint64_t bytes, vm::Advice advice, vm::Side side, bool set) {
  DeviceImplementation& device = *implementation_;
  if (device.managed) device.managed->managed().advise(device.application, address, bytes, advice, side, set);
}

}  // namespace heddle::runtime
