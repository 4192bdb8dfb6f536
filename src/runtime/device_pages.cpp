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

bool DeviceImplementation::change_in_time(const char* what, DeviceAddress address, std::uint64_t bytes,
                                          const std::function<vm::PageChange(vm::VirtPage)>& wish) const {
  if (space() == nullptr || !machine->gpu()->changes_take_time()) return false;
  if (machine->streams().advancing()) {
    throw UserError(fmt::format(
        "{}: a host function of a stream cannot change pages while kernels run, since it would wait for them", what));
  }
  const auto left = std::make_shared<std::uint64_t>(bytes / page_bytes());
  for (std::uint64_t at = address; at < address + bytes; at += page_bytes()) {
    vm::PageChange change = wish(vm::page_of(at));
    change.space = change.target_space = application;
    change.page = vm::page_of(at);
    machine->gpu()->change_page(change, [left] { --*left; });
  }
  machine->wait(application, [left] { return *left == 0; });
  return true;
}

void Device::protect(DeviceAddress address, std::uint64_t bytes, bool writable) {
  DeviceImplementation& device = *implementation_;
  device.check_pages("protect", address, bytes);
  const auto map = [&] {
    for (std::uint64_t at = address; at < address + bytes; at += kPage)
      device.memory.map(at, device.memory.find_in_page(at), writable);
  };
  // A right that goes is gone when this is called, one that comes is there when this returns.
  if (!writable) map();
  const bool took_time = device.change_in_time("protect", address, bytes, [&](vm::VirtPage) {
    return vm::PageChange{.operation = vm::HostOperation::rights, .writable = writable};
  });
  if (writable) map();
  if (took_time) return;
  device.change_pages(address, bytes,
                      [&](vm::AddressSpace& space, vm::VirtPage page) { space.protect(page.address(), 1, writable); });
}

void Device::alias(DeviceAddress address, DeviceAddress target, std::uint64_t bytes) {
  DeviceImplementation& device = *implementation_;
  device.check_pages("alias", address, bytes);
  device.check_pages("alias", target, bytes);
  for (std::uint64_t at = address; device.space() != nullptr && at < address + bytes; at += device.page_bytes())
    device.space()->check_alias(vm::page_of(at));
  const auto target_of = [&](vm::VirtPage page) { return vm::page_of(target + (page.address() - address)); };
  // Then programs find the target's bytes when the page has become its name.
  if (device.change_in_time("alias", address, bytes, [&](vm::VirtPage page) {
        return vm::PageChange{.operation = vm::HostOperation::remap, .target = target_of(page)};
      }))
    return;
  for (std::uint64_t offset = 0; offset < bytes; offset += kPage)
    device.memory.alias(address + offset, target + offset);
  device.change_pages(address, bytes,
                      [&](vm::AddressSpace& space, vm::VirtPage page) { space.alias(page, target_of(page)); });
}

void Device::evict(DeviceAddress address, std::uint64_t bytes) {
  const DeviceImplementation& device = *implementation_;
  device.check_pages("evict", address, bytes);
  if (device.change_in_time("evict", address, bytes,
                            [](vm::VirtPage) { return vm::PageChange{.operation = vm::HostOperation::evict}; }))
    return;
  device.change_pages(address, bytes, [](vm::AddressSpace& space, vm::VirtPage page) { space.evict(page); });
}

void Device::migrate(DeviceAddress address, std::uint64_t bytes) {
  const DeviceImplementation& device = *implementation_;
  device.check_pages("migrate", address, bytes);
  if (device.change_in_time("migrate", address, bytes,
                            [](vm::VirtPage) { return vm::PageChange{.operation = vm::HostOperation::move}; }))
    return;
  device.change_pages(address, bytes, [&](vm::AddressSpace& space, vm::VirtPage page) {
    space.migrate(page);
    const std::vector<vm::VirtPage> names = space.names(page);
    if (names.size() == 1) return;
    for (const vm::VirtPage name : names) device.machine->gpu()->shoot_down(device.application, name.address(), 1);
  });
}

}  // namespace heddle::runtime
