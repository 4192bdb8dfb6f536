// A whole GPU as parameters: the root of a machine description (presets/gpus/*.toml).
#pragma once

#include "core/parameters.h"
#include "gpu/energy_parameters.h"
#include "gpu/sharing_policy.h"
#include "memory/address_map.h"
#include "memory/dram_parameters.h"
#include "memory/l2_parameters.h"
#include "memory/network.h"
#include "vm/managed_parameters.h"
#include "vm/shared_translation.h"
#include "vm/virtual_memory.h"

namespace heddle::gpu {

/// PCI Express between host and GPU. Each direction carries one copy at a time.
struct LinkParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<unsigned> generation{
      *this, "generation", 3, {0, 6}, "", "PCI Express generation; 0: copies between host and GPU take no time."};
  sim::Parameter<unsigned> lanes{*this, "lanes", 16, {1, 32}, "lanes", "Lanes of the link."};
  sim::Parameter<double> efficiency{
      *this,       "efficiency", 0.8,
      {0.01, 1.0}, "",           "Share of the raw rate that carries data; the rest is headers and acknowledgements."};
  sim::Parameter<unsigned> latency_ns{*this,        "latency_ns", 1000,
                                      {0, 1000000}, "ns",         "From the start of a copy to its first byte."};

  /// Nanoseconds that a copy of that many bytes takes.
  [[nodiscard]] double copy_ns(std::uint64_t bytes) const;
};

/// What it costs to start and end kernels and blocks.
struct LaunchParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<unsigned> latency{*this,       "latency",     0,
                                   {0, 100000}, "core cycles", "From the turn of a kernel to its first block."};
  sim::Parameter<unsigned> drain{*this,
                                 "drain",
                                 0,
                                 {0, 100000},
                                 "core cycles",
                                 "From the end of a kernel's last block to the end of the kernel, as it is counted; "
                                 "the next kernel does not wait for it."};
  sim::Parameter<unsigned> drain_overlap{
      *this,       "drain_overlap", 0,
      {0, 100000}, "core cycles",   "Of the drain, what goes on beside what the last warps' stores still take."};
  sim::Parameter<double> block_interval{*this,
                                        "block_interval",
                                        0,
                                        {0, 100},
                                        "core cycles",
                                        "The whole GPU starts a block this often; 0: any "
                                        "number at once."};
};

/// How programs are compiled for it.
struct CompilerParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<unsigned> free_registers{*this,
                                          "free_registers",
                                          18,
                                          {1, 255},
                                          "registers",
                                          "So many registers of a thread cost no occupancy: the compiler uses them to "
                                          "start loads early. By default a number that costs none on any GPU."};
  sim::Parameter<unsigned> latency_warps{
      *this,
      "latency_warps",
      0,
      {0, 64},
      "warps",
      "So many warps of an SM are thought to hide latencies: the compiler takes more registers where that "
      "shortens loops by more than the warps cost that they leave no room for. 0: it never does."};
  sim::Flag branching_divisions{*this, "branching_divisions", false,
                                "Divisions, reciprocals and roots that round correctly, and divisions of 64-bit "
                                "integers, have a branch to a longer way: the "
                                "compiler moves nothing across one, and does not unroll its loop."};
  sim::Parameter<unsigned> unroll{
      *this,   "unroll", 1,
      {1, 16}, "rounds", "Most rounds of a small counted loop that the compiler puts one after the other; 1: none."};
  sim::Parameter<unsigned> predicate{
      *this,
      "predicate",
      0,
      {0, 64},
      "instructions",
      "Most instructions that the compiler puts under a predicate instead of a branch round them."};
  sim::Flag fold_offsets{*this, "fold_offsets", false,
                         "The compiler takes constants that are added to addresses into the offsets of loads and "
                         "stores; those at different offsets of one address may change places."};
  sim::Flag combine_loads{*this, "combine_loads", false,
                          "The compiler loads a word of shared or constant memory once where nothing may have changed "
                          "it, and up to four that lie side by side with one instruction."};
  sim::Flag spread_banks{*this, "spread_banks", false,
                         "Registers are numbered so that those an instruction reads, and those used near each other, "
                         "lie in different banks: of staging units with sm.operands = regless, else of the file."};
};

struct GpuParameters : sim::ParameterGroup {
  sim::Parameter<unsigned> sms{*this, "sms", 15, {1, 256}, "SMs", "Streaming multiprocessors."};
  sim::Parameter<unsigned> core_mhz{
      *this, "core_mhz", 700, {1, 10000}, "MHz", "Clock of the SMs and the network; cycles are counted in it."};
  sim::Parameter<unsigned> kernels{*this,     "kernels", 16,
                                   {1, 1024}, "kernels", "Kernels that may run at the same time."};
  sim::Parameter<unsigned> compute_capability{
      *this, "compute_capability", 75, {10, 200}, "", "What programs are told, times ten: 90 for 9.0."};
  sim::Parameter<unsigned> watchdog{*this,
                                    "watchdog",
                                    200000,
                                    {0, 1000000000},
                                    "core cycles",
                                    "A run in which no instruction issues and no request of a program gets further "
                                    "for so long is given up; 0: never."};
  sim::Flag check_lines{*this, "check_lines", false,
                        "A checked run: every write is followed to the reads that must see it, and one that gets "
                        "another line's data or an old one's ends the run. Slow."};
  sim::Parameter<unsigned> memory_mib{
      *this,         "memory_mib", 65536,
      {64, 1048576}, "MiB",        "Device memory: what CUDA programs are told of, and all that they may allocate."};
  core::SmParameters sm{*this, "sm", "A streaming multiprocessor."};
  memory::NetworkParameters network{*this, "network", "The crossbar between SMs and memory partitions."};
  memory::AddressMapParameters memory{*this, "memory", "How addresses spread over the memory partitions."};
  memory::L2Parameters l2{*this, "l2", "The L2 slice of a memory partition."};
  memory::DramParameters dram{*this, "dram", "The DRAM channel of a memory partition."};
  vm::VmParameters vm{*this, "vm", "Virtual memory: pages, frames, faults. Used when sm.mmu.kind is not none."};
  vm::SharedMmuParameters mmu{*this, "mmu", "The translation unit that SMs share. Used when sm.mmu.walks is shared."};
  CompilerParameters compiler{*this, "compiler", "How programs are compiled for it."};
  LaunchParameters launch{*this, "launch", "Start and end of kernels and blocks."};
  SharingParameters sharing{*this, "sharing", "How several applications share the SMs."};
  LinkParameters link{*this, "link", "The link to the host, which copies use."};
  vm::ManagedParameters managed{*this, "managed", "Managed memory whose pages migrate between host and device."};
  EnergyParameters energy{*this, "energy", "What energy and area are calculated from."};

  /// Throws UserError that says how values do not fit together.
  void check() const;
  [[nodiscard]] bool translates() const { return !sm.mmu.kind.is("none"); }
  [[nodiscard]] bool shares_mmu() const {
    return (sm.mmu.kind.is("tlb") && sm.mmu.walks.is("shared")) || sm.mmu.virtual_l1();
  }
  /// How the lanes of its warps diverge: what sm.divergence names, or what `auto` means for this GPU.
  [[nodiscard]] std::string divergence() const;
  /// Bytes per second of all channels together.
  [[nodiscard]] double peak_bandwidth() const { return dram.peak_bandwidth() * memory.partitions; }
};

}  // namespace heddle::gpu
