// The parameters of one DRAM channel: organisation, timing, controller.
//
// Timings are named as in the JEDEC standards and counted in cycles of the command clock (`clock_mhz`). A timing of two
// values has _S for different bank groups and _L for the same one; without bank groups (bank_groups = 1) only _L is
// used. Powers of two where an address is cut into fields; check() says what does not fit together.
#pragma once

#include <string>

#include "memory/admission.h"
#include "memory/scheduler/scheduler.h"
#include "sim/parameter.h"

namespace heddle::memory {

/// What is wrong with an address mapping text, apart from sizes; empty if nothing is.
[[nodiscard]] std::string check_mapping_text(const std::string& text);

struct DramParameters : sim::ParameterGroup {
  using sim::ParameterGroup::ParameterGroup;
  template <typename T>
  using Parameter = sim::Parameter<T>;

  // Organisation. The defaults are presets/dram/gddr5.toml.
  Parameter<double> clock_mhz{*this,      "clock_mhz", 1500,
                              {1, 20000}, "MHz",       "Command clock, in which all timings are counted."};
  Parameter<unsigned> bus_bytes{*this, "bus_bytes", 8, {1, 256}, "bytes", "Width of the data bus of the channel."};
  Parameter<unsigned> burst_length{*this,   "burst_length", 8,
                                   {1, 64}, "beats",        "Beats of one burst; a request is one burst."};
  Parameter<unsigned> burst_cycles{*this,   "burst_cycles", 2,
                                   {1, 64}, "cycles",       "Cycles one burst occupies the data bus."};
  Parameter<unsigned> ranks{*this,  "ranks", 1,
                            {1, 8}, "ranks", "Ranks (or stack levels) that share the bus; each refreshes by itself."};
  Parameter<unsigned> bank_groups{*this, "bank_groups", 4, {1, 16}, "groups", "Bank groups of a rank."};
  Parameter<unsigned> banks_per_group{*this, "banks_per_group", 4, {1, 64}, "banks", "Banks of a bank group."};
  Parameter<unsigned> row_bytes{*this,       "row_bytes", 4096,
                                {64, 65536}, "bytes",     "Bytes of a row over the whole bus width."};

  // Timing.
  Parameter<unsigned> tCL{*this, "tCL", 24, {1, 200}, "cycles", "Read command to its first data."};
  Parameter<unsigned> tCWL{*this, "tCWL", 7, {1, 200}, "cycles", "Write command to its first data."};
  Parameter<unsigned> tRCD_read{*this, "tRCD_read", 18, {1, 200}, "cycles", "Activate to read."};
  Parameter<unsigned> tRCD_write{*this, "tRCD_write", 15, {1, 200}, "cycles", "Activate to write."};
  Parameter<unsigned> tRP{*this, "tRP", 18, {1, 200}, "cycles", "Precharge to activate."};
  Parameter<unsigned> tRAS{*this, "tRAS", 42, {1, 400}, "cycles", "Activate to precharge."};
  Parameter<unsigned> tRC{*this, "tRC", 60, {1, 600}, "cycles", "Activate to activate of the same bank."};
  Parameter<unsigned> tCCD_S{*this,   "tCCD_S", 2,
                             {1, 64}, "cycles", "Column command to column command, different bank groups."};
  Parameter<unsigned> tCCD_L{*this,   "tCCD_L", 3,
                             {1, 64}, "cycles", "Column command to column command, same bank group."};
  Parameter<unsigned> tRRD_S{*this, "tRRD_S", 9, {1, 100}, "cycles", "Activate to activate, different bank groups."};
  Parameter<unsigned> tRRD_L{*this,    "tRRD_L", 9,
                             {1, 100}, "cycles", "Activate to activate of another bank, same bank group."};
  Parameter<unsigned> tFAW{*this,    "tFAW",   35,
                           {0, 400}, "cycles", "Window in which a rank takes at most four activates; 0: no limit."};
  Parameter<unsigned> t32AW{*this,     "t32AW",  280,
                            {0, 4000}, "cycles", "Window in which a rank takes at most 32 activates; 0: no limit."};
  Parameter<unsigned> tWR{*this, "tWR", 18, {1, 200}, "cycles", "Last write data to precharge."};
  Parameter<unsigned> tWTR_S{*this, "tWTR_S", 8, {1, 100}, "cycles", "Last write data to read, different bank groups."};
  Parameter<unsigned> tWTR_L{*this, "tWTR_L", 8, {1, 100}, "cycles", "Last write data to read, same bank group."};
  Parameter<unsigned> tRTP{*this, "tRTP", 3, {1, 100}, "cycles", "Read to precharge."};
  Parameter<unsigned> tPPD{*this, "tPPD", 1, {1, 32}, "cycles", "Precharge to precharge of another bank of the rank."};
  Parameter<unsigned> tRTRS{
      *this, "tRTRS", 1, {0, 32}, "cycles", "Idle bus between bursts of different ranks, and from a read to a write."};
  Parameter<unsigned> tRFC{*this,     "tRFC",   98,
                           {1, 4000}, "cycles", "Refresh of all banks of a rank to its next activate."};
  Parameter<unsigned> tRFC_bank{
      *this,
      "tRFC_bank",
      0,
      {0, 4000},
      "cycles",
      "Refresh of one bank to its next activate, where banks are refreshed one by one; 0: all of a rank at once."};
  Parameter<unsigned> tREFI{*this,    "tREFI",
                            11699,    {0, 1000000},
                            "cycles", "Interval of refreshes of a rank, or of each bank; 0: never refreshed."};

