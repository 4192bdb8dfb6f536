#include "vm/address_space.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"
#include "base/diagnostics.h"

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
  if (!unit.held) write_entry(number, unit);
}

void AddressSpace::write_entry(std::uint64_t number, const Unit& unit) {
  if (unit.present && !unit.held) {
    table_.map({page_of_unit(number), unit.frame, options_.page_size, unit.writable && !unit.guarded});
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
    if (unit.owns_frame) {
      memory_.release(unit.frame, options_.page_size);
    } else if (const auto owner = units_.find(unit.owner); owner != units_.end()) {
      std::erase(owner->second.aliases, number);
    }
    units_.erase(number);
  });
}

void AddressSpace::protect(std::uint64_t address, std::uint64_t bytes, bool writable) {
  for_each_unit(address, bytes, [&](std::uint64_t number) {
    Unit& unit = unit_at(page_of_unit(number));
    unit.writable = writable;
    if (unit.present && !unit.held) table_.protect(page_of_unit(number), writable && !unit.guarded);
    if (options_.checker == nullptr || !writable || unit.guarded) return;
    for (std::uint64_t i = 0; i < pages_in(options_.page_size); ++i)
      options_.checker->guards(options_.id, page_of_unit(number).number + i, false);
  });
}

void AddressSpace::check_alias(VirtPage page) const {
  const auto found = units_.find(unit_of(page));
  if (found == units_.end() || found->second.aliases.empty()) return;
  throw UserError(fmt::format("alias: the page at {:#x} owns memory that {} other pages name; give them another first",
                              page.address(), found->second.aliases.size()));
}

void AddressSpace::alias(VirtPage page, VirtPage target) {
  Unit& unit = unit_at(page);
  const std::uint64_t number = unit_of(page);
  const std::uint64_t owner = unit_of(names(target).front());
  check_alias(page);
  if (owner == number) return;
  const bool present = unit.present;
  set_present(number, unit, false);
  if (unit.owns_frame) {
    memory_.release(unit.frame, options_.page_size);
  } else {
    std::erase(units_.at(unit.owner).aliases, number);
  }
  units_.at(owner).aliases.push_back(number);
  unit.frame = units_.at(owner).frame;
  unit.owns_frame = false;
  unit.owner = owner;
  if (options_.checker != nullptr) {
    for (std::uint64_t i = 0; i < pages_in(options_.page_size); ++i)
      options_.checker->renames(options_.id, page_of_unit(number).number + i, page_of_unit(owner).number + i);
  }
  set_present(number, unit, present);
}

std::vector<VirtPage> AddressSpace::names(VirtPage page) const {
  std::uint64_t owner = unit_of(page);
  if (const Unit& unit = units_.at(owner); !unit.owns_frame && units_.contains(unit.owner)) owner = unit.owner;
  std::vector<VirtPage> all{page_of_unit(owner)};
  for (const std::uint64_t alias : units_.at(owner).aliases) all.push_back(page_of_unit(alias));
  return all;
}

void AddressSpace::hold(VirtPage page, bool held) {
  Unit& unit = unit_at(page);
  unit.held = held;
  if (unit.present) write_entry(unit_of(page), unit);
}

void AddressSpace::guard(VirtPage page, bool guarded) {
  Unit& unit = unit_at(page);
  unit.guarded = guarded;
  if (unit.present && !unit.held) table_.protect(page_of_unit(unit_of(page)), unit.writable && !guarded);
}

void AddressSpace::evict(VirtPage page) {
  Unit& unit = unit_at(page);
  set_present(unit_of(page), unit, false);
  unit.on_disk = true;
}

void AddressSpace::migrate(VirtPage page, bool settled) {
  const std::vector<VirtPage> all = names(page);
  const PhysFrame old = unit_at(all.front()).frame;
  const PhysFrame frame = memory_.allocate(options_.page_size);
  memory_.release(old, options_.page_size);
  for (const VirtPage name : all) {
    Unit& unit = unit_at(name);
    const bool present = unit.present;
    set_present(unit_of(name), unit, false);
    unit.frame = frame;
    set_present(unit_of(name), unit, present);
  }
  tell_checker(unit_of(all.front()), unit_at(all.front()), [&](std::uint64_t to, std::uint64_t number) {
    const std::uint64_t from = old.number + (to - frame.number);
    options_.checker->move(to, options_.id, number, settled ? std::optional(from) : std::nullopt);
  });
}

FaultClass AddressSpace::classify(VirtPage page, bool write) const {
  const auto found = units_.find(unit_of(page));
  if (found == units_.end()) return FaultClass::illegal;
  if (write && found->second.present && found->second.guarded) return FaultClass::minor;
  if (found->second.present || found->second.held) return FaultClass::none;
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
