// The network and DRAM.
#include "energy/report.h"

namespace heddle::energy {
namespace {

void describe_memory(Report& report) {
  const gpu::GpuParameters& gpu = report.gpu();
  const double network_bits = 8 * (report.count("gpu.sm.bytes_out") + report.count("gpu.sm.bytes_in"));
  report.add_logic("network", "wires", network_bits, gpu.energy.wire * gpu.energy.network_mm);
  report.add_events("dram", "rows opened", report.count("gpu.dram.activates"),
                    gpu.energy.dram.activate * gpu.dram.row_bytes);
  const double burst_bits = 8.0 * gpu.dram.bus_bytes * gpu.dram.burst_length;
  report.add_events("dram", "bursts", report.count("gpu.dram.reads") + report.count("gpu.dram.writes"),
                    gpu.energy.dram.bit * burst_bits);
  report.add_power("dram", "background", gpu.energy.dram.background * gpu.memory.partitions);
}

[[maybe_unused]] const bool kRegisteredMemory = register_component("memory", describe_memory);

}  // namespace
}  // namespace heddle::energy
