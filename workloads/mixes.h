// The pairs of applications that papers run together, by the names they have there.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/workload.h"

namespace heddle::workloads {

struct Mix {
  std::string name;                              ///< e.g. "mask/3DS_HISTO"
  std::string_view paper;                        ///< as PaperUse::paper
  std::array<std::string_view, 2> applications;  ///< the paper's names; in Scavenger's pairs the first is the primary
  std::string category;                          ///< "1-HMR", "COM x MEM"
  std::string_view source;                       ///< where the pair is from
};

/// The seed of Scavenger's random pairs. The paper draws six secondaries for each primary, three of each class, and
/// does not list them; here they are drawn without repetition and never the primary itself.
inline constexpr std::uint64_t kScavengerSeed = 1;
[[nodiscard]] std::vector<Mix> scavenger_pairs(std::uint64_t seed);

/// All pairs: MASK's, then Scavenger's with kScavengerSeed.
[[nodiscard]] const std::vector<Mix>& all_mixes();

/// The workload that has this name in a paper; nullptr if none of those bundled does.
[[nodiscard]] const Workload* find_by_paper_name(std::string_view paper, std::string_view name);

}  // namespace heddle::workloads
