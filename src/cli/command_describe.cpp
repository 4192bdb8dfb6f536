// heddle gpus, params, stats: what there is to choose, to set and to read.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/machine.h"
#include "gpu/gpu.h"
#include "sim/configuration.h"

namespace heddle::cli {

namespace {

struct DescribeOptions {
  std::string path;
  std::string gpu = "fermi-gtx480";
  std::vector<std::string> changes;
};

}  // namespace

void add_gpus(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("gpus", "List the GPU presets");
  command->callback([&action] {
    action = [] {
      for (const PresetInfo& preset : gpu_presets()) fmt::print("{:<18} {}\n", preset.name, preset.description);
      return kSuccess;
    };
  });
}

void add_params(CLI::App& app, Action& action) {
  auto options = std::make_shared<DescribeOptions>();
  CLI::App* command = app.add_subcommand("params", "Explain the parameters of a GPU and show their values");
  command->add_option("path", options->path, "Only this parameter or group, e.g. sm.l1");
  command->add_option("--gpu", options->gpu, "Preset or .toml file whose values to show")->capture_default_str();
  command->add_option("--set", options->changes, "Change a parameter first; may be repeated")->allow_extra_args(false);
  command->callback([options, &action] {
    action = [options] {
      fmt::print("{}", sim::describe(*load_gpu(options->gpu, options->changes), options->path));
      return kSuccess;
    };
  });
}

void add_stats(CLI::App& app, Action& action) {
  auto options = std::make_shared<DescribeOptions>();
  CLI::App* command = app.add_subcommand("stats", "Explain the statistics a timed run counts");
  command->add_option("path", options->path, "Only this statistic or group, e.g. gpu.sm[0]");
  command->add_option("--gpu", options->gpu, "Preset or .toml file")->capture_default_str();
  command->callback([options, &action] {
    action = [options] {
      // One SM and one partition show every statistic there is.
      auto parameters = load_gpu(options->gpu, {"sms=1", "memory.partitions=1"});
      gpu::Gpu gpu(*parameters, 1);
      fmt::print("{}", sim::describe(gpu.statistics(), options->path));
      return kSuccess;
    };
  });
}

}  // namespace heddle::cli
