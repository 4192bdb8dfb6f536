// What an SM is made of, as parameters.
#pragma once

#include "core/carveout.h"
#include "core/coalescer.h"
#include "core/fence_parameters.h"
#include "core/mmu_parameters.h"
#include "core/opcode_timing.h"
#include "core/operand_storage.h"
#include "core/regless_parameters.h"
#include "core/shared_memory.h"
#include "core/spill_parameters.h"
#include "core/warp_scheduler.h"
#include "core/write_policy.h"
#include "exec/divergence_registry.h"
#include "memory/cache.h"
#include "sim/parameter.h"

namespace heddle::core {

/// A kind of execution pipeline.
struct UnitParameters : sim::ParameterGroup {
  UnitParameters(sim::ParameterGroup& parent, std::string key, std::string text, unsigned pipe_count,
                 unsigned issue_interval, unsigned result_latency)
      : ParameterGroup(parent, std::move(key), std::move(text)),
        pipes(*this, "pipes", pipe_count, {1, 16}, "pipes", "Pipelines of this kind in an SM."),
        interval(*this, "interval", issue_interval, {1, 256}, "core cycles",
                 "A pipe takes a new instruction this often."),
        latency(*this, "latency", result_latency, {1, 500}, "core cycles", "From dispatch to result.") {}
  sim::Parameter<unsigned> pipes;
  sim::Parameter<unsigned> interval;
  sim::Parameter<unsigned> latency;
};

struct L1Parameters : memory::CacheParameters {
  using CacheParameters::CacheParameters;
  sim::Parameter<unsigned> lifetime_step = memory::make_lifetime_step(*this);
  sim::Flag enabled{*this, "enabled", true,
                    "Cache global loads; off: they go to the L2 (local memory is always cached)."};
  sim::Parameter<unsigned> ports{*this, "ports", 1, {1, 32}, "lines", "Lines looked up per core cycle."};
  sim::Parameter<unsigned> banks{
      *this,   "banks", 1,
      {1, 64}, "banks", "Lines of one bank are looked up one per cycle; 1: every port reaches every line."};
  sim::Parameter<unsigned> data_banks{
      *this,
      "data_banks",
      0,
      {0, 64},
      "banks",
      "Of a load, lines are looked up no faster than so many banks of four bytes, interleaved in "
      "a line, serve its words; 0: data have no banks. A store goes line by line."};
  sim::Parameter<unsigned> misses{*this, "misses", 32, {1, 32}, "lines", "Loads that may miss per core cycle."};
  sim::Plug<WritePolicyRegistry> writes{*this, "writes", "evict", "What a global store does to the L1."};
  sim::Flag invalidation_filter{*this, "invalidation_filter", true,
                                "Of a virtual L1: a page that goes empties the L1 only if it has lines of the page."};
  sim::Choice allocate{*this,
                       "allocate",
                       "on-miss",
                       {"on-miss", "on-fill"},
                       "When a missing line takes its place: when it is asked for, or when it comes."};
};

struct SmParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<unsigned> warps{*this, "warps", 48, {1, 64}, "warps", "Warp contexts."};
  sim::Parameter<unsigned> blocks{*this, "blocks", 8, {1, 64}, "blocks", "Thread blocks resident at once."};
  sim::Parameter<unsigned> registers{*this, "registers", 32768, {1024, 1048576}, "32-bit registers", "Register file."};
  sim::Parameter<unsigned> register_granule{
      *this, "register_granule", 64, {1, 4096}, "registers", "A warp's registers are allocated in multiples of this."};
  sim::Parameter<unsigned> shared_kib{*this, "shared_kib", 48, {1, 1024}, "KiB", "Shared memory."};
  sim::Parameter<unsigned> schedulers{*this,  "schedulers", 2,
                                      {1, 4}, "schedulers", "Warp schedulers; warp w belongs to scheduler w mod this."};
  sim::Parameter<unsigned> issue_width{
      *this,  "issue_width",  1,
      {1, 2}, "instructions", "Instructions that a scheduler may issue per cycle, from one warp."};
  sim::Plug<SchedulerRegistry> scheduler{*this, "scheduler", "gto", "How a scheduler chooses among ready warps."};
  sim::Plug<CoalescerRegistry> coalescer{*this, "coalescer", "intra",
                                         "What lies between the load/store unit's queue and the L1."};
  sim::Flag merge_study{*this, "merge_study", false,
                        "Count what merging lines of several loads would save at best, by the size of a window."};
  sim::Flag waiting_study{*this, "waiting_study", false,
                          "Count memory instructions that wait to issue, and what issues while the L1 is full."};
  sim::Plug<OperandStorageRegistry> operands{*this, "operands", "file", "Where operands come from and results go."};
  RegLessParameters regless{*this, "regless",
                            "Staged registers: sm.operands = regless, and the regions of code for it."};
  SpillParameters spill{*this, "spill",
                        "A small file in fixed shares: sm.operands = spill, and the compiler's limit for it."};
  sim::Parameter<unsigned> renamed_registers{
      *this,
      "renamed_registers",
      1024,
      {64, 65536},
      "registers",
      "Physical registers of a warp with sm.operands = rfv: half of a file of 2048 (RegLess, section 4.6.1)."};
  sim::Parameter<unsigned> cached_registers{
      *this,   "cached_registers", 6,
      {1, 32}, "registers",        "Of each warp, with sm.operands = rfcache (Gebhart et al., ISCA 2011)."};
  sim::Parameter<unsigned> operand_file{
      *this,   "operand_file", 3,
      {1, 64}, "registers",    "Entries of a warp's operand file with sm.operands = rfh (RegLess, Figure 4.3 has 8)."};
  sim::Plug<exec::DivergenceRegistry> divergence{
      *this,
      "divergence",
      "auto",
      "How lanes of a warp go different ways; auto: independent from compute capability 7.0 on, else stack.",
      {"auto"}};
  sim::Parameter<unsigned> collectors{
      *this,   "collectors", 16,
      {1, 64}, "units",      "Operand collectors: instructions that may wait for operands or a pipe."};
  sim::Parameter<unsigned> register_banks{
      *this,   "register_banks", 16,
      {1, 64}, "banks",          "Banks of the register file, each reads one warp-wide register per cycle."};
  sim::Parameter<unsigned> branch_latency{
      *this,    "branch_latency", 8,
      {1, 100}, "core cycles",    "From issue of a branch to the next instruction of its warp."};
  sim::Parameter<unsigned> meeting_latency{
      *this,
      "meeting_latency",
      0,
      {0, 1000},
      "core cycles",
      "After a path of a divergent branch has come to where it meets others, until they go on."};
  sim::Parameter<unsigned> barrier_latency{
      *this,    "barrier_latency", 0,
      {0, 500}, "core cycles",     "From the last arrival at a block's barrier to the next instruction."};
  sim::Parameter<unsigned> barrier_interval{
      *this,   "barrier_interval", 0,
      {0, 50}, "core cycles",      "A barrier takes the arrival of a warp of its block this often."};
  sim::Text opcodes{*this,
                    "opcodes",
                    "",
                    OpcodeTimings::check,
                    "NAME=LATENCY/INTERVAL/INSTRUCTIONS, separated by spaces",
                    "Instructions that differ from their pipeline's latency and interval, or that are sequences of "
                    "several; names as heddle disasm shows them, the first that matches counts."};
  sim::Text long_ways{
      *this,
      "long_ways",
      "",
      OpcodeTimings::check_long_ways,
      "NAME=LATENCY/INTERVAL/INSTRUCTIONS, separated by spaces",
      "Divisions, reciprocals and roots that take longer where a lane's operands are very large or small, "
      "or zero: what they then take, as in opcodes. Those that are not named always take the same."};
  sim::Parameter<unsigned> instruction_bytes{
      *this, "instruction_bytes", 8, {4, 16}, "bytes", "Size of an instruction in memory."};
  sim::Parameter<unsigned> fetch_latency{
      *this,    "fetch_latency", 4,
      {1, 100}, "core cycles",   "From instruction-cache access to instructions in the warp's buffer."};
  sim::Parameter<unsigned> instruction_kib{*this, "instruction_kib", 4, {1, 512}, "KiB", "Instruction cache."};
  sim::Parameter<unsigned> instruction_prefetch{
      *this,   "instruction_prefetch",
      0,       {0, 64},
      "lines", "Lines that are fetched ahead of one that misses in the instruction cache."};
  sim::Parameter<unsigned> instruction_mshrs{
      *this, "instruction_mshrs", 16, {1, 1024}, "lines", "Lines that may be missing in the instruction cache."};
  sim::Parameter<unsigned> constant_kib{*this, "constant_kib", 8, {1, 512}, "KiB", "Constant cache."};
  sim::Parameter<unsigned> constant_mshrs{
      *this, "constant_mshrs", 16, {1, 1024}, "lines", "Lines that may be missing in the constant cache."};
  sim::Parameter<unsigned> constant_latency{*this,    "constant_latency", 20,
                                            {1, 500}, "core cycles",      "A load that hits the constant cache."};
  sim::Parameter<unsigned> constant_word_interval{
      *this,
      "constant_word_interval",
      0,
      {0, 100},
      "core cycles",
      "For each further word that lanes of a constant load want; 0: a cycle for each further line."};
  sim::Parameter<unsigned> parameter_latency{
      *this,    "parameter_latency", 0,
      {0, 500}, "core cycles",       "Until an SM has the parameters of a kernel that its first instruction asks for."};
  sim::Parameter<unsigned> first_access_latency{
      *this,
      "first_access_latency",
      0,
      {0, 5000},
      "core cycles",
      "What the first access of a kernel to global memory on an SM takes longer: a translation that is not there yet."};
  sim::Parameter<unsigned> shared_latency{*this,    "shared_latency", 26,
                                          {1, 500}, "core cycles",    "A shared-memory load without bank conflicts."};
  sim::Parameter<unsigned> shared_banks{*this,   "shared_banks", 32,
                                        {1, 64}, "banks",        "Banks of shared memory, four bytes wide."};
  sim::Parameter<unsigned> memory_queue{
      *this, "memory_queue", 8, {1, 64}, "instructions", "Memory instructions that may wait for the load/store unit."};
  sim::Parameter<unsigned> address_interval{
      *this,   "address_interval", 2,
      {1, 32}, "core cycles",      "The load/store unit takes a memory instruction this often."};

  UnitParameters integer{*this, "integer", "Integer, logic, comparison and move instructions.", 2, 1, 18};
  UnitParameters single{*this, "single", "Single and half precision arithmetic.", 2, 1, 18};
  UnitParameters dual{*this, "double", "Double precision arithmetic.", 1, 8, 24};
  UnitParameters special{*this, "special", "Reciprocals, roots, transcendentals, division.", 1, 8, 24};
  L1Parameters l1{*this, "l1", "The L1 data cache."};
  FenceParameters fence{*this, "fence", "Fences."};
  CarveoutParameters carveout{*this, "carveout", "Shared memory and the L1 from one array."};
  SharedMemoryParameters shared{*this, "shared", "Conflicts and atomics in shared memory."};
  MmuParameters mmu{*this, "mmu", "Address translation in an SM."};

  /// Whether operand storage follows the regions of code.
  [[nodiscard]] bool runs_regions() const { return operands.is("regless") || operands.is("rfv") || operands.is("rfh"); }
};

}  // namespace heddle::core
