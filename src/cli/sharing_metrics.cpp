#include "cli/sharing_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "cli/captured_program.h"

namespace heddle::cli {
namespace {

constexpr const char* kSplit = "sharing.spatial.split=";

/// Instructions per cycle of an application in its first run.
std::optional<double> first_ipc(const results::RunRow& row, std::size_t application) {
  const auto figure = [&](const char* name) {
    const auto found = row.statistics.find(fmt::format("mix.application_{}.{}", application, name));
    return found == row.statistics.end() ? 0.0 : found->second;
  };
  const double cycles = figure("cycles");
  const double instructions = figure("instructions");
  return cycles > 0 ? std::optional(instructions / cycles) : std::nullopt;
}

}  // namespace

const std::vector<SharedFigure>& sharing_descriptions() {
  static const std::vector<SharedFigure> all{
      {"weighted_speedup", "ratio", "Sum over applications of instructions per cycle together over alone."},
      {"max_slowdown", "ratio", "The largest of instructions per cycle alone over together."},
      {"throughput", "warp instructions per cycle", "Sum over applications of instructions per cycle together."},
      {"primary", "fraction", "Of two: speed of the first together, relative to alone."},
      {"secondary", "fraction",
       "Of two: speed of the second over all the time, runs again included, relative to alone."},
      {"secondary_if_met", "fraction", "The same where the first met its target; else there is none."},
      {"total", "fraction", "Of two: primary and secondary together."},
      {"total_if_met", "fraction", "The same where the first met its target; else there is none."},
      {"target", "fraction", "Of two: what the first is to keep of its speed alone."},
      {"met", "0 or 1", "Of two: whether the first kept that, within a percent."},
      {"revenue", "fraction", "Of two: target and secondary together, what the GPU earns if all of it earns 1."}};
  return all;
}

const std::vector<std::string>& sharing_figures() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> made;
    for (const SharedFigure& figure : sharing_descriptions()) made.push_back(std::string("mix.") + figure.name);
    return made;
  }();
  return names;
}

std::optional<double> sharing_figure(const SharingMetrics& metrics, const std::string& name) {
  if (name == "mix.weighted_speedup") return metrics.weighted_speedup;
  if (name == "mix.max_slowdown") return metrics.slowdown;
  if (name == "mix.throughput") return metrics.throughput;
  if (metrics.shared.size() != 2) return std::nullopt;
  const std::optional<double> nothing;
  const double total = metrics.primary() + metrics.secondary;
  if (name == "mix.primary") return metrics.primary();
  if (name == "mix.secondary") return metrics.secondary;
  if (name == "mix.total") return total;
  if (name == "mix.target") return metrics.target;
  if (name == "mix.met") return metrics.met() ? 1 : 0;
  if (name == "mix.revenue") return metrics.revenue();
  // Pairs that miss the target are left out (5.6.3).
  if (name == "mix.secondary_if_met") return metrics.met() ? std::optional(metrics.secondary) : nothing;
  if (name == "mix.total_if_met") return metrics.met() ? std::optional(total) : nothing;
  return std::nullopt;
}

std::vector<unsigned> parse_split(const std::string& split, unsigned sms, std::size_t applications) {
  const auto count = static_cast<unsigned>(applications);
  std::vector<unsigned> parts;
  if (split == "even") {
    for (unsigned a = 0; a < count; ++a) parts.push_back(sms / count + (a < sms % count ? 1 : 0));
  } else if (split == "whole") {
    return std::vector<unsigned>(applications, sms);
  } else {
    const char* at = split.data();
    const char* const end = split.data() + split.size();
    while (true) {
      unsigned number = 0;
      const auto [next, error] = std::from_chars(at, end, number);
      if (error != std::errc() || (next != end && *next != ':'))
        throw UserError(fmt::format("split {}: must be even, whole, oracle, or numbers of SMs joined by ':'", split));
      parts.push_back(number);
      if (next == end) break;
      at = next + 1;
    }
  }
  const bool somebody_has_none = std::find(parts.begin(), parts.end(), 0u) != parts.end();
  if (parts.size() != applications || somebody_has_none || std::accumulate(parts.begin(), parts.end(), 0u) != sms) {
    throw UserError(
        fmt::format("split {}: {} applications divide {} SMs, each has at least one", split, applications, sms));
  }
  return parts;
}

std::string split_text(const std::vector<unsigned>& split) { return fmt::format("{}", fmt::join(split, ":")); }

bool is_whole(const std::vector<unsigned>& split, unsigned sms) {
  return split.size() > 1 && std::all_of(split.begin(), split.end(), [&](unsigned part) { return part == sms; });
}

RunRequest shared_request(RunRequest request, const std::vector<unsigned>& split) {
  if (is_whole(split, load_machine(request.machine)->sms)) return request;
  std::erase_if(request.machine.changes, [](const std::string& change) { return change.starts_with(kSplit); });
  request.machine.changes.insert(request.machine.changes.end(), {"sharing.policy=spatial", kSplit + split_text(split)});
  return request;
}

RunRequest alone_request(const RunRequest& request, const Application& application, unsigned sms,
                         const MachineOptions& machine) {
  RunRequest alone = request;
  alone.workload = fmt::format("{}:{}:{}", application.workload->name(), application.size, application.input.seed);
  if (!application.input.input.empty()) alone.workload += fmt::format(":{}", application.input.input);
  if (const CapturedProgram* program = as_program(application.workload)) alone.workload = program->line();
  alone.machine = machine;
  std::erase_if(alone.machine.changes,
                [](const std::string& change) { return change.starts_with("sharing.spatial."); });
  alone.machine.changes.push_back(fmt::format("sms={}", sms));
  alone.machine.changes.emplace_back("sharing.policy=all");
  return alone;
}

std::optional<SharingMetrics> sharing_metrics(const results::RunRow& shared,
                                              const std::vector<const results::RunRow*>& alone) {
  SharingMetrics metrics;
  for (std::size_t a = 0; a < alone.size(); ++a) {
    const auto together = first_ipc(shared, a);
    const auto by_itself = alone[a] == nullptr ? std::nullopt : first_ipc(*alone[a], 0);
    if (!together || !by_itself || *by_itself == 0) return std::nullopt;
    metrics.shared.push_back(*together);
    metrics.alone.push_back(*by_itself);
    metrics.weighted_speedup += *together / *by_itself;
    metrics.throughput += *together;
    metrics.slowdown = std::max(metrics.slowdown, *by_itself / *together);
  }
  const auto of_shared = [&](const char* name) { return results::to_number(shared.get(name)).value_or(0); };
  metrics.target = of_shared("sharing.scavenger.target");
  if (const double cycles = of_shared("mix.cycles"); alone.size() == 2 && cycles > 0)
    metrics.secondary = of_shared("mix.application_1.all_instructions") / cycles / metrics.alone[1];
  return metrics;
}

}  // namespace heddle::cli
