// What an SM counts.
#pragma once

#include <array>

#include "sim/statistic.h"

namespace heddle::core {

/// Where an issue slot went. Each scheduler has `issue_width` slots per cycle; only the first counts here.
// clang-format off
enum class Slot : std::uint8_t {
  issued, no_warp, fetch, barrier, memory_data, result, memory_order, pipe_busy, memory_queue, policy, operands, count_,
};
// clang-format on

struct SmStatistics : sim::StatisticGroup {
  SmStatistics(sim::StatisticGroup& parent, const std::string& name) : StatisticGroup(parent, name) {}

  sim::Counter active_cycles{*this, "active_cycles", "core cycles", "Cycles with at least one resident warp."};
  sim::ApplicationCounter instructions{*this, "instructions", "warp instructions", "Warp instructions issued."};
  sim::ApplicationCounter thread_instructions{*this, "thread_instructions", "thread instructions",
                                              "Lanes that executed an instruction."};
  sim::ApplicationCounter warp_cycles{*this, "warp_cycles", "warp cycles",
                                      "Resident warps, summed over active cycles: divide for occupancy."};
  sim::ApplicationCounter blocks{*this, "blocks", "blocks", "Thread blocks run to their end."};
  sim::Counter slot_issued{*this, "slot_issued", "issue slots", "Slots in which an instruction issued."};
  sim::Counter slot_no_warp{*this, "slot_no_warp", "issue slots", "Slots of a scheduler without a live warp."};
  sim::Counter slot_fetch{*this, "slot_fetch", "issue slots", "All warps waited for instructions."};
  sim::Counter slot_barrier{*this, "slot_barrier", "issue slots", "All warps waited at barriers or fences."};
  sim::Counter slot_memory_data{*this, "slot_memory_data", "issue slots", "A warp waited for data from memory."};
  sim::Counter slot_result{*this, "slot_result", "issue slots",
                           "A warp waited for the result of an arithmetic instruction."};
  sim::Counter slot_memory_order{*this, "slot_memory_order", "issue slots",
                                 "A warp waited for an atomic of its own to the same bytes."};
  sim::Counter slot_pipe_busy{*this, "slot_pipe_busy", "issue slots",
                              "Ready warps, but their pipelines or operand collectors were taken."};
  sim::Counter slot_memory_queue{*this, "slot_memory_queue", "issue slots",
                                 "Ready warps, but the load/store unit's queue was full."};
  sim::Counter slot_policy{*this, "slot_policy", "issue slots", "Ready warps that the scheduler chose not to issue."};
  sim::Counter slot_operands{*this, "slot_operands", "issue slots",
                             "Ready warps whose registers operand storage did not have ready."};
  sim::ApplicationCounter register_reads{*this, "register_reads", "registers",
                                         "General registers of a warp that instructions read, 32 lanes each."};
  sim::ApplicationCounter register_writes{*this, "register_writes", "registers", "Likewise written."};
  /// In the order of the pipelines' UnitKind.
  std::array<sim::ApplicationCounter, 4> pipe_lanes{
      sim::ApplicationCounter{*this, "integer_lanes", "lanes", "Lanes of integer, logic and move instructions."},
      sim::ApplicationCounter{*this, "single_lanes", "lanes", "Of single and half precision."},
      sim::ApplicationCounter{*this, "double_lanes", "lanes", "Of double precision."},
      sim::ApplicationCounter{*this, "special_lanes", "lanes", "Of special functions."}};
  sim::Counter bank_conflicts{*this, "bank_conflicts", "core cycles",
                              "Extra cycles to read operands because of register bank conflicts."};
  sim::ApplicationCounter shared_accesses{*this, "shared_accesses", "instructions", "Shared-memory instructions."};
  sim::ApplicationCounter shared_lanes{*this, "shared_lanes", "lanes", "Lanes of those."};
  sim::ApplicationCounter shared_conflicts{*this, "shared_conflicts", "core cycles",
                                           "Extra cycles because lanes met in a bank of shared memory."};
  sim::ApplicationCounter memory_instructions{*this, "memory_instructions", "instructions",
                                              "Global and local memory instructions."};
  sim::ApplicationCounter memory_lanes{*this, "memory_lanes", "lanes", "Lanes of those."};
  sim::ApplicationCounter line_requests{*this, "line_requests", "lines",
                                        "Lines those instructions touched after coalescing."};
  sim::ApplicationCounter page_requests{*this, "page_requests", "pages", "4 KiB pages those instructions touched."};
  sim::ApplicationCounter issue_slots{
      *this, "issue_slots", "slots",
      "Issue slots that instructions took: those of a sequence as many as it has (sm.opcodes)."};
  sim::ApplicationCounter long_ways{*this, "long_ways", "instructions",
                                    "Divisions, reciprocals and roots that took their longer way (sm.long_ways)."};
  sim::ApplicationCounter instruction_misses{*this, "instruction_misses", "lines", "Instruction-cache misses."};
  sim::ApplicationCounter instruction_prefetches{*this, "instruction_prefetches", "lines",
                                                 "Lines fetched ahead into the instruction cache."};
  sim::ApplicationCounter constant_misses{*this, "constant_misses", "lines", "Constant-cache misses."};
  sim::ApplicationCounter l1_lines{*this, "l1_lines", "lines",
                                   "Lines that went to the L1, of loads, stores and atomics."};
  sim::Counter l1_cycles{*this, "l1_cycles", "core cycles", "In which one or more did."};
  sim::ApplicationCounter l1_reads{*this, "l1_reads", "lines", "Loads looked up in the L1."};
  sim::ApplicationCounter l1_hits{*this, "l1_hits", "lines", "Of those, hits."};
  sim::ApplicationCounter l1_walked{*this, "l1_walked", "lines",
                                    "Of loads, those whose translation had missed the TLB."};
  sim::ApplicationCounter l1_walked_hits{*this, "l1_walked_hits", "lines", "Of those, hits."};
  sim::ApplicationCounter l1_fills{*this, "l1_fills", "lines", "Misses that have been answered, in whole."};
  sim::ApplicationCounter l1_miss_latency{*this, "l1_miss_latency", "core cycles",
                                          "From miss to answer, summed over those."};
  sim::ApplicationCounter l1_merged{*this, "l1_merged", "lines", "Misses that joined one in flight."};
  sim::ApplicationCounter l1_bypassed{*this, "l1_bypassed", "lines", "Loads that went around the L1."};
  sim::Counter l1_page_probes{*this, "l1_page_probes", "probes", "Pages that a virtual L1 was told to give up."};
  sim::ApplicationCounter l1_renamed{*this, "l1_renamed", "lines",
                                     "Lines of loads that were looked for under the leading name of their frame."};
  sim::Counter l1_resized{*this, "l1_resized", "times",
                          "Times the L1's room changed for another kernel's shared memory (sm.carveout)."};
  sim::ApplicationCounter l1_denied{*this, "l1_denied", "lines",
                                    "Stores that found their line in a virtual L1 and must not write it."};
  sim::Counter l1_page_flushes{*this, "l1_page_flushes", "probes", "Of those, the ones that emptied the L1."};
  sim::ApplicationCounter l1_writes{*this, "l1_writes", "lines", "Stores that stayed in a write-back L1."};
  sim::ApplicationCounter l1_writebacks{*this, "l1_writebacks", "lines",
                                        "Lines whose dirty data the L1 wrote to the L2."};
  sim::ApplicationCounter stores{*this, "stores", "lines", "Lines written to the L2, write-backs of the L1 included."};
  sim::ApplicationCounter atomics{*this, "atomics", "lines", "Lines with atomics sent to the L2."};
  sim::ApplicationCounter stall_miss_table{*this, "stall_miss_table", "core cycles",
                                           "The load/store unit waited for a miss entry."};
  sim::ApplicationCounter stall_merge{*this, "stall_merge", "core cycles",
                                      "The load/store unit waited because a miss had its most waiters."};
  sim::ApplicationCounter stall_reserved{*this, "stall_reserved", "core cycles",
                                         "The load/store unit waited because every way of a set waits for a fill."};
  sim::ApplicationCounter stall_network{*this, "stall_network", "core cycles",
                                        "The load/store unit waited for the network queue."};
  sim::ApplicationCounter stall_writeback{
      *this, "stall_writeback", "core cycles",
      "The load/store unit waited while the L1 wrote back a dirty line in its way."};
  sim::ApplicationCounter stall_bank{*this, "stall_bank", "core cycles",
                                     "The load/store unit waited because two of its lines are in one bank of the L1."};
  sim::ApplicationCounter stall_registers{*this, "stall_registers", "core cycles",
                                          "The load/store unit waited because registers had the L1 first."};
  sim::ApplicationCounter stall_constant{*this, "stall_constant", "core cycles",
                                         "The load/store unit waited for a miss entry of the constant cache."};
  sim::ApplicationCounter bytes_out{*this, "bytes_out", "bytes", "Data bytes sent to the memory partitions."};
  sim::ApplicationCounter bytes_in{*this, "bytes_in", "bytes", "Data bytes received from the memory partitions."};
  sim::ApplicationCounter load_latency{*this, "load_latency", "core cycles",
                                       "From issue to data, summed over global loads."};
  sim::ApplicationCounter loads{*this, "loads", "instructions", "Global loads that got their data."};
  sim::ApplicationCounter outstanding{*this, "outstanding", "line cycles",
                                      "Lines of global and local memory instructions on their way between load/store "
                                      "unit and memory, summed over cycles."};
  sim::ApplicationCounter contexts_saved{*this, "contexts_saved", "blocks",
                                         "Blocks whose context was written to memory."};
  sim::ApplicationCounter contexts_restored{*this, "contexts_restored", "blocks",
                                            "Blocks whose context was read from memory."};
  sim::ApplicationCounter context_bytes{*this, "context_bytes", "bytes", "Contexts written and read."};
};

}  // namespace heddle::core
