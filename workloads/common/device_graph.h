// A graph in device memory.
#pragma once

#include "runtime/device.h"
#include "workloads/common/graph.h"

namespace heddle::workloads {

struct DeviceGraph {
  runtime::DeviceArray<std::uint32_t> row_start;
  runtime::DeviceArray<std::uint32_t> neighbour;  ///< one entry more, so that a graph without edges has an address too

  DeviceGraph(runtime::Device& device, const CsrGraph& graph)
      : row_start(device, graph.row_start), neighbour(device, with_spare(graph.neighbour)) {}

 private:
  static std::vector<std::uint32_t> with_spare(std::vector<std::uint32_t> values) {
    values.push_back(0);
    return values;
  }
};

/// Different priorities for the vertices, in random order: what decides who goes first in colouring and sets.
[[nodiscard]] std::vector<std::int32_t> random_priorities(std::uint32_t vertices, std::uint64_t seed);

}  // namespace heddle::workloads
