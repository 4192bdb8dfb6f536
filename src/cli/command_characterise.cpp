// heddle characterise: runs workloads and writes what they do to memory into the project's table.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <memory>

#include "cli/characteristics.h"
#include "cli/commands.h"
#include "cli/tlb_model.h"
#include "cli/workload_options.h"
#include "gpu/gpu.h"
#include "runtime/machine.h"
#include "session/machine_options.h"
#include "session/progress.h"
#include "session/summary.h"

namespace heddle::cli {
namespace {

struct CharacteriseOptions {
  std::vector<std::string> workloads;
  std::vector<std::string> sizes{"tiny", "small"};
  std::string file;
  MachineOptions machine;
};

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

Characteristics from_counters(const std::map<std::string, std::uint64_t>& counters, const TlbModel& tlbs) {
  const auto count = [&](const char* name) { return counters.at(fmt::format("gpu.sm.{}", name)); };
  Characteristics c;
  c.cycles = counters.at("gpu.cycles");
  c.warp_instructions = count("instructions");
  c.memory_share = ratio(count("memory_instructions"), c.warp_instructions);
  c.lines_per_access = ratio(count("line_requests"), count("memory_instructions"));
  c.footprint_bytes = tlbs.touched_bytes();
  c.pages_per_access = ratio(tlbs.lookups(), tlbs.instructions());
  c.l1_tlb_miss_rate = ratio(tlbs.l1_misses(), tlbs.lookups());
  c.l2_tlb_miss_rate = ratio(tlbs.l2_misses(), tlbs.l1_misses());
  const std::uint64_t memory = count("slot_memory_data") + count("slot_memory_queue") + count("slot_memory_order");
  const std::uint64_t arithmetic = count("slot_issued") + count("slot_result") + count("slot_pipe_busy");
  c.memory_stall_share = ratio(memory, memory + arithmetic);
  return c;
}

Characteristics measure(const workloads::Workload& workload, std::uint64_t elements, const MachineOptions& machine) {
  const runtime::Device::Options device_options = cli::device_options(machine);
  TlbModel tlbs(static_cast<unsigned>(device_options.gpu->sms.get()));
  ProgressLine line{std::string(workload.name())};
  runtime::MachineOptions options;
  options.gpu = device_options.gpu;
  options.progress = [&line](const runtime::Progress& progress) { return line.update(progress); };
  options.observe = [&tlbs](std::uint32_t sm, const exec::MemoryAccess& access, LaneMask global) {
    tlbs.see(sm, access, global);
  };
  runtime::Device device(std::make_shared<runtime::Machine>(options), device_options);
  workloads::Request request;
  request.elements = elements;
  const workloads::Outcome outcome = workload.run(device, request);
  if (!outcome.passed) throw UserError(fmt::format("{}: the result is wrong: {}", workload.name(), outcome.detail));
  Characteristics c = from_counters(sim::totals(device.gpu()->statistics()), tlbs);
  c.elements = elements;
  c.launches = device.launches().size();
  return c;
}

int characterise(CharacteriseOptions options) {
  if (options.machine.functional) throw UserError("characterise needs timing; leave out --functional");
  if (options.machine.threads > 1) throw UserError("characterise runs with one thread; leave out --threads");
  options.machine.threads = 1;
  if (!options.machine.statistics.empty()) throw UserError("characterise writes no --stats; see --output");
  const std::string file = options.file.empty() ? characteristics_file() : options.file;
  MeasuredSuite suite = read_characteristics(file);
  if (!suite.gpu.empty() && suite.gpu != options.machine.gpu)
    throw UserError(
        fmt::format("{} was measured on {}: give --gpu {} or another --output", file, suite.gpu, suite.gpu));
  suite.gpu = options.machine.gpu;
  if (options.workloads.empty()) {
    for (const workloads::Workload* workload : workloads::all()) options.workloads.emplace_back(workload->name());
  }
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& name : options.workloads) {
    const workloads::Workload& workload = find_workload(name);
    for (const std::string& size : options.sizes) {
      const std::uint64_t elements = resolve_size(workload, size);
      const Characteristics c = measure(workload, elements, options.machine);
      suite.table[name][size] = c;
      fmt::print("{:<16} {:<8} {:>12} warp instructions, {:>12} cycles\n", name, size, grouped(c.warp_instructions),
                 grouped(c.cycles));
      std::fflush(stdout);
      write_characteristics(suite, file);  // after each: a long measurement may be stopped
    }
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  fmt::print("{} workloads in {:.1f} s; written to {}\n", options.workloads.size(), elapsed.count(), file);
  return kSuccess;
}

}  // namespace

void add_characterise(CLI::App& app, Action& action) {
  auto options = std::make_shared<CharacteriseOptions>();
  CLI::App* command =
      app.add_subcommand("characterise", "Measure what workloads do, for `heddle list --long`; all unless named");
  command->add_option("workloads", options->workloads, "Names of workloads (see: heddle list)");
  command->add_option("--size", options->sizes, "Sizes to measure, separated by commas")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  command->add_option("--output", options->file, "File to update instead of the one that comes with Heddle");
  add_machine_options(*command, options->machine);
  command->callback([options, &action] { action = [options] { return characterise(*options); }; });
}

}  // namespace heddle::cli
