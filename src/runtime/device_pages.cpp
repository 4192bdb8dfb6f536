// What the host may do to pages: rights, aliases, moving them. Every change ends with a shootdown: TLBs forget.
#include <fmt/format.h>

#include "runtime/device_implementation.h"

namespace heddle::runtime {
namespace {

constexpr std::uint64_t kPage = exec::GlobalMemory::kPageBytes;

}  // namespace

std::uint64_t DeviceImplementation::page_bytes() const {
  const vm::AddressSpace* mapped = space();
  return mapped != nullptr ? kPage * vm::pages_in(mapped->page_size()) : kPage;
}

void DeviceImplementation::check_pages(const char* what, DeviceAddress address, std::uint64_t bytes) const {
  if (address % page_bytes() != 0 || bytes % page_bytes() != 0 || bytes == 0) {
    throw UserError(fmt::format("{}: address {:#x} and size {} must be multiples of the page size, {} bytes", what,
                                address, bytes, page_bytes()));
  }
  for_each_piece(what, address, bytes, [](std::uint8_t*, std::uint64_t) {});
}

void DeviceImplementation::change_pages(DeviceAddress address, std::uint64_t bytes,
                                        const std::function<void(vm::AddressSpace&, vm::VirtPage)>& change) const {
  vm::AddressSpace* mapped = space();
  if (mapped == nullptr) return;
  for (std::uint64_t at = address; at < address + bytes; at += page_bytes()) change(*mapped, vm::page_of(at));
  machine->gpu()->shoot_down(application, address, bytes);
}

void Device::protect(DeviceAddress address, std::uint64_t bytes, bool writable) {
  DeviceImplementation& device = *implementation_;
  device.check_pages("protect", address, bytes);
  for (std::uint64_t at = address; at < address + bytes; at += kPage)
    device.memory.map(at, device.memory.find_in_page(at), writable);
  device.change_pages(address, bytes,
                      [&](vm::AddressSpace& space, vm::VirtPage page) { space.protect(page.address(), 1, writable); });
}

void Device::alias(DeviceAddress address, DeviceAddress target, std::uint64_t bytes) {
  DeviceImplementation& device = *implementation_;
  device.check_pages("alias", address, bytes);
  device.check_pages("alias", target, bytes);
  for (std::uint64_t offset = 0; offset < bytes; offset += kPage)
    device.memory.alias(address + offset, target + offset);
  device.change_pages(address, bytes, [&](vm::AddressSpace& space, vm::VirtPage page) {
    space.alias(page, vm::page_of(target + (page.address() - address)));
  });
}

void Device::evict(DeviceAddress address, std::uint64_t bytes) {
  implementation_->check_pages("evict", address, bytes);
  implementation_->change_pages(address, bytes, [](vm::AddressSpace& space, vm::VirtPage page) { space.evict(page); });
}

void Device::migrate(DeviceAddress address, std::uint64_t bytes) {
  implementation_->check_pages("migrate", address, bytes);
  const DeviceImplementation& device = *implementation_;
  device.change_pages(address, bytes, [&](vm::AddressSpace& space, vm::VirtPage page) {
    space.migrate(page);
    const std::vector<vm::VirtPage> names = space.names(page);
    if (names.size() == 1) return;
    for (const vm::VirtPage name : names) device.machine->gpu()->shoot_down(device.application, name.address(), 1);
  });
}

}  // namespace heddle::runtime
