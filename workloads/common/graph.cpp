#include "workloads/common/graph.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "workloads/common/random.h"

namespace heddle::workloads {

namespace {

/// One R-MAT draw: at each of `bits` levels choose a quadrant of the adjacency matrix.
std::pair<std::uint32_t, std::uint32_t> draw_edge(Random& random, unsigned bits) {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  for (unsigned level = 0; level < bits; ++level) {
    const std::uint32_t quadrant = random.below(100);
    from = from << 1 | (quadrant >= 76 ? 1u : 0u);                                   // c, d
    to = to << 1 | ((quadrant >= 57 && quadrant < 76) || quadrant >= 95 ? 1u : 0u);  // b, d
  }
  return {from, to};
}

using Edge = std::pair<std::uint32_t, std::uint32_t>;

/// Each edge is stored in both directions.
CsrGraph from_edges(std::uint32_t vertices, const std::vector<Edge>& edges) {
  CsrGraph graph;
  graph.row_start.assign(vertices + 1, 0);
  for (const auto& [from, to] : edges) {
    ++graph.row_start[from + 1];
    ++graph.row_start[to + 1];
  }
  std::partial_sum(graph.row_start.begin(), graph.row_start.end(), graph.row_start.begin());
  graph.neighbour.resize(2 * edges.size());
  std::vector<std::uint32_t> next(graph.row_start.begin(), graph.row_start.end() - 1);
  for (const auto& [from, to] : edges) {
    graph.neighbour[next[from]++] = to;
    graph.neighbour[next[to]++] = from;
  }
  return graph;
}

}  // namespace

CsrGraph rmat_graph(std::uint32_t vertices, std::uint32_t average_degree, std::uint64_t seed) {
  Random random(seed, 1);
  std::vector<std::uint32_t> number(vertices);
  std::iota(number.begin(), number.end(), 0u);
  for (std::uint32_t i = vertices; i > 1; --i) std::swap(number[i - 1], number[random.below(i)]);

  const unsigned bits = static_cast<unsigned>(std::bit_width(vertices - 1));
  const std::uint64_t wanted = std::uint64_t{vertices} * average_degree / 2;
  std::vector<Edge> edges;
  edges.reserve(wanted);
  for (std::uint64_t i = 0; i < wanted; ++i) {
    auto [from, to] = draw_edge(random, bits);
    if (from == to || from >= vertices || to >= vertices) continue;  // outside: the matrix is cut to `vertices`
    edges.emplace_back(number[from], number[to]);
  }

  return from_edges(vertices, edges);
}

CsrGraph uniform_graph(std::uint32_t vertices, std::uint32_t average_degree, std::uint64_t seed) {
  Random random(seed, 2);
  std::vector<Edge> edges;
  edges.reserve(std::uint64_t{vertices} * average_degree / 2);
  for (std::uint32_t from = 0; from < vertices; ++from) {
    const std::uint32_t partners = average_degree / 2 - 1 + random.below(3);
    for (std::uint32_t i = 0; i < partners; ++i) {
      const std::uint32_t to = random.below(vertices);
      if (from != to) edges.emplace_back(from, to);
    }
  }
  return from_edges(vertices, edges);
}

CsrGraph road_graph(std::uint32_t vertices, std::uint64_t seed) {
  Random random(seed, 3);
  const auto side = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(vertices))));
  std::vector<Edge> edges;
  const auto join = [&](std::uint32_t from, std::uint32_t to, std::uint32_t of_sixteen) {
    const bool taken = random.below(16) < of_sixteen;
    if (taken && to < vertices) edges.emplace_back(from, to);
  };
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const bool last = v % side == side - 1;
    if (!last) join(v, v + 1, 14);
    join(v, v + side, 14);
    if (!last) join(v, v + side + 1, 1);
  }
  return from_edges(vertices, edges);
}

namespace {

/// The side of the square that holds so many vertices.
std::uint32_t side_of(std::uint32_t vertices) {
  return static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(vertices))));
}

}  // namespace

CsrGraph grid_graph(std::uint32_t vertices) {
  const std::uint32_t side = side_of(vertices);
  std::vector<Edge> edges;
  for (std::uint32_t v = 0; v < vertices; ++v) {
    if (v % side != side - 1 && v + 1 < vertices) edges.emplace_back(v, v + 1);
    if (v + side < vertices) edges.emplace_back(v, v + side);
  }
  return from_edges(vertices, edges);
}

CsrGraph circuit_graph(std::uint32_t vertices, std::uint64_t seed) {
  Random random(seed, 4);
  const std::uint32_t side = side_of(vertices);
  std::vector<Edge> edges;
  const auto join = [&](std::uint32_t from, std::uint32_t to, std::uint32_t percent) {
    const bool taken = random.below(100) < percent;
    if (taken && to < vertices) edges.emplace_back(from, to);
  };
  for (std::uint32_t v = 0; v < vertices; ++v) {
    const bool last = v % side == side - 1;
    if (!last) join(v, v + 1, 92);
    join(v, v + side, 92);
    if (!last) join(v, v + side + 1, 8);
  }
  return from_edges(vertices, edges);
}

CsrGraph authors_graph(std::uint32_t vertices, std::uint64_t seed) {
  constexpr double kExponent = 1.7;     // of the Pareto distribution of degrees
  constexpr std::uint32_t kLeast = 1;   // edges that a vertex draws at least
  constexpr std::uint32_t kMost = 336;  // the largest degree of coAuthorsDBLP
  constexpr std::uint32_t kNeighbourhood = 1000;
  Random random(seed, 5);
  std::vector<Edge> edges;
  for (std::uint32_t from = 0; from < vertices; ++from) {
    const double uniform = (1.0 + random.below(1u << 24)) * 0x1p-24;
    const double drawn = kLeast * std::pow(uniform, -1.0 / kExponent);
    const auto partners = static_cast<std::uint32_t>(std::min(drawn, static_cast<double>(kMost)));
    for (std::uint32_t i = 0; i < partners; ++i) {
      const bool near = random.below(2) == 0;
      const std::uint32_t window = std::min(kNeighbourhood, vertices);
      const std::uint32_t first = std::min(from - std::min(from, window / 2), vertices - window);
      const std::uint32_t to = near ? first + random.below(window) : random.below(vertices);
      if (from != to) edges.emplace_back(from, to);
    }
  }
  return from_edges(vertices, edges);
}

std::uint32_t hub(const CsrGraph& graph) {
  std::uint32_t best = 0;
  for (std::uint32_t v = 1; v < graph.vertices(); ++v) {
    if (graph.degree(v) > graph.degree(best)) best = v;
  }
  return best;
}

std::vector<std::int32_t> breadth_first_levels(const CsrGraph& graph, std::uint32_t source) {
  std::vector<std::int32_t> level(graph.vertices(), -1);
  std::vector<std::uint32_t> queue{source};
  level[source] = 0;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::uint32_t v = queue[head];
    for (std::uint32_t e = graph.row_start[v]; e < graph.row_start[v + 1]; ++e) {
      const std::uint32_t w = graph.neighbour[e];
      if (level[w] >= 0) continue;
      level[w] = level[v] + 1;
      queue.push_back(w);
    }
  }
  return level;
}

}  // namespace heddle::workloads
