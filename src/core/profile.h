// What instructions cost: where issue slots went, instruction by instruction.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "core/sm_statistics.h"

namespace heddle::core {

inline constexpr std::size_t kSlots = static_cast<std::size_t>(Slot::count_);
using SlotCounts = std::array<std::uint64_t, kSlots>;

/// What one instruction of a kernel did. The names are those of the SM's counters.
struct InstructionProfile {
  SlotCounts slots{};            ///< by Slot: issued, or lost while it was waited with or for
  std::uint64_t executions = 0;  ///< warp instructions
  std::uint64_t threads = 0;     ///< lanes of those
  std::uint64_t accesses = 0;    ///< global and local memory instructions
  std::uint64_t lines = 0;
  std::uint64_t pages = 0;
  std::uint64_t l1_reads = 0;
  std::uint64_t l1_hits = 0;
  std::uint64_t tlb_lookups = 0;
  std::uint64_t tlb_hits = 0;
  std::uint64_t loads = 0;
  std::uint64_t load_latency = 0;
  std::uint64_t shared_conflicts = 0;

  [[nodiscard]] std::uint64_t all_slots() const;
  void add(const InstructionProfile& other);
};

/// Of a whole GPU. Every issue slot that SMs count is here exactly once.
struct Profile {
  /// Number of the code (KernelInstance::code_id) and name.
  using KernelKey = std::pair<std::uint64_t, std::string>;
  std::map<KernelKey, std::map<std::uint32_t, InstructionProfile>> kernels;  ///< by the instruction's number
  SlotCounts unplaced{};  ///< slots that no instruction is to blame for: no warp was there

  void add(const Profile& other);
};

}  // namespace heddle::core
