// All-pairs shortest paths: the matrix both versions of Floyd-Warshall start from, and the reference. Integers: exact.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::workloads {

/// A random matrix of n x n direct distances, row-major; three quarters of the pairs have none.
[[nodiscard]] std::vector<std::int32_t> random_distances(std::uint32_t n, std::uint64_t seed);
/// Direct distances become those of the shortest paths; `next` gets the last vertex that made a path shorter.
void shortest_paths(std::vector<std::int32_t>& distance, std::size_t n, std::vector<std::int32_t>* next = nullptr);

}  // namespace heddle::workloads
