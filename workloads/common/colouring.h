// The host program of the graph colourings, round by round. Priorities differ, so the
// colours are unique: exact.
#pragma once

#include <functional>

#include "workloads/common/device_graph.h"
#include "workloads/workload.h"

namespace heddle::workloads {

/// Who gets a colour in a round: the vertex with the largest priority among its neighbours; the one with the smallest,
/// too.
enum class ColourFirst : std::uint8_t { largest, largest_and_smallest };

struct Colouring {
  Colouring(runtime::Device& on, const Request& request);

  /// Launches a round; sets the word at `again` if it meets a neighbour without a colour.
  using Round = std::function<void(std::int32_t round, runtime::DeviceAddress again)>;
  /// Launches rounds until one does not set `again`, and compares with a reference.
  [[nodiscard]] Outcome run(ColourFirst first, const Round& launch_round) const;

  static constexpr std::uint32_t kBlock = 256;
  runtime::Device& device;
  std::uint32_t vertices;
  CsrGraph graph;
  std::vector<std::int32_t> priority;
  DeviceGraph on_device;
  runtime::DeviceArray<std::int32_t> device_priority;
  runtime::DeviceArray<std::int32_t> colour;  ///< -1: none yet
  Dim3 grid;
};

}  // namespace heddle::workloads
