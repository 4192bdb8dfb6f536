#include "workloads/common/graph_inputs.h"

#include "base/check.h"

namespace heddle::workloads {

CsrGraph make_graph(const Request& request, std::uint32_t average_degree) {
  const auto vertices = static_cast<std::uint32_t>(request.elements);
  if (request.input == kUniformGraph.name) return uniform_graph(vertices, average_degree, request.seed);
  if (request.input == kPowerLawGraph.name) return rmat_graph(vertices, average_degree, request.seed);
  if (request.input == kRoadGraph.name) return road_graph(vertices, request.seed);
  if (request.input == kGridGraph.name) return grid_graph(vertices);
  if (request.input == kCircuitGraph.name) return circuit_graph(vertices, request.seed);
  if (request.input == kAuthorsGraph.name) return authors_graph(vertices, request.seed);
  HEDDLE_CHECK(false, "a workload names a kind of graph that nobody makes");
  return {};
}

}  // namespace heddle::workloads
