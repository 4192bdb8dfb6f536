#include "results/sharing_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace heddle::results {
namespace {

/// Lines of which each is one counter over another; or over time, if there is no other.
class OverTime {
 public:
  explicit OverTime(const std::vector<SeriesRecord>& series) : series_(series) {}

  [[nodiscard]] const SeriesRecord* find(const std::string& counter) const {
    const auto found =
        std::find_if(series_.begin(), series_.end(), [&](const SeriesRecord& one) { return one.counter == counter; });
    return found == series_.end() ? nullptr : &*found;
  }
  void add(LineSection& section, const std::string& name, const std::string& counter,
           const std::vector<std::string>& over) const {
    const SeriesRecord* one = find(counter);
    if (one == nullptr) return;
    auto& line = section.series.emplace_back();
    line.name = name;
    for (std::size_t i = 0; i < one->ends.size(); ++i) {
      double below = over.empty() ? static_cast<double>(one->ends[i] - (i == 0 ? 0 : one->ends[i - 1])) : 0;
      for (const std::string& other : over) {
        if (const SeriesRecord* added = find(other)) below += static_cast<double>(added->growth[i]);
      }
      if (below == 0) {
        line.values.emplace_back();
      } else {
        line.values.emplace_back(static_cast<double>(one->growth[i]) / below);
      }
    }
  }
  [[nodiscard]] LineSection section(const std::string& title, const std::string& text, const std::string& unit) const {
    LineSection section{title, text, "core cycles", unit, {}, {}, false, {}};
    for (const std::uint64_t end : series_[0].ends) section.x.push_back(static_cast<double>(end));
    return section;
  }

 private:
  const std::vector<SeriesRecord>& series_;
};

/// Each application's speed over its own alone, and their sum, the weighted speedup.
void add_relative(Report& report, const LineSection& ipc, const std::vector<SharingApplication>& applications) {
  if (ipc.series.size() < 2 || ipc.series.size() != applications.size()) return;
  LineSection relative{"Speed relative to alone, over time",
                       "Instructions per cycle at that time over those of the whole run alone; their sum is the "
                       "weighted speedup. Runs again are counted.",
                       ipc.x_title,
                       "of the speed alone",
                       ipc.x,
                       {},
                       false,
                       {}};
  BarSection::Series sum;
  sum.name = "sum";
  sum.values.assign(ipc.x.size(), 0.0);
  for (std::size_t a = 0; a < applications.size(); ++a) {
    if (applications[a].alone == 0) return;
    BarSection::Series& line = relative.series.emplace_back(ipc.series[a]);
    for (std::size_t i = 0; i < line.values.size(); ++i) {
      if (!line.values[i]) continue;
      *line.values[i] /= applications[a].alone;
      *sum.values[i] += *line.values[i];
    }
  }
  relative.series.push_back(std::move(sum));
  report.add(relative);
}

}  // namespace

void add_sharing_series(Report& report, const std::vector<SeriesRecord>& series,
                        const std::vector<SharingApplication>& applications) {
  if (series.empty()) return;
  const OverTime time(series);
  LineSection ipc = time.section("Instructions per cycle of each application", "", "warp instructions per cycle");
  for (unsigned a = 0; time.find(fmt::format("gpu.sm.application_{}.instructions", a)) != nullptr; ++a) {
    time.add(ipc, a < applications.size() ? applications[a].name : fmt::format("application {}", a),
             fmt::format("gpu.sm.application_{}.instructions", a), {});
  }
  if (!ipc.series.empty()) report.add(ipc);
  add_relative(report, ipc, applications);
  const std::string own = "gpu.scavenger.sm.";
  if (time.find(own + "run_cycles") == nullptr) return;
  const std::vector<std::string> states{own + "profile_cycles", own + "run_cycles", own + "alone_cycles"};
  LineSection phases =
      time.section("Scavenger: what the SMs do", "Of SMs that have blocks of the first application.", "share of SMs");
  for (const char* state : {"profile", "run", "alone"}) time.add(phases, state, own + state + "_cycles", states);
  report.add(phases);
  const std::vector<std::string> shared{own + "shared_cycles"};
  LineSection warps = time.section("Scavenger: warps", "Of an SM that has blocks of both, on average.", "warps");
  for (const auto& [name, counter] : {std::pair{"of the first", "primary_warps"},
                                      {"of the second", "secondary_warps"},
                                      {"of the first that may issue", "warps_allowed"}})
    time.add(warps, name, own + counter, shared);
  report.add(warps);
  LineSection requests = time.section("Scavenger: requests", "Of an SM that has blocks of both, on average.", "lines");
  time.add(requests, "for the first", own + "requests_allowed", shared);
  report.add(requests);
}

}  // namespace heddle::results
