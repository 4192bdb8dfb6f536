#include "vm/physical_memory.h"

#include <algorithm>
#include <bit>

namespace heddle::vm {

PhysicalMemory::PhysicalMemory(const FrameParameters& parameters)
    : parameters_(parameters),
      entry_shift_(static_cast<unsigned>(std::countr_zero(unsigned{parameters.entry_bytes}))),
      in_use_(std::size_t{parameters.gib} << (30 - kPageBits)),
      tables_(in_use_.size()),
      random_(parameters.seed) {
  if (!std::has_single_bit(unsigned{parameters.entry_bytes}))
    throw UserError("vm.frames.entry_bytes must be a power of two");
}

bool PhysicalMemory::free(std::uint64_t first, std::uint64_t count) const {
  if (first == 0 || first + count > frames()) return false;
  for (std::uint64_t f = first; f < first + count; ++f) {
    if (in_use_[f] != 0) return false;
  }
  return true;
}

void PhysicalMemory::mark(std::uint64_t first, std::uint64_t count, bool used) {
  for (std::uint64_t f = first; f < first + count; ++f) in_use_[f] = used ? 1 : 0;
  used_ = used ? used_ + count : used_ - count;
}

std::uint64_t PhysicalMemory::propose(std::uint64_t count) {
  const bool scattered = parameters_.allocation.is("scattered");
  if (scattered || (parameters_.allocation.is("fragmented") && run_left_ < count)) {
    next_ = random_() % frames();
    run_left_ = scattered ? 0 : std::max<std::uint64_t>(count, 1 + random_() % parameters_.run);
  }
  run_left_ -= std::min(run_left_, count);
  return (next_ + count - 1) / count * count;
}

PhysFrame PhysicalMemory::allocate(PageSize size) { return take(pages_in(size)); }

PhysFrame PhysicalMemory::take(std::uint64_t count) {
  if (used_ + count < frames()) {
    std::uint64_t at = propose(count);
    // From there on, and round the end once.
    for (std::uint64_t tried = 0; tried <= frames(); tried += count, at += count) {
      if (at + count > frames()) at = 0;
      if (!free(at, count)) continue;
      mark(at, count, true);
      next_ = at + count;
      return {at};
    }
  }
  throw UserError("out of physical memory: " + std::to_string(used_ * kPageBytes >> 20) + " MiB of " +
                  std::to_string(parameters_.gib) + " GiB are in use, and no page of " +
                  std::to_string(count * kPageBytes >> 10) + " KiB is free (vm.frames.gib)");
}

void PhysicalMemory::release(PhysFrame frame, PageSize size) { mark(frame.number, pages_in(size), false); }

PhysFrame PhysicalMemory::allocate_table() {
  const std::uint64_t count = std::uint64_t{kTableEntries} << entry_shift_ >> kPageBits;
  const PhysFrame first = take(count);
  for (std::uint64_t f = first.number; f < first.number + count; ++f) {
    table_storage_.push_back(std::make_unique<Table>());
    tables_[f] = table_storage_.back().get();
  }
  return first;
}

}  // namespace heddle::vm
