// heddle gpus, designs, params, stats: what there is to choose, to set and to read.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "gpu/gpu.h"
#include "session/machine.h"
#include "session/machine_options.h"
#include "sim/configuration.h"

namespace heddle::cli {

namespace {

struct DescribeOptions {
  std::string path;
  MachineOptions machine;
};

void print_presets(const std::vector<PresetInfo>& presets) {
  for (const PresetInfo& preset : presets) fmt::print("{:<20} {}\n", preset.name, preset.description);
}

}  // namespace

void add_gpus(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("gpus", "List the GPU presets");
  command->callback([&action] {
    action = [] {
      print_presets(gpu_presets());
      return kSuccess;
    };
  });
}

void add_designs(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("designs", "List the memory-management designs that --design takes");
  command->callback([&action] {
    action = [] {
      print_presets(design_presets());
      return kSuccess;
    };
  });
}

void add_params(CLI::App& app, Action& action) {
  auto options = std::make_shared<DescribeOptions>();
  CLI::App* command = app.add_subcommand("params", "Explain the parameters of a GPU and show their values");
  command->add_option("path", options->path, "Only this parameter or group, e.g. sm.l1");
  add_gpu_options(*command, options->machine);
  command->callback([options, &action] {
    action = [options] {
      fmt::print("{}", sim::describe(*load_machine(options->machine), options->path));
      return kSuccess;
    };
  });
}

void add_stats(CLI::App& app, Action& action) {
  auto options = std::make_shared<DescribeOptions>();
  CLI::App* command = app.add_subcommand("stats", "Explain the statistics a timed run counts");
  command->add_option("path", options->path, "Only this statistic or group, e.g. gpu.sm[0]");
  add_gpu_options(*command, options->machine);
  command->callback([options, &action] {
    action = [options] {
      // One SM and one partition show every statistic there is.
      MachineOptions smallest = options->machine;
      smallest.changes.insert(smallest.changes.end(), {"sms=1", "memory.partitions=1"});
      const auto parameters = load_machine(smallest);
      gpu::Gpu gpu(*parameters, 1);
      fmt::print("{}", sim::describe(gpu.statistics(), options->path));
      return kSuccess;
    };
  });
}

}  // namespace heddle::cli
