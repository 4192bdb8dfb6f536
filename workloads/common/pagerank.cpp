#include "workloads/common/pagerank.h"

#include <algorithm>

namespace heddle::workloads::pagerank {

std::vector<float> reference(const CsrGraph& graph) {
  const std::uint32_t vertices = graph.vertices();
  std::vector<double> rank(vertices, 1.0 / vertices);
  for (int i = 0; i < kIterations; ++i) {
    std::vector<double> next(vertices, 0.0);
    for (std::uint32_t v = 0; v < vertices; ++v) {
      const double share = rank[v] / std::max(1u, graph.degree(v));
      for (std::uint32_t e = graph.row_start[v]; e < graph.row_start[v + 1]; ++e) next[graph.neighbour[e]] += share;
    }
    for (double& r : next) r = (1.0 - double{kDamping}) / vertices + double{kDamping} * r;
    rank = std::move(next);
  }
  return {rank.begin(), rank.end()};
}

// Sums of positive floats in any order: each of at most `degree` additions rounds once, and so do four operations more,
// in each iteration.
double tolerance(const CsrGraph& graph) { return kIterations * (graph.degree(hub(graph)) + 4.0) * 0x1p-24; }

}  // namespace heddle::workloads::pagerank
