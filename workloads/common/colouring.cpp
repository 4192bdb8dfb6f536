#include "workloads/common/colouring.h"

#include "workloads/common/compare.h"
#include "workloads/common/graph_inputs.h"
#include "workloads/common/host.h"

namespace heddle::workloads {
namespace {

constexpr std::uint32_t kAverageDegree = 8;

std::vector<std::int32_t> reference(const CsrGraph& graph, const std::vector<std::int32_t>& priority,
                                    ColourFirst first) {
  const std::uint32_t vertices = graph.vertices();
  const bool two_colours = first == ColourFirst::largest_and_smallest;
  std::vector<std::int32_t> colour(vertices, -1);
  bool again = true;
  for (std::int32_t round = 0; again; ++round) {
    again = false;
    std::vector<std::int32_t> next = colour;
    for (std::uint32_t v = 0; v < vertices; ++v) {
      if (colour[v] >= 0) continue;
      bool largest = true;
      bool smallest = two_colours;
      for (std::uint32_t e = graph.row_start[v]; e < graph.row_start[v + 1]; ++e) {
        const std::uint32_t w = graph.neighbour[e];
        if (colour[w] >= 0) continue;
        again = true;
        largest = largest && priority[v] > priority[w];
        smallest = smallest && priority[v] < priority[w];
      }
      if (largest) {
        next[v] = two_colours ? 2 * round : round;
      } else if (smallest) {
        next[v] = 2 * round + 1;
      }
    }
    colour = std::move(next);
  }
  return colour;
}

}  // namespace

Colouring::Colouring(runtime::Device& on, const Request& request)
    : device(on),
      vertices(static_cast<std::uint32_t>(request.elements)),
      graph(make_graph(request, kAverageDegree)),
      priority(random_priorities(vertices, request.seed)),
      on_device(device, graph),
      device_priority(device, priority),
      colour(device, std::vector<std::int32_t>(vertices, -1)),
      grid{blocks_for(vertices, kBlock)} {}

Outcome Colouring::run(ColourFirst first, const Round& launch_round) const {
  runtime::DeviceArray<std::int32_t> again(device, 1);
  std::int32_t round = 0;
  do {
    again.fill(0);
    launch_round(round++, again.address());
  } while (again.download()[0] != 0);
  return compare_exact(reference(graph, priority, first), colour.download(), "colours");
}

}  // namespace heddle::workloads
