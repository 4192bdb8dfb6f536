// The options of every command that runs something on a simulated GPU: which GPU, changed how, with how many threads.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/parameters.h"
#include "results/record.h"
#include "runtime/device.h"

namespace CLI {  // NOLINT(readability-identifier-naming): as CLI11 names it
class App;
}

namespace heddle::session {

struct MachineOptions {
  std::string gpu = "fermi-gtx480";
  std::string design;  ///< empty: none
  std::vector<std::string> changes;
  unsigned threads = 1;    ///< of the host; 0: host_threads() says
  std::string statistics;  ///< file for every statistic; empty: none
  bool functional = false;
  runtime::Limits limits;
  bool profile = false;  ///< counts what every instruction costs
  std::string check;     ///< what is looked for in programs, as parse_checks() reads it
};

/// Declares --gpu, --design and --set.
void add_gpu_options(CLI::App& command, MachineOptions& options);
/// Declares those, and --threads, --stats, --functional and the limits.
void add_machine_options(CLI::App& command, MachineOptions& options);

/// The machine as the options describe it; nothing for a functional run. Throws UserError.
[[nodiscard]] std::shared_ptr<const gpu::GpuParameters> load_machine(const MachineOptions& options);
/// Device options for the machine: `gpu`, `threads` and `limits` are set.
[[nodiscard]] runtime::Device::Options device_options(const MachineOptions& options);
/// How a person would name the machine: "functional", "timed on h200", "timed on h200 with no-mmu".
[[nodiscard]] std::string machine_name(const MachineOptions& options);
/// Does what --stats asks for, if anything. With several applications, what each did is under `applications`.
void write_statistics(const runtime::Device& device, const MachineOptions& options,
                      const results::RunOutcome& outcome = {});

}  // namespace heddle::session
