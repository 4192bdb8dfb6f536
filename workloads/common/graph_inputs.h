// The kinds of graphs that graph workloads can run on.
#pragma once

#include "workloads/common/graph.h"
#include "workloads/workload.h"

namespace heddle::workloads {

inline constexpr InputKind kUniformGraph{"uniform", "edges to vertices drawn uniformly, degrees alike"};
inline constexpr InputKind kPowerLawGraph{"power-law", "few vertices with very many neighbours (R-MAT)"};
inline constexpr InputKind kRoadGraph{"road", "like a road map: a grid with edges missing, long paths"};
inline constexpr InputKind kGridGraph{"grid", "a square grid with four neighbours each, as ecology1"};
inline constexpr InputKind kCircuitGraph{"circuit", "a mesh of low degree with some diagonals, as G3_circuit"};
inline constexpr InputKind kAuthorsGraph{"co-authors",
                                         "degrees by a power law up to 336, half of the edges near, as coAuthorsDBLP"};

/// A graph of request.elements vertices of the kind that the request names. `average_degree` is for uniform and
/// power-law graphs; of the others it follows from what they are.
[[nodiscard]] CsrGraph make_graph(const Request& request, std::uint32_t average_degree);

}  // namespace heddle::workloads