  // Controller.
  Parameter<unsigned> read_queue{*this,     "read_queue", 64,
                                 {1, 1024}, "requests",   "Reads that wait in the controller at most."};
  Parameter<unsigned> write_queue{*this,     "write_queue", 64,
                                  {1, 1024}, "requests",    "Writes that wait in the controller at most."};
  Parameter<unsigned> bank_queue{
      *this,
      "bank_queue",
      0,
      {0, 64},
      "requests",
      "Requests per bank that the scheduler chooses from, reads and writes in one order, moved there from "
      "the read and write queues one per cycle; 0: it chooses from all in the queues."};
  Parameter<unsigned> drain_high{*this,     "drain_high", 48,
                                 {1, 1024}, "requests",   "Queued writes at which a drain of writes starts."};
  Parameter<unsigned> drain_low{*this, "drain_low", 16, {0, 1023}, "requests", "Queued writes at which a drain ends."};
  Parameter<unsigned> drain_idle{*this,     "drain_idle", 1,
                                 {1, 1024}, "requests",   "Queued writes at which a drain starts when no read waits."};
  sim::Plug<DramAdmissions> admission{
      *this, "admission", "normal",
      "Which of the requests that wait in front of the controller enters its queues next."};
  sim::Plug<DramSchedulers> scheduler{*this, "scheduler", "fr-fcfs", "Chooses the next command."};
  sim::Choice row_policy{
      *this,
      "row_policy",
      "open",
      {"open", "closed", "adaptive"},
      "When a row closes: open: on a request to another row; closed: after every access; adaptive: when no queued "
      "request wants it."};
  sim::Text mapping{
      *this,
      "mapping",
      "row:rank:bank:column:bankgroup",
      check_mapping_text,
      "row, rank, bank, bankgroup, column from the most to the least significant, joined by ':'; a part of a field as "
      "e.g. column2",
      "Which address bits name what; a number gives a part of that many bits, the one without takes the rest."};
  sim::Flag bank_hash{*this, "bank_hash", false,
                      "Whether bank and bank group are exclusive-ored with the low row bits."};
  sim::Flag split_command_bus{*this, "split_command_bus", false,
                              "Whether row and column commands have a bus each (HBM)."};
  sim::Flag check_timing{*this, "check", false,
                         "Whether an independent checker watches every command; always on in debug builds."};

  [[nodiscard]] unsigned burst_bytes() const { return bus_bytes * burst_length; }
  [[nodiscard]] unsigned banks() const { return ranks * bank_groups * banks_per_group; }
  /// Bytes per second when the data bus never idles.
  [[nodiscard]] double peak_bandwidth() const { return burst_bytes() * clock_mhz * 1e6 / burst_cycles; }
  /// Throws UserError that says every way in which the values do not fit together.
  void check() const;
};

}  // namespace heddle::memory
