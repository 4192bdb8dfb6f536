#include "results/profile_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace heddle::results {
namespace {

std::uint64_t count_of(const LineRecord& line, const char* name) {
  const auto found = line.counts.find(name);
  return found == line.counts.end() ? 0 : found->second;
}

Value ratio(std::uint64_t part, std::uint64_t whole, double factor) {
  if (whole == 0) return {};
  return factor * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

std::string LineRecord::place() const {
  if (file.empty()) return kernel.empty() ? "no warp" : kernel;
  return fmt::format("{}:{}", std::filesystem::path(file).filename().string(), line);
}

void add_profile(Report& report, const std::vector<LineRecord>& lines) {
  if (lines.empty()) return;
  constexpr std::size_t kBars = 24;
  std::uint64_t all = 0;
  for (const LineRecord& line : lines) all += count_of(line, "slots");
  const std::size_t count = std::min(kBars, lines.size());
  BarSection bars{"Dearest lines", "", "share of issue slots", {}, {}, true, {}};
  for (std::size_t r = 0; r < count; ++r) bars.groups.push_back(lines[r].place());
  for (const SlotReason& reason : kSlotReasons) {
    if (std::all_of(lines.begin(), lines.end(),
                    [&](const LineRecord& line) { return count_of(line, reason.name) == 0; }))
      continue;
    BarSection::Series series;
    series.name = reason.name;
    std::replace(series.name.begin(), series.name.end(), '_',
                 ' ');  // as reports of runs call them, in the same colours
    for (std::size_t r = 0; r < count; ++r)
      series.values.emplace_back(static_cast<double>(count_of(lines[r], reason.name)) / static_cast<double>(all));
    bars.series.push_back(std::move(series));
  }
  if (all != 0) report.add(bars);
  TableSection section{"Lines", "Shares are percent of all issue slots of busy SMs.", {}, false};
  section.table.columns = {"where", "kernel", "text", "share"};
  for (const SlotReason& reason : kSlotReasons) section.table.columns.emplace_back(reason.heading);
  for (const char* name : {"executed", "lines per access", "pages per access", "L1 hits %", "TLB hits %", "latency"})
    section.table.columns.emplace_back(name);
  for (const LineRecord& line : lines) {
    const auto of = [&](const char* name) { return count_of(line, name); };
    std::vector<Value> values{line.place(), line.kernel, line.text, ratio(of("slots"), all, 100)};
    for (const SlotReason& reason : kSlotReasons) values.push_back(ratio(of(reason.name), all, 100));
    values.insert(values.end(),
                  {static_cast<std::int64_t>(of("executions")), ratio(of("lines"), of("accesses"), 1),
                   ratio(of("pages"), of("accesses"), 1), ratio(of("l1_hits"), of("l1_reads"), 100),
                   ratio(of("tlb_hits"), of("tlb_lookups"), 100), ratio(of("load_latency"), of("loads"), 1)});
    section.table.rows.push_back(std::move(values));
  }
  report.add(section);
}

}  // namespace heddle::results
