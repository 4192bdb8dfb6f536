// What was measured of the workloads, as data: written by `heddle characterise`, read by `heddle list --long`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "workloads/workload.h"

namespace heddle::cli {

/// One run of a workload, alone, from its first launch to its last.
struct Characteristics {
  std::uint64_t elements = 0;
  std::uint64_t footprint_bytes = 0;  ///< 4 KiB pages of global memory that kernels touched
  std::uint64_t launches = 0;
  std::uint64_t warp_instructions = 0;
  std::uint64_t cycles = 0;
  double memory_share = 0;        ///< global and local memory instructions of all instructions
  double lines_per_access = 0;    ///< 128-byte lines per memory instruction
  double pages_per_access = 0;    ///< 4 KiB pages per global memory instruction
  double l1_tlb_miss_rate = 0;    ///< of page lookups (tlb_model.h)
  double l2_tlb_miss_rate = 0;    ///< of misses of the L1 TLB
  double memory_stall_share = 0;  ///< issue slots lost to memory, of those lost to memory or spent on arithmetic

  /// L1 TLB misses of the whole GPU per core cycle.
  [[nodiscard]] double translations_per_cycle() const;
  /// Whether a paper's trait holds, by the thresholds in docs/workloads.md.
  [[nodiscard]] bool has(workloads::Trait trait) const;
};

/// A miss rate from which on a TLB counts as missed often (MASK, Sec. 6).
inline constexpr double kHighMissRate = 0.20;
/// L1 TLB misses per core cycle of the whole GPU from which on translation bandwidth counts as high.
inline constexpr double kHighTranslationRate = 0.10;
/// Lines per memory instruction from which on accesses count as divergent.
inline constexpr double kDivergentLines = 2.0;

/// By workload, then by the name of the size.
using CharacteristicsTable = std::map<std::string, std::map<std::string, Characteristics>, std::less<>>;

struct MeasuredSuite {
  std::string gpu;  ///< the preset it was measured on
  CharacteristicsTable table;
};

/// Where the project keeps what was measured.
[[nodiscard]] std::string characteristics_file();
/// Throws UserError that names the place. A missing file is an empty suite.
[[nodiscard]] MeasuredSuite read_characteristics(const std::string& file);
void write_characteristics(const MeasuredSuite& suite, const std::string& file);

}  // namespace heddle::cli
