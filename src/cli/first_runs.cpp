#include "cli/first_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/statistic.h"

namespace heddle::cli {

void count_apart(const std::map<std::string, std::uint64_t>& totals, std::size_t application,
                 results::ApplicationRecord& record) {
  const std::string part = fmt::format(".application_{}.", application);
  for (const auto& [path, total] : totals) {
    const std::size_t at = path.find(part);
    if (at != std::string::npos) record.counters[path.substr(0, at) + path.substr(at + part.size() - 1)] = total;
  }
}

FirstRuns::FirstRuns(runtime::Machine& machine, std::size_t applications) : machine_(machine), runs_(applications) {
  if (machine.gpu() == nullptr) return;
  relaunches_ = machine.gpu()->parameters().sharing.relaunch;
  until_first_ = applications > 1 && machine.gpu()->parameters().sharing.until.is("first");
  window_ = machine.gpu()->parameters().sharing.window;
}

bool FirstRuns::go_on(std::uint64_t cycles) {
  if (window_ == 0 || cycles < window_) return true;
  stopped_at_ = cycles;
  measure_all(cycles);
  return false;
}

void FirstRuns::measure_all(std::uint64_t cycles) {
  counted_at_ = cycles;
  // While the kernels are still there.
  for (std::size_t a = 0; a < runs_.size(); ++a) {
    if (!runs_[a].ended) measure(a, cycles);
    runs_[a].all_instructions = machine_.gpu()->instructions_of(static_cast<std::uint16_t>(a));
  }
}

bool FirstRuns::all_ended() const {
  if (until_first_) return runs_[0].ended;
  return std::all_of(runs_.begin(), runs_.end(), [](const Run& each) { return each.ended; });
}

void FirstRuns::measure(std::size_t application, std::uint64_t cycles) {
  Run& run = runs_[application];
  run.cycles = cycles;
  run.instructions = machine_.gpu()->instructions_of(static_cast<std::uint16_t>(application));
  if (runs_.size() > 1) run.counters = sim::totals(machine_.gpu()->statistics());
}

void FirstRuns::run(std::size_t application, const runtime::Device& device, const std::function<void()>& first,
                    const std::function<void()>& again) {
  first();
  if (!told() || machine_.failed()) return;
  Run& run = runs_[application];
  run.ended = true;
  run.launches = device.launches().size();
  std::uint64_t cycles = 0;
  for (const runtime::LaunchStatistics& launch : device.launches()) cycles = std::max(cycles, launch.ended_at);
  measure(application, cycles);
  if (!relaunches_) return;
  if (all_ended()) {
    if (until_first_) stopped_at_ = machine_.gpu()->now();
    measure_all(machine_.gpu()->now());
    machine_.fail(std::make_exception_ptr(runtime::Interrupted("every application has ended once")));
    return;
  }
  try {
    while (true) again();
  } catch (const runtime::Interrupted&) {
    // Every application has ended once, or the window is over.
  } catch (const runtime::LaunchError&) {
    // It has done something wrong in its first run already, and is not started again.
  }
}

const std::vector<SharedFigure>& first_run_figures() {
  static const std::vector<SharedFigure> all{
      {"cycles", "core cycles",
       "When the last of them was counted: at the end of its first run, or when the run ended."},
      {"ipc", "warp instructions per cycle", "Sum over applications of their first runs' instructions per cycle."},
      {"cycles", "core cycles", "Until its first run ended, or until the run did.", true},
      {"instructions", "warp instructions", "Of its first run, as far as it came.", true},
      {"ended", "0 or 1", "Whether its first run came to its end.", true},
      {"all_instructions", "warp instructions", "With those of further runs, until the run ended.", true}};
  return all;
}

void FirstRuns::finish(std::vector<results::ApplicationRecord>& records, std::map<std::string, double>& statistics) {
  if (!told()) return;
  double together = 0;
  for (std::size_t a = 0; a < runs_.size(); ++a) {
    const Run& run = runs_[a];
    if (stopped_at_ != 0 && records[a].status == results::Status::interrupted) {
      records[a].status = results::Status::passed;
      records[a].detail = fmt::format("not at its end after {} cycles, when the run ended ({})", stopped_at_,
                                      until_first_ && runs_[0].ended ? "sharing.until" : "sharing.window");
    }
    records[a].cycles = run.cycles;
    if (records.size() > 1) count_apart(run.counters, a, records[a]);
    const std::string name = fmt::format("mix.application_{}.", a);
    statistics[name + "cycles"] = static_cast<double>(run.cycles);
    statistics[name + "instructions"] = static_cast<double>(run.instructions);
    statistics[name + "ended"] = run.ended ? 1 : 0;
    statistics[name + "all_instructions"] = static_cast<double>(std::max(run.instructions, run.all_instructions));
    if (run.cycles != 0) together += static_cast<double>(run.instructions) / static_cast<double>(run.cycles);
  }
  statistics["mix.ipc"] = together;
  std::uint64_t last = counted_at_;
  for (const Run& run : runs_) last = std::max(last, run.cycles);
  statistics["mix.cycles"] = static_cast<double>(last);
}

}  // namespace heddle::cli
