// heddle mix: applications that share a GPU, against each of them alone.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <thread>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/mix_report.h"
#include "cli/spare_database.h"
#include "gpu/sharing_policy.h"
#include "session/recorder.h"
#include "session/summary.h"

namespace heddle::cli {
namespace {

struct MixOptions {
  MixRequest request;
  std::vector<std::string> workloads;
  DatabaseOptions database;
  unsigned window = 0;
  std::string alone;
  std::string report;
};

void print(const MixResult& result, const MixOptions& options) {
  std::string names;
  for (const Application& application : result.applications)
    names += fmt::format("{}{}", names.empty() ? "" : " + ", application.name);
  fmt::print("{}, {}, ", names, machine_name(options.request.run.machine));
  fmt::print("{}", options.request.sharing == "spatial" ? "SMs " + split_text(result.split)
                                                        : "sharing " + options.request.sharing);
  fmt::print("{}\n", result.tried > 1 ? fmt::format(", the best of {} divisions tried", result.tried) : "");
  fmt::print("  {:<18} {:>5} {:>11} {:>11} {:>10}   {}\n", "application", "SMs", "IPC alone", "IPC shared", "slowdown",
             "first run");
  for (std::size_t a = 0; a < result.applications.size(); ++a) {
    const auto figure = [&](const char* name) {
      return result.shared.statistics.at(fmt::format("mix.application_{}.{}", a, name));
    };
    fmt::print("  {:<18} {:>5} {:>11.3f} {:>11.3f} {:>10.3f}   {} cycles{}\n", result.applications[a].name,
               result.split[a], result.metrics.alone[a], result.metrics.shared[a],
               result.metrics.alone[a] / result.metrics.shared[a],
               grouped(static_cast<std::uint64_t>(figure("cycles"))), figure("ended") == 0 ? ", not at its end" : "");
  }
  fmt::print("  weighted speedup {:.3f}   IPC throughput {:.3f}   maximum slowdown {:.3f}\n",
             result.metrics.weighted_speedup, result.metrics.throughput, result.metrics.slowdown);
  if (options.request.sharing != "scavenger") return;
  const SharingMetrics& m = result.metrics;
  fmt::print("  target {:.1f} %   primary {:.1f} % of alone, {}   secondary {:.1f} % of alone\n", 100 * m.target,
             100 * m.primary(), m.met() ? "met" : "missed", 100 * m.secondary);
  fmt::print("  total throughput {:.3f}   revenue per dollar {:.3f} ({:+.3f} against taking turns)\n",
             m.primary() + m.secondary, m.revenue(), m.revenue() - 1);
}

int mix(MixOptions options) {
  if (!options.report.empty()) require_writable("--report", options.report);
  MixRequest& request = options.request;
  if (request.run.machine.threads == 0) request.run.machine.threads = 1;  // runs side by side are worth more
  request.run.workload = fmt::format("{}", fmt::join(options.workloads, "+"));
  request.alone = options.alone.empty() ? request.run.machine.design : options.alone;
  if (options.window != 0) request.run.machine.changes.push_back(fmt::format("sharing.window={}", options.window));
  const SpareDatabase spare;
  request.database = options.database.file();
  if (request.database.empty()) request.database = spare.path();
  const MixResult result = run_mix(request);
  print(result, options);
  if (!options.report.empty()) {
    const results::Report page = mix_report(result, machine_name(request.run.machine), request.database);
    write_file("--report", options.report, page.html());
  }
  return kSuccess;
}

}  // namespace

void add_mix(CLI::App& app, Action& action) {
  auto options = std::make_shared<MixOptions>();
  options->request.jobs = std::max(1u, std::thread::hardware_concurrency());
  CLI::App* command =
      app.add_subcommand("mix", "Run applications that share the GPU's SMs, and compare with each of them alone");
  command
      ->add_option("workload", options->workloads,
                   "Two or more applications, each as for 'heddle run', or a mix (heddle list --mixes)")
      ->required();
  command
      ->add_option("--split", options->request.split,
                   "SMs of each application: even, numbers joined by ':', or oracle for the division with the best "
                   "weighted speedup")
      ->capture_default_str();
  command
      ->add_option("--sharing", options->request.sharing,
                   "How they share: spatial (each has SMs of its own), or another policy of sharing.policy")
      ->capture_default_str()
      ->check(CLI::IsMember(gpu::SharingPolicies::instance().names()));
  command
      ->add_option("--target", options->request.target,
                   "Of scavenger: what the first application is to reach, in percent of its speed alone")
      ->check(CLI::Range(1.0, 100.0));
  command->add_option("--step", options->request.step, "SMs by which divisions differ that the oracle tries")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  command->add_option("--alone", options->alone, "Design of the runs alone; default: the design of the mix");
  command->add_option("--window", options->window,
                      "End every run after so many core cycles, and compare what was done until then");
  command
      ->add_option("--size", options->request.run.size,
                   "tiny, small, medium, paper, or a number of the workload's own unit; for those that name none")
      ->capture_default_str();
  command->add_option("--seed", options->request.run.seed, "Seed of the input generator, for those that name none")
      ->capture_default_str();
  command->add_option("--jobs", options->request.jobs, "Runs at a time")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  command->add_option("--report", options->report, "Write a page with figures and charts over time to this file");
  command->add_flag("--quiet", options->request.quiet, "No progress");
  add_machine_options(*command, options->request.run.machine);
  add_database_options(*command, options->database, true);
  command->callback([options, &action] { action = [options] { return mix(*options); }; });
}

}  // namespace heddle::cli
