// A whole GPU as parameters: the root of a machine description (presets/gpus/*.toml).
#pragma once

#include "core/parameters.h"
#include "memory/address_map.h"
#include "memory/dram_parameters.h"
#include "memory/network.h"
#include "memory/partition.h"

namespace heddle::gpu {

struct GpuParameters : sim::ParameterGroup {
  sim::Parameter<unsigned> sms{*this, "sms", 15, {1, 256}, "SMs", "Streaming multiprocessors."};
  sim::Parameter<unsigned> core_mhz{
      *this, "core_mhz", 700, {1, 10000}, "MHz", "Clock of the SMs and the network; cycles are counted in it."};
  core::SmParameters sm{*this, "sm", "A streaming multiprocessor."};
  memory::NetworkParameters network{*this, "network", "The crossbar between SMs and memory partitions."};
  memory::AddressMapParameters memory{*this, "memory", "How addresses spread over the memory partitions."};
  memory::L2Parameters l2{*this, "l2", "The L2 slice of a memory partition."};
  memory::DramParameters dram{*this, "dram", "The DRAM channel of a memory partition."};

  /// Throws UserError that says how values do not fit together.
  void check() const;
  /// Bytes per second of all channels together.
  [[nodiscard]] double peak_bandwidth() const { return dram.peak_bandwidth() * memory.partitions; }
};

}  // namespace heddle::gpu
