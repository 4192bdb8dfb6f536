#include "vm/address_space.h"

#include <algorithm>

#include "base/check.h"

namespace heddle::vm {

AddressSpace::AddressSpace(PhysicalMemory& memory, const Options& options)
    : memory_(memory), options_(options), table_(memory) {}

AddressSpace::~AddressSpace() {
  for (const auto& [number, unit] : units_) {
    if (unit.owns_frame) memory_.release(unit.frame, options_.page_size);
  }
}

template <typename F>
void AddressSpace::for_each_unit(std::uint64_t address, std::uint64_t bytes, F&& f) {
  const std::uint64_t last = unit_of(page_of(address + std::max<std::uint64_t>(bytes, 1) - 1));
  for (std::uint64_t unit = unit_of(page_of(address)); unit <= last; ++unit) f(unit);
}

AddressSpace::Unit& AddressSpace::unit_at(VirtPage page) {
  const auto found = units_.find(unit_of(page));
  HEDDLE_CHECK(found != units_.end(), "the page is not part of the address space");
  return found->second;
}

void AddressSpace::set_present(std::uint64_t number, Unit& unit, bool present) {
  if (unit.present == present) return;
  unit.present = present;
  if (present) {
    table_.map({page_of_unit(number), unit.frame, options_.page_size, unit.writable});
  } else {
    table_.unmap(page_of_unit(number));
  }
}

template <typename F>
void AddressSpace::tell_checker(std::uint64_t number, const Unit& unit, F&& f) {
  if (options_.checker == nullptr) return;
  for (std::uint64_t i = 0; i < pages_in(options_.page_size); ++i)
    f(unit.frame.number + i, page_of_unit(number).number + i);
}

void AddressSpace::add(std::uint64_t address, std::uint64_t bytes) {
  for_each_unit(address, bytes, [&](std::uint64_t number) {
    Unit& unit = units_[number];
    if (++unit.ranges > 1) return;
    unit.frame = memory_.allocate(options_.page_size);
    tell_checker(number, unit,
                 [&](std::uint64_t frame, std::uint64_t page) { options_.checker->give(frame, options_.id, page); });
    if (!options_.lazy) set_present(number, unit, true);
  });
}

void AddressSpace::remove(std::uint64_t address, std::uint64_t bytes) {
  for_each_unit(address, bytes, [&](std::uint64_t number) {
    Unit& unit = unit_at(page_of_unit(number));
    if (--unit.ranges != 0) return;
    set_present(number, unit, false);
    if (unit.owns_frame) memory_.release(unit.frame, options_.page_size);
    units_.erase(number);
  });
}

void AddressSpace::protect(std::uint64_t address, std::uint64_t bytes, bool writable) {
  for_each_unit(address, bytes, [&](std::uint64_t number) {
    Unit& unit = unit_at(page_of_unit(number));
    unit.writable = writable;
    if (unit.present) table_.protect(page_of_unit(number), writable);
  });
}

void AddressSpace::alias(VirtPage page, VirtPage target) {
  Unit& unit = unit_at(page);
  const Unit& other = unit_at(target);
  const bool present = unit.present;
  set_present(unit_of(page), unit, false);
  if (unit.owns_frame) memory_.release(unit.frame, options_.page_size);
  unit.frame = other.frame;
  unit.owns_frame = false;
  set_present(unit_of(page), unit, present);
}

void AddressSpace::evict(VirtPage page) {
  Unit& unit = unit_at(page);
  set_present(unit_of(page), unit, false);
  unit.on_disk = true;
}

void AddressSpace::migrate(VirtPage page) {
  Unit& unit = unit_at(page);
  HEDDLE_CHECK(unit.owns_frame, "an alias cannot move alone");
  const bool present = unit.present;
  set_present(unit_of(page), unit, false);
  const PhysFrame old = unit.frame;
  unit.frame = memory_.allocate(options_.page_size);
  memory_.release(old, options_.page_size);
  tell_checker(unit_of(page), unit,
               [&](std::uint64_t frame, std::uint64_t number) { options_.checker->move(frame, options_.id, number); });
  set_present(unit_of(page), unit, present);
}

FaultClass AddressSpace::classify(VirtPage page) const {
  const auto found = units_.find(unit_of(page));
  if (found == units_.end()) return FaultClass::illegal;
  if (found->second.present) return FaultClass::none;
  return found->second.on_disk ? FaultClass::major : FaultClass::minor;
}

void AddressSpace::serve(VirtPage page) {
  Unit& unit = unit_at(page);
  unit.on_disk = false;
  set_present(unit_of(page), unit, true);
}

std::optional<PhysFrame> AddressSpace::frame(VirtPage page) const {
  const auto found = units_.find(unit_of(page));
  if (found == units_.end()) return std::nullopt;
  return PhysFrame{found->second.frame.number + (page.number - page_of_unit(found->first).number)};
}

}  // namespace heddle::vm
