#include "workloads/mixes.h"

#include <fmt/format.h>

#include <algorithm>

#include "workloads/common/random.h"

namespace heddle::workloads {
namespace {

struct Pair {
  std::string_view first, second;
  int hmr;  ///< applications with high miss rates in both TLBs
};

/// Named in the text of MASK (Figure 7, Sec. 5.3, 7.1 and 7.2).
constexpr std::array kMaskText{
    Pair{"3DS", "HISTO", 1},  Pair{"MM", "CONS", 2},   Pair{"RED", "RAY", 1},
    Pair{"RED", "BP", 1},     Pair{"SC", "FWT", 2},    Pair{"SCAN", "SAD", 1},
    Pair{"SCAN", "HISTO", 1}, Pair{"SCAN", "SRAD", 2}, Pair{"SCAN", "CONS", 2},
};
/// On the axes of MASK's figures.
constexpr std::array kMaskFigures{
    Pair{"HISTO", "GUP", 0}, Pair{"HISTO", "LPS", 0}, Pair{"NW", "HS", 0},     Pair{"NW", "LPS", 0},
    Pair{"RAY", "GUP", 0},   Pair{"RAY", "HS", 0},    Pair{"SCP", "GUP", 0},   Pair{"SCP", "HS", 0},
    Pair{"3DS", "BP", 1},    Pair{"BLK", "LPS", 1},   Pair{"CONS", "LPS", 1},  Pair{"FWT", "BP", 1},
    Pair{"LUH", "BFS2", 1},  Pair{"LUH", "GUP", 1},   Pair{"MUM", "HISTO", 1}, Pair{"RED", "GUP", 1},
    Pair{"TRD", "HS", 1},    Pair{"TRD", "LPS", 1},   Pair{"TRD", "RAY", 1},   Pair{"CFD", "MM", 2},
    Pair{"CONS", "LUH", 2},  Pair{"RED", "MM", 2},    Pair{"RED", "SC", 2},    Pair{"SRAD", "3DS", 2},
    Pair{"TRD", "MUM", 2},   Pair{"TRD", "RED", 2},
};

/// Scavenger's benchmarks (Table 5.4), compute-bound and memory-bound.
constexpr std::array<std::string_view, 5> kCompute{"HS", "LK", "SAD", "SG", "TP"};
constexpr std::array<std::string_view, 12> kMemory{"BFS", "BP",  "BS", "BT",  "FWT", "HW",
                                                   "KM",  "LBM", "LM", "LUD", "MUM", "ST"};
constexpr std::size_t kPerClass = 3;

std::vector<std::string_view> draw(std::vector<std::string_view> from, std::string_view without, Random& random) {
  std::erase(from, without);
  std::vector<std::string_view> drawn;
  while (drawn.size() < kPerClass) {
    const auto at = from.begin() + random.below(static_cast<std::uint32_t>(from.size()));
    drawn.push_back(*at);
    from.erase(at);
  }
  return drawn;
}

void add_mask(std::vector<Mix>& mixes, const auto& pairs, std::string_view source) {
  for (const Pair& pair : pairs) {
    mixes.push_back({fmt::format("mask/{}_{}", pair.first, pair.second),
                     "mask",
                     {pair.first, pair.second},
                     fmt::format("{}-HMR", pair.hmr),
                     source});
  }
}

}  // namespace

std::vector<Mix> scavenger_pairs(std::uint64_t seed) {
  const std::vector<std::string_view> compute(kCompute.begin(), kCompute.end());
  const std::vector<std::string_view> memory(kMemory.begin(), kMemory.end());
  std::vector<Mix> mixes;
  std::uint64_t stream = 0;
  const auto add = [&](std::string_view primary, const char* its_class) {
    Random random(seed, stream++);
    for (const auto& [secondaries, name] : {std::pair{&compute, "COM"}, std::pair{&memory, "MEM"}}) {
      for (const std::string_view secondary : draw(*secondaries, primary, random)) {
        mixes.push_back({fmt::format("scavenger/{}_{}", primary, secondary),
                         "scavenger",
                         {primary, secondary},
                         fmt::format("{} x {}", its_class, name),
                         "drawn"});
      }
    }
  };
  for (const std::string_view primary : compute) add(primary, "COM");
  for (const std::string_view primary : memory) add(primary, "MEM");
  return mixes;
}

const std::vector<Mix>& all_mixes() {
  static const std::vector<Mix> mixes = [] {
    std::vector<Mix> result;
    add_mask(result, kMaskText, "text");
    add_mask(result, kMaskFigures, "figures");
    const std::vector<Mix> drawn = scavenger_pairs(kScavengerSeed);
    result.insert(result.end(), drawn.begin(), drawn.end());
    return result;
  }();
  return mixes;
}

const Workload* find_by_paper_name(std::string_view paper, std::string_view name) {
  for (const Workload* workload : all()) {
    for (const PaperUse& use : workload->description().papers) {
      if (use.paper == paper && use.name == name) return workload;
    }
  }
  return nullptr;
}

}  // namespace heddle::workloads
