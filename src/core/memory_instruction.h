// A memory instruction on its way through the load/store unit, and the coalescer that makes it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/warp_scheduler.h"
#include "exec/interpreter.h"
#include "memory/request.h"
#include "vm/types.h"

namespace heddle::memory {

/// What the atomic unit of a memory partition needs to perform an atomic (memory/request.h).
struct AtomicPacket {
  const isa::Instruction* instruction = nullptr;
  const exec::GlobalMemory* memory = nullptr;  ///< of the application
  unsigned bytes = 4;
  std::array<std::uint64_t, kWarpSize> address{};
  std::array<std::uint64_t, kWarpSize> operand{};
  std::array<std::uint64_t, kWarpSize> second{};  ///< cas: the new value
  std::array<std::uint64_t, kWarpSize> old{};     ///< what was in memory, filled in by perform_atomic
};

/// Performs an atomic on its memory for some of its lanes, in lane order.
void perform_atomic(AtomicPacket& packet, LaneMask lanes);

}  // namespace heddle::memory

namespace heddle::core {

/// What an instruction touches of one line.
struct LineAccess {
  std::uint64_t line = 0;
  std::uint32_t sectors = 0;  ///< units of memory::kSectorUnit
  LaneMask lanes = 0;
  std::uint16_t bytes = 0;  ///< data, for stores and atomics
  static constexpr std::uint8_t kNoPage = 255;
  std::uint8_t page = 0;  ///< of the instruction's pages, or kNoPage if the line needs no translation
  bool accessed = false;  ///< has been to the L1
};

enum class PageState : std::uint8_t {
  unseen,   ///< not looked up
  walking,  ///< missed
  hit,      ///< known, but the lines must wait for other pages
  ready,    ///< lines may go from ready_at on
};

/// A page that an instruction needs translated.
struct PageAccess {
  vm::VirtPage page;
  vm::Mapping mapping;
  sim::Cycle ready_at = 0;
  PageState state = PageState::unseen;
};

enum class MemoryKind : std::uint8_t { load, store, atomic, shared, constant };

struct MemoryInstruction {
  const exec::Op* op = nullptr;
  std::uint32_t pc = 0;
  unsigned warp = 0;
  MemoryKind kind = MemoryKind::load;
  bool cached = true;  ///< looks in the L1
  bool local = false;  ///< touches local memory
  sim::Cycle issued_at = 0;
  unsigned shared_cycles = 0;  ///< passes through shared memory
  std::uint32_t next = 0;      ///< first line not yet sent
  std::uint32_t waiting = 0;   ///< lines without their data
  std::vector<LineAccess> lines;
  std::vector<PageAccess> pages;  ///< empty before translation
  std::uint32_t next_page = 0;    ///< first not yet looked up
  std::uint32_t missing = 0;      ///< pages that are being walked
  std::uint32_t epoch = 0;        ///< flushes before its lookups
  bool in_queue = true;           ///< of the load/store unit, or of the instructions that come back to it
  bool counted = false;           ///< in the statistics of pages
  bool page_by_page = false;      ///< its pages go on one by one, whatever the policy
  memory::AtomicPacket packet;
  LaneMask atomic_lanes = 0;
};

class MemoryPool {
 public:
  [[nodiscard]] std::uint32_t take() {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(all_.size()));
      all_.push_back(std::make_unique<MemoryInstruction>());
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    MemoryInstruction& m = *all_[index];
    m.lines.clear();
    m.pages.clear();
    m.next_page = 0;
    m.missing = 0;
    m.in_queue = true;
    m.counted = false;
    m.page_by_page = false;
    m.next = 0;
    m.waiting = 0;
    m.shared_cycles = 0;
    m.cached = true;
    m.local = false;
    ++in_use_;
    return index;
  }
  void release(std::uint32_t index) {
    free_.push_back(index);
    --in_use_;
  }
  [[nodiscard]] MemoryInstruction& at(std::uint32_t index) { return *all_[index]; }
  [[nodiscard]] std::size_t in_use() const { return in_use_; }

 private:
  std::vector<std::unique_ptr<MemoryInstruction>> all_;  ///< addresses must stay: packets are on their way
  std::vector<std::uint32_t> free_;
  std::size_t in_use_ = 0;
};

/// The bit of a line (its address over the line size) in a warp's filter of atomics on their way. Who sets a bit and
/// who looks for it must agree, or a thread would not see its own atomics.
[[nodiscard]] inline std::uint64_t atomic_filter_bit(std::uint64_t line) {
  return std::uint64_t{1} << ((line * 0x9e3779b97f4a7c15u) >> 58);
}

/// Adds the lines that the lanes touch, each once, in the order of the first lane that touches it.
void coalesce(const exec::MemoryAccess& access, LaneMask lanes, unsigned line_bytes, std::vector<LineAccess>& lines);

/// Local memory is interleaved: word w of all lanes of a warp is one 128-byte line. `base` is the warp's region.
void coalesce_local(const exec::MemoryAccess& access, LaneMask lanes, std::uint64_t base, unsigned line_bytes,
                    std::vector<LineAccess>& lines);

/// Cycles that shared memory needs for an access: the most distinct words that any bank must serve. Wide accesses are
/// served in two or four groups of lanes. `banks` is a power of two.
[[nodiscard]] unsigned shared_memory_cycles(const exec::MemoryAccess& access, LaneMask lanes, unsigned banks);

}  // namespace heddle::core
