// Graphs in compressed sparse row form, and generators for them.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::workloads {

struct CsrGraph {
  std::vector<std::uint32_t> row_start;  ///< vertices + 1 entries; the edges of v are [row_start[v], row_start[v+1])
  std::vector<std::uint32_t> neighbour;

  [[nodiscard]] std::uint32_t vertices() const { return static_cast<std::uint32_t>(row_start.size() - 1); }
  [[nodiscard]] std::uint32_t degree(std::uint32_t v) const { return row_start[v + 1] - row_start[v]; }
};

/// An undirected R-MAT graph (Chakrabarti, Zhan and Faloutsos, SDM 2004) with a, b, c, d = 0.57, 0.19, 0.19, 0.05:
/// few vertices with very many neighbours, many with few or none. About `average_degree` neighbours per vertex (drawn
/// self-loops are dropped, repeated edges stay); each edge is stored in both directions. Vertices are renumbered at
/// random, so that the degree does not follow from the number.
[[nodiscard]] CsrGraph rmat_graph(std::uint32_t vertices, std::uint32_t average_degree, std::uint64_t seed);

/// An undirected graph of random edges, by the rule of Rodinia's generator: every vertex draws `average_degree` / 2
/// partners, one fewer or one more, from all vertices. No locality. Self-loops are dropped, repeated edges stay.
[[nodiscard]] CsrGraph uniform_graph(std::uint32_t vertices, std::uint32_t average_degree, std::uint64_t seed);

/// An undirected graph like a road map: a square grid with rows one after the other, an eighth of its edges missing and
/// a few diagonals added. Degrees up to 6, long paths, neighbours close in number.
[[nodiscard]] CsrGraph road_graph(std::uint32_t vertices, std::uint64_t seed);

/// An undirected square grid with rows one after the other, each vertex joined to the four beside it: the five-point
/// stencil that the matrix ecology1 is.
[[nodiscard]] CsrGraph grid_graph(std::uint32_t vertices);

/// An undirected graph like a circuit: a square grid in its natural order, 8 % of its edges missing and as many short
/// diagonals added. Degrees of 3.8 on average, at most 8: what the matrix G3_circuit is like.
[[nodiscard]] CsrGraph circuit_graph(std::uint32_t vertices, std::uint64_t seed);

/// An undirected graph like that of co-authors (coAuthorsDBLP: degrees of 6.5 on average, at most 336): degrees by a
/// power law cut off at 336, half of the edges to vertices near in number, half to any.
[[nodiscard]] CsrGraph authors_graph(std::uint32_t vertices, std::uint64_t seed);

/// The vertex with the most neighbours, the lowest such number.
[[nodiscard]] std::uint32_t hub(const CsrGraph& graph);

/// Hops from `source`, -1 where it does not reach.
[[nodiscard]] std::vector<std::int32_t> breadth_first_levels(const CsrGraph& graph, std::uint32_t source);

}  // namespace heddle::workloads
