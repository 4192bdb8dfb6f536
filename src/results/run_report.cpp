// What reports about runs are made of.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "results/difference.h"
#include "results/energy_section.h"
#include "results/highlights.h"
#include "results/profile_section.h"
#include "results/report.h"
#include "results/sharing_series.h"

namespace heddle::results {
namespace {

constexpr std::string_view kSlots = "gpu.sm.slot_";

/// "gpu.sm.slot_memory_data" as "memory data".
std::string slot_name(const std::string& path) {
  std::string name = path.substr(kSlots.size());
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// The counters of issue slots, what issued first.
std::vector<std::string> slots_of(const std::map<std::string, double>& statistics) {
  std::vector<std::string> found;
  for (const auto& [path, value] : statistics) {
    if (path.starts_with(kSlots)) found.push_back(path);
  }
  std::stable_partition(found.begin(), found.end(), [](const std::string& path) { return path.ends_with("_issued"); });
  return found;
}

std::string title_of(const RunRow& run) {
  std::string title = fmt::format("{} {}", to_text(run.get("workload")), to_text(run.get("size")));
  if (const std::string gpu = to_text(run.get("gpu")); !gpu.empty()) title += " on " + gpu;
  if (const std::string design = to_text(run.get("design")); !design.empty()) title += " with " + design;
  if (const std::string changes = to_text(run.get("changes")); !changes.empty()) title += " (" + changes + ")";
  return title;
}

void add_series(Report& report, const Database& database, const RunRow& run) {
  std::vector<SeriesRecord> series = series_of(database, run.id);
  if (series.empty() || series[0].ends.size() < 2) return;
  const std::vector<std::uint64_t>& ends = series[0].ends;
  const auto width = [&](std::size_t i) { return static_cast<double>(ends[i] - (i == 0 ? 0 : ends[i - 1])); };
  LineSection ipc{
      "Instructions per cycle over time", "", "core cycles", "warp instructions per cycle", {}, {}, false, {}};
  LineSection slots{"Issue slots over time",
                    "What the schedulers' slots went to, in each interval.",
                    "core cycles",
                    "share of issue slots",
                    {},
                    {},
                    true,
                    1.0};
  for (const std::uint64_t end : ends) ipc.x.push_back(static_cast<double>(end));
  slots.x = ipc.x;
  std::vector<double> all(ends.size(), 0);
  for (const SeriesRecord& one : series) {
    if (!one.counter.starts_with(kSlots)) continue;
    for (std::size_t i = 0; i < ends.size(); ++i) all[i] += static_cast<double>(one.growth[i]);
  }
  // In the order of the other charts, what issued first.
  std::stable_partition(series.begin(), series.end(),
                        [](const SeriesRecord& one) { return one.counter.ends_with("slot_issued"); });
  for (const SeriesRecord& one : series) {
    if (one.counter == "gpu.sm.instructions") {
      auto& line = ipc.series.emplace_back();
      line.name = "IPC";
      for (std::size_t i = 0; i < ends.size(); ++i)
        line.values.emplace_back(static_cast<double>(one.growth[i]) / width(i));
    }
    if (!one.counter.starts_with(kSlots)) continue;
    if (std::all_of(one.growth.begin(), one.growth.end(), [](std::uint64_t g) { return g == 0; })) continue;
    auto& line = slots.series.emplace_back();
    line.name = slot_name(one.counter);
    for (std::size_t i = 0; i < ends.size(); ++i)
      line.values.emplace_back(all[i] == 0 ? 0 : static_cast<double>(one.growth[i]) / all[i]);
  }
  report.add(ipc);
  report.add(slots);
  add_sharing_series(report, series);
}

TableSection kernel_section(const std::vector<KernelRecord>& kernels) {
  TableSection section{"Kernels", "Every launch, in order.", {}, false};
  section.table.columns = {"launch", "kernel", "application",       "stream", "grid",
                           "block",  "cycles", "warp instructions", "IPC",    "host seconds"};
  std::int64_t number = 0;
  for (const KernelRecord& kernel : kernels) {
    section.table.rows.push_back(
        {number++, kernel.name, kernel.application, static_cast<std::int64_t>(kernel.stream), kernel.grid, kernel.block,
         kernel.cycles == 0 ? Value() : Value(static_cast<std::int64_t>(kernel.cycles)),
         static_cast<std::int64_t>(kernel.warp_instructions),
         kernel.cycles == 0 ? Value()
                            : Value(static_cast<double>(kernel.warp_instructions) / static_cast<double>(kernel.cycles)),
         kernel.host_seconds});
  }
  return section;
}

/// What each of several applications did; nothing for one alone.
void add_applications(Report& report, const Database& database, const RunRow& run) {
  const std::vector<ApplicationRow> applications = applications_of(database, run.id);
  if (applications.size() < 2) return;
  TableSection section{"Applications",
                       "Each until its last kernel ended; requests and reads are those that the machine counts apart.",
                       {},
                       false};
  section.table.columns = {"application", "launches", "cycles",    "warp instructions",
                           "IPC",         "L2 hits",  "L2 misses", "DRAM reads"};
  for (const ApplicationRow& application : applications) {
    const auto counted = [&](const char* path) {
      const auto found = application.statistics.find(path);
      return found == application.statistics.end() ? Value() : Value(static_cast<std::int64_t>(found->second));
    };
    const bool timed = application.cycles != 0;
    section.table.rows.push_back(
        {application.name, application.launches, timed ? Value(application.cycles) : Value(),
         application.warp_instructions,
         timed ? Value(static_cast<double>(application.warp_instructions) / static_cast<double>(application.cycles))
               : Value(),
         counted("gpu.l2.hits"), counted("gpu.l2.misses"), counted("gpu.l2.dram_reads")});
  }
  report.add(section);
}

/// Issue slots by kernel, the launches of each added up.
void add_kernel_slots(Report& report, const RunRow& run, const std::vector<KernelRecord>& kernels) {
  std::vector<RunRow> rows;
  std::vector<std::string> names;
  for (const KernelRecord& kernel : kernels) {
    auto at = std::find(names.begin(), names.end(), kernel.name);
    if (at == names.end()) {
      names.push_back(kernel.name);
      rows.emplace_back();
      at = std::prev(names.end());
    }
    RunRow& row = rows[static_cast<std::size_t>(at - names.begin())];
    for (const auto& [path, value] : kernel.counters.all()) row.statistics[path] += static_cast<double>(value);
  }
  names.insert(names.begin(), "all");
  rows.insert(rows.begin(), run);
  BarSection section = slot_section(rows, names);
  section.title = "Issue slots by kernel";
  const bool all_known = std::all_of(kernels.begin(), kernels.end(), [](const KernelRecord& kernel) {
    return kernel.counters.contains(std::string(kSlots) + "issued");
  });
  if (!all_known)
    section.note += " Of launches that ran beside others it is not known; they are in the first bar only.";
  if (!section.series.empty()) report.add(section);
}

}  // namespace

BarSection slot_section(const std::vector<RunRow>& runs, const std::vector<std::string>& names) {
  BarSection section{
      "Issue slots", "Where the schedulers' issue slots went.", "share of issue slots", names, {}, true, 1.0};
  for (const std::string& path : slots_of(runs.empty() ? std::map<std::string, double>{} : runs[0].statistics)) {
    BarSection::Series series;
    series.name = slot_name(path);
    bool any = false;
    for (const RunRow& run : runs) {
      double all = 0;
      for (const auto& [other, value] : run.statistics) all += other.starts_with(kSlots) ? value : 0;
      const auto mine = run.statistics.find(path);
      const bool known = mine != run.statistics.end() && all > 0;
      series.values.push_back(known ? std::optional<double>(mine->second / all) : std::nullopt);
      any = any || (known && mine->second > 0);
    }
    if (any) section.series.push_back(std::move(series));
  }
  return section;
}

TableSection configuration_section(const RunRow& run) {
  TableSection section{"Effective configuration", "Every parameter of the machine.", {}, true};
  section.table.columns = {"parameter", "value"};
  for (const auto& [path, value] : run.configuration) section.table.rows.push_back({path, value});
  return section;
}

namespace {

/// "bfs+gups" and "small+tiny:7", as they are kept of several applications: "bfs:small gups:tiny:7".
std::string with_sizes(const std::string& workloads, const std::string& sizes) {
  std::istringstream names(workloads);
  std::istringstream inputs(sizes);
  std::string name;
  std::string input;
  std::string all;
  while (std::getline(names, name, '+') && std::getline(inputs, input, '+')) {
    // Of a compiled program, the input is the line that calls it.
    const bool program = input.find('/') != std::string::npos;
    if (!all.empty()) all += ' ';
    all += program ? fmt::format("\"{}\"", input) : fmt::format("{}:{}", name, input);
  }
  return all;
}

}  // namespace

std::string command_of(const RunRow& run) {
  const std::string workload = to_text(run.get("workload"));
  const std::string size = to_text(run.get("size"));
  // A compiled program is called, and comes last.
  const std::string program = to_text(run.get("program"));
  const std::string call = program.empty() ? "" : fmt::format(" -- {}{}{}", program, size.empty() ? "" : " ", size);
  const bool several = workload.find('+') != std::string::npos;
  std::string command =
      several ? "heddle run " + with_sizes(workload, size) : fmt::format("heddle run {} --size {}", workload, size);
  command += " --seed " + to_text(run.get("seed"));
  if (!call.empty()) command = "heddle exec";
  if (const std::string reads = to_text(run.get("reads")); !reads.empty()) {
    for (const auto& file : nlohmann::json::parse(reads)) command += " --reads " + file.dump();
  }
  if (const std::string input = to_text(run.get("input")); !input.empty()) command += " --input " + input;
  if (to_text(run.get("mode")) == "functional") return command + " --functional" + call;
  command += " --gpu " + to_text(run.get("gpu"));
  if (const std::string design = to_text(run.get("design")); !design.empty()) command += " --design " + design;
  std::string rest = to_text(run.get("changes"));
  // The phases of a run are kept beside its changes, as a sentence.
  const std::size_t phases = rest.find("phases: ");
  const std::string remark = phases == std::string::npos ? "" : "  # " + rest.substr(phases);
  if (!remark.empty()) rest.erase(phases == 0 ? 0 : phases - 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    command += " --set " + rest.substr(0, end);
    rest.erase(0, end + 1);
  }
  return command + call + remark;
}

namespace {

/// As the terminal shows them after a run.
void add_highlights(Report& report, const RunRow& run) {
  const Highlights all = highlights(run.statistics, run.configuration);
  const auto add = [&](const char* title, const std::vector<Highlight>& some) {
    if (some.empty()) return;
    TableSection section{title, "", {}, false};
    section.table.columns = {"figure", "value", "of what"};
    for (const Highlight& one : some) section.table.rows.push_back({one.name, one.value, one.detail});
    report.add(section);
  };
  std::vector<Highlight> machine = all.progress;
  machine.insert(machine.end(), all.memory.begin(), all.memory.end());
  add("What the machine did", machine);
  add("Address translation", all.translation);
}

/// The same of several runs, side by side.
void add_highlights(Report& report, const std::vector<RunRow>& runs, const std::vector<std::string>& names) {
  TableSection section{"What the machines did", "", {}, false};
  section.table.columns = {"figure"};
  section.table.columns.insert(section.table.columns.end(), names.begin(), names.end());
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const Highlights all = highlights(runs[r].statistics, runs[r].configuration);
    for (const auto* some : {&all.progress, &all.memory, &all.translation}) {
      for (const Highlight& one : *some) {
        auto row = std::find_if(section.table.rows.begin(), section.table.rows.end(),
                                [&](const auto& other) { return other[0] == Value(one.name); });
        if (row == section.table.rows.end()) {
          section.table.rows.emplace_back(runs.size() + 1);
          row = std::prev(section.table.rows.end());
          row->front() = one.name;
        }
        (*row)[r + 1] = one.value;
      }
    }
  }
  if (!section.table.rows.empty()) report.add(section);
}

/// As the terminal shows them: each place once.
void add_findings(Report& report, const std::vector<FindingRecord>& findings) {
  if (findings.empty()) return;
  std::string text;
  std::size_t number = 0;
  for (const FindingRecord& finding : findings) text += fmt::format("{}. {}\n", ++number, finding.text);
  report.add(TextSection{"Faults of the program", "What --check found.", text});
}

}  // namespace

Report run_report(const Database& database, const RunRow& run) {
  Report report(title_of(run), fmt::format("run {}, {}, {}: {}", run.id, to_text(run.get("started")),
                                           to_text(run.get("status")), to_text(run.get("detail"))));
  TableSection summary{"Summary", "", {}, false};
  summary.table.columns = {"figure", "value"};
  constexpr std::array<std::pair<const char*, const char*>, 9> kFigures{{
      {"cycles", "core cycles"},
      {"launches", "kernel launches"},
      {"warp_instructions", "warp instructions"},
      {"thread_instructions", "thread instructions"},
      {"ipc", "warp instructions per cycle"},
      {"thread_ipc", "thread instructions per cycle"},
      {"host_seconds", "host seconds"},
      {"speed", "warp instructions per host second"},
      {"threads", "host threads"},
  }};
  for (const auto& [name, text] : kFigures) {
    if (run.get(name).index() != 0) summary.table.rows.push_back({std::string(text), run.get(name)});
  }
  report.add(summary);
  add_findings(report, findings_of(database, run.id));
  add_highlights(report, run);
  add_applications(report, database, run);
  add_energy(report, {run}, {fmt::format("run {}", run.id)});
  const std::vector<KernelRecord> kernels = kernels_of(database, run);
  add_kernel_slots(report, run, kernels);
  add_series(report, database, run);
  add_profile(report, lines_of(database, run.id));
  report.add(kernel_section(kernels));
  TableSection statistics{"Statistics", "Every counter, added up over instances.", {}, true};
  statistics.table.columns = {"statistic", "value"};
  for (const auto& [path, value] : run.statistics) statistics.table.rows.push_back({path, value});
  report.add(statistics);
  report.add(configuration_section(run));
  report.add(TextSection{"How to repeat it", "With Heddle " + to_text(run.get("version")) + ":", command_of(run)});
  return report;
}

Report comparison_report(const std::vector<RunRow>& runs) {
  const auto is_common = [&](const char* field) {
    return std::all_of(runs.begin(), runs.end(),
                       [&](const RunRow& run) { return run.get(field) == runs[0].get(field); });
  };
  // What all have in common is said once; a run is named by its number and by what is its own.
  std::string common;
  std::vector<std::string> names;
  names.reserve(runs.size());
  for (const RunRow& run : runs) names.push_back(fmt::format("{}:", run.id));
  for (const char* field : {"workload", "size", "gpu", "design", "changes"}) {
    if (is_common(field)) {
      const std::string text = to_text(runs[0].get(field));
      if (!text.empty()) common += (common.empty() ? "" : " ") + text;
      continue;
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::string text = to_text(runs[i].get(field));
      names[i] += fmt::format(" {}", text.empty() ? fmt::format("no {}", field) : text);
    }
  }
  Report report(fmt::format("{} runs compared", runs.size()),
                fmt::format("{}{}relative to the first", common, common.empty() ? "" : "; "));
  BarSection speed{
      "Speed", "Simulated time of the first run over that of each.", "speedup over the first", names, {}, false, {}};
  auto& series = speed.series.emplace_back();
  series.name = "speedup";
  const auto base = to_number(runs[0].get("seconds"));
  for (const RunRow& run : runs) {
    const auto seconds = to_number(run.get("seconds"));
    series.values.push_back(base && seconds && *seconds != 0 ? std::optional<double>(*base / *seconds) : std::nullopt);
  }
  report.add(speed);
  BarSection slots = slot_section(runs, names);
  if (!slots.series.empty()) report.add(slots);
  add_highlights(report, runs, names);
  add_energy(report, runs, names);
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const Difference found = difference(runs[0], runs[i]);
    TableSection changes{fmt::format("What changed from run {} to run {}", runs[0].id, runs[i].id), "", {}, false};
    changes.table.columns = {"kind", "name", "first", "this", "change in percent"};
    const auto add = [&](const char* kind, const std::vector<Change>& list) {
      for (const Change& change : list) {
        changes.table.rows.push_back({std::string(kind), change.name, change.a, change.b,
                                      change.relative == 0 ? Value() : Value(change.relative * 100)});
      }
    };
    add("asked for", found.asked);
    add("outcome", found.outcome);
    add("statistic", found.statistics);
    report.add(changes);
  }
  std::string commands;
  for (const RunRow& run : runs) commands += command_of(run) + "\n";
  report.add(TextSection{"How to repeat them", "", commands});
  return report;
}

}  // namespace heddle::results
