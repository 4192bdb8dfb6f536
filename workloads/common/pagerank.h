// What the versions of PageRank have in common: graph, number of iterations, reference, tolerance.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/common/graph.h"

namespace heddle::workloads::pagerank {

inline constexpr std::uint32_t kBlock = 256;
inline constexpr std::uint32_t kAverageDegree = 7;  ///< of graphs that have no degree of their own
inline constexpr int kIterations = 20;
inline constexpr float kDamping = 0.85f;

/// The ranks, computed in double precision.
[[nodiscard]] std::vector<float> reference(const CsrGraph& graph);
/// How far ranks in single precision can be from those, relative to them.
[[nodiscard]] double tolerance(const CsrGraph& graph);

}  // namespace heddle::workloads::pagerank
