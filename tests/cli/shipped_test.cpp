// Everything that ships fits the program: GPUs, designs, experiments. What an experiment names wrongly is an error.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "cli/experiments.h"
#include "gpu/gpu.h"
#include "session/machine.h"

namespace heddle::cli {
namespace {

TEST(ShippedGpus, AreAllMachinesThatCanBeBuilt) {
  const auto presets = session::gpu_presets();
  EXPECT_EQ(presets.size(), 9u);
  for (const auto& preset : presets) {
    EXPECT_FALSE(preset.description.empty()) << preset.name;
    const auto parameters = session::load_gpu(preset.name, "", {});
    EXPECT_NO_THROW(gpu::Gpu(*parameters, 1)) << preset.name;
  }
}

TEST(ShippedDesigns, FitEveryGpu) {
  const auto designs = session::design_presets();
  EXPECT_GT(designs.size(), 30u);
  for (const auto& gpu : session::gpu_presets()) {
    for (const auto& design : designs) {
      EXPECT_FALSE(design.description.empty()) << design.name;
      const auto parameters = session::load_gpu(gpu.name, design.name, {"sms=2", "memory.partitions=1"});
      EXPECT_NO_THROW(gpu::Gpu(*parameters, 1)) << gpu.name << ' ' << design.name;
    }
  }
}

TEST(ShippedExperiments, NameOnlyWhatThereIs) {
  const auto papers = experiment_papers();
  EXPECT_GE(papers.size(), 2u);
  for (const std::string& paper : papers) {
    for (const study::Experiment& experiment : find_experiments(paper)) {
      const PlannedExperiment planned = plan_experiment(experiment);
      EXPECT_EQ(planned.runs.size(), experiment.workloads.size() * experiment.designs.size() * experiment.seeds.size())
          << experiment.file;
    }
  }
}

/// What planning the experiment says; `changed` is one of its lines.
std::string complaint(const std::string& gpu, const std::string& workload, const std::string& design,
                      const std::string& metric) {
  const std::string text = fmt::format(
      "title = \"t\"\ngpu = \"{}\"\nsize = \"tiny\"\nworkloads = [\"bfs\",\n             \"{}\"]\ndesigns = "
      "[\"ideal\", "
      "\"{}\"]\nbaseline = \"ideal\"\nshows = \"s\"\nmetric = \"{}\"\n",
      gpu, workload, design, metric);
  try {
    (void)plan_experiment(study::parse_experiment(text, "paper/figure.toml", {}));
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

void expect_part(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST(Experiments, WithWrongNamesSayWhereAndWhatWasMeant) {
  EXPECT_EQ(complaint("power-2014", "nw", "power-d1", "cycles"), "");
  const std::string workload = complaint("power-2014", "vectorad", "power-d1", "cycles");
  expect_part(workload, "paper/figure.toml:5:14: error: there is no workload 'vectorad'");
  expect_part(workload, "did you mean 'vectoradd'?");
  const std::string design = complaint("power-2014", "nw", "power-d9", "cycles");
  expect_part(design, "paper/figure.toml:6:21: error: --design power-d9: there is no such preset");
  expect_part(design, "did you mean 'power-d1'?");
  const std::string gpu = complaint("power-2015", "nw", "power-d1", "cycles");
  expect_part(gpu, "paper/figure.toml:2:7: error: --gpu power-2015: there is no such preset");
  const std::string metric = complaint("power-2014", "nw", "power-d1", "gpu.sm.instruction / cycles");
  expect_part(metric, "paper/figure.toml:9:10: error: no run has a figure 'gpu.sm.instruction'");
  expect_part(metric, "did you mean 'gpu.sm.instructions'?");
}

}  // namespace
}  // namespace heddle::cli
