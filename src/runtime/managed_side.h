// Managed memory as its host program has it: which pages it touches between two calls of the library.
//
// Nothing holds the program up. When it goes on, pages that it could bring back are unmapped, with their bytes kept;
// the kernel maps what it touches, in its own code or in a system call, and the present bits of /proc/self/pagemap tell
// which pages those are when it calls again. The kernel maps up to 64 KiB around a page that is read, so that is what
// goes back.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "exec/address_space.h"
#include "runtime/machine.h"
#include "vm/managed_memory.h"

namespace heddle::runtime {

class ManagedSide {
 public:
  /// `host_sees_memory`: the host program follows its addresses.
  ManagedSide(Machine& machine, exec::GlobalMemory& memory, std::uint16_t application, bool host_sees_memory);
  ~ManagedSide();
  ManagedSide(const ManagedSide&) = delete;
  ManagedSide& operator=(const ManagedSide&) = delete;

  /// Where managed allocations begin.
  static constexpr std::uint64_t kAlignment = std::uint64_t{2} << 20;
  void add(std::uint64_t address, std::uint64_t bytes);
  /// The allocation that begins there is freed; nothing if it is none.
  void remove(std::uint64_t address);
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// What the device's memory has room for, all allocations but these taken off.
  void set_room(std::uint64_t bytes) { managed().set_room(bytes); }
  [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t bytes) const;
  [[nodiscard]] vm::ManagedMemory& managed() { return *machine_.gpu()->managed(); }
  [[nodiscard]] const vm::ManagedMemory& managed() const { return *machine_.gpu()->managed(); }

 private:
  enum class Knows : std::uint8_t { touched, all, none };
  /// The host program has had its turn, or has it now.
  void turn_ends();
  void turn_begins();
  /// Pages of a block that the host has touched.
  [[nodiscard]] vm::PageSet touched(const vm::PageBlock& block) const;
  /// Of pages on both sides, or to be, those whose bytes are others than when the host's turn began.
  [[nodiscard]] vm::PageSet written(const vm::PageBlock& block, const vm::PageSet& touched) const;
  void remember(const vm::PageBlock& block, const vm::PageSet& own);
  /// Calls look(block, its pages of a range, their begin, their end) where not all is on the host.
  template <typename Look>
  void for_each_block(Look&& look);

  Machine& machine_;
  exec::GlobalMemory& memory_;
  std::uint16_t application_;
  Knows knows_ = Knows::none;
  int pagemap_ = -1;                               ///< a file; -1: none
  std::map<std::uint64_t, std::uint64_t> ranges_;  ///< address -> bytes
  std::map<std::uint64_t, std::uint64_t> hashes_;  ///< of pages that are read mostly, at the begin of the host's turn
  std::uint64_t bytes_ = 0;
};

}  // namespace heddle::runtime
