// Needleman-Wunsch alignment of two random protein-like sequences. Their length is rounded up to a multiple of 16, the
// kernel's tile. Substitution scores are seeded, symmetric, positive for equal residues. Integer, so the check is
// exact.
#include "workloads/nw/reference.h"

#include <array>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(nw)

namespace heddle::workloads::nw {
namespace {

constexpr std::uint32_t kTile = 16;
constexpr std::int32_t kPenalty = 10;
constexpr std::uint32_t kResidues = 20;

std::vector<std::int32_t> make_scores(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::array<std::array<std::int32_t, kResidues>, kResidues> substitution{};
  for (std::uint32_t a = 0; a < kResidues; ++a) {
    substitution[a][a] = static_cast<std::int32_t>(4 + random.below(6));
    for (std::uint32_t b = 0; b < a; ++b) {
      substitution[a][b] = substitution[b][a] = static_cast<std::int32_t>(random.below(8)) - 4;
    }
  }
  std::vector<std::uint32_t> down(n + 1);
  std::vector<std::uint32_t> across(n + 1);
  for (auto& residue : down) residue = random.below(kResidues);
  for (auto& residue : across) residue = random.below(kResidues);
  std::vector<std::int32_t> scores((n + 1) * (n + 1), 0);
  for (std::size_t y = 1; y <= n; ++y) {
    for (std::size_t x = 1; x <= n; ++x) scores[y * (n + 1) + x] = substitution[down[y]][across[x]];
  }
  return scores;
}

class NeedlemanWunsch final : public Workload {
 public:
  NeedlemanWunsch()
      : Workload(
            {.name = "nw",
             .summary = "Needleman-Wunsch alignment: a wavefront of 16x16 tiles, one small launch per anti-diagonal.",
             .suite = "Rodinia",
             .papers = {{"mask", "NW", {Trait::kL1TlbLow, Trait::kL2TlbHigh}},
                        {"power", "nw", {}},
                        {"regless", "nw", {Trait::kComputeBound}},
                        {"virtual_caching", "nw", {Trait::kTranslationLow}}},
             .kernels = {{"nw_growing", "nw_1"}, {"nw_shrinking", "nw_2"}},
             .unit = "residues per sequence (rounded up to a multiple of 16)",
             .sizes = {{"tiny", 90}, {"small", 640}, {"medium", 1'408}, {"paper", 2'048}},
             .least = 1,
             .most = 16'384,
             .ptx = embedded::nw}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto n = static_cast<std::uint32_t>(round_up(request.elements, kTile));
    const std::vector<std::int32_t> scores = make_scores(n, request.seed);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<std::int32_t> device_scores(device, scores);
    const runtime::DeviceArray<std::int32_t> matrix(device, nw::borders(n, kPenalty));

    const std::uint32_t tiles = n / kTile;
    const runtime::Kernel growing = module.kernel("nw_growing");
    const runtime::Kernel shrinking = module.kernel("nw_shrinking");
    for (std::uint32_t diagonal = 0; diagonal < 2 * tiles - 1; ++diagonal) {
      const bool grows = diagonal < tiles;
      device.launch(grows ? growing : shrinking, {grows ? diagonal + 1 : 2 * tiles - 1 - diagonal}, {kTile}, 0,
                    device_scores.address(), matrix.address(), n + 1, kPenalty, diagonal);
    }
    return compare_exact(nw::align(scores, n, kPenalty), matrix.download(), "cells of the alignment matrix");
  }
};

}  // namespace

HEDDLE_WORKLOAD(NeedlemanWunsch)

}  // namespace heddle::workloads::nw
