// Timelines: what viewers of trace events require, and the bounds.
#include "cli/timeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/simulation.h"

namespace heddle::cli {
namespace {

struct Traced {
  nlohmann::json trace;
  std::string note;
  results::RunOutcome outcome;
};

Traced traced(TimelineOptions options, const std::string& workload = "bfs", const std::string& design = "",
              const std::vector<std::string>& changes = {}) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("heddle-timeline-" + std::to_string(getpid()) + ".json");
  options.file = file.string();
  RunRequest request;
  request.workload = workload;
  request.size = "tiny";
  request.machine.design = design;
  request.machine.changes = changes;
  Traced made;
  std::unique_ptr<Timeline> timeline;
  const auto inspect = [&](const Devices& devices, const results::RunOutcome&) {
    std::vector<Timeline::Program> programs;
    for (const auto& device : devices)
      programs.push_back({fmt::format("application {}", programs.size()), device->launches()});
    made.note = timeline->write(programs);
  };
  const auto attach = [&](gpu::Gpu* gpu) -> std::function<void(std::uint64_t)> {
    timeline = std::make_unique<Timeline>(options, gpu);
    return {};
  };
  made.outcome = simulate(prepare(request), {}, inspect, attach);
  std::ifstream in(file);
  made.trace = nlohmann::json::parse(in);
  std::filesystem::remove(file);
  return made;
}

/// Holds a trace against the Trace Event Format of Chromium's trace viewer: what an event of each phase must have.
class FormatCheck {
 public:
  explicit FormatCheck(const nlohmann::json& trace) {
    EXPECT_TRUE(trace.at("displayTimeUnit") == "ns" || trace.at("displayTimeUnit") == "ms");
    for (const nlohmann::json& event : trace.at("traceEvents")) {
      check_event(event);
      if (testing::Test::HasFailure()) break;  // one is enough to see
    }
    for (const int process : processes_) EXPECT_TRUE(process_names_.contains(process)) << "process " << process;
    for (const auto& track : tracks_)
      EXPECT_TRUE(track_names_.contains(track)) << "process " << track.first << ", track " << track.second;
  }
  [[nodiscard]] const std::map<int, std::string>& process_names() const { return process_names_; }

 private:
  void check_event(const nlohmann::json& event) {
    ASSERT_TRUE(event.is_object());
    ASSERT_TRUE(event.contains("ph") && event.at("ph").is_string()) << event;
    ASSERT_TRUE(event.contains("name") && event.at("name").is_string()) << event;
    ASSERT_FALSE(event.at("name").get<std::string>().empty()) << event;
    ASSERT_TRUE(event.contains("pid") && event.at("pid").is_number_unsigned()) << event;
    const std::string phase = event.at("ph");
    if (phase == "M") return check_name(event);
    ASSERT_TRUE(event.contains("ts") && event.at("ts").is_number()) << event;
    ASSERT_GE(event.at("ts").get<double>(), 0) << event;
    processes_.insert(event.at("pid").get<int>());
    if (phase == "X") return check_slice(event);
    // Nothing else is written: no B without its E, no flow without its end.
    ASSERT_EQ(phase, "C") << event;
    check_counter(event);
  }

  void check_name(const nlohmann::json& event) {
    const std::string what = event.at("name");
    const int process = event.at("pid");
    ASSERT_TRUE(event.contains("args") && event.at("args").is_object()) << event;
    const nlohmann::json& args = event.at("args");
    if (what == "process_sort_index") {
      ASSERT_TRUE(args.at("sort_index").is_number_integer()) << event;
      return;
    }
    ASSERT_TRUE(args.contains("name") && args.at("name").is_string()) << event;
    if (what == "process_name") {
      ASSERT_TRUE(process_names_.emplace(process, args.at("name")).second) << "named twice: " << event;
      return;
    }
    ASSERT_EQ(what, "thread_name") << event;
    ASSERT_TRUE(event.contains("tid") && event.at("tid").is_number_unsigned()) << event;
    ASSERT_TRUE(track_names_.emplace(process, event.at("tid").get<int>()).second) << "named twice: " << event;
  }

  void check_slice(const nlohmann::json& event) {
    ASSERT_TRUE(event.contains("tid") && event.at("tid").is_number_unsigned()) << event;
    ASSERT_TRUE(event.contains("dur") && event.at("dur").is_number()) << event;
    ASSERT_GE(event.at("dur").get<double>(), 0) << event;
    ASSERT_TRUE(event.contains("cat") && event.at("cat").is_string()) << event;
    tracks_.emplace(event.at("pid").get<int>(), event.at("tid").get<int>());
  }

  void check_counter(const nlohmann::json& event) {
    ASSERT_TRUE(event.contains("args") && event.at("args").is_object() && !event.at("args").empty()) << event;
    std::set<std::string> series;
    for (const auto& [name, value] : event.at("args").items()) {
      ASSERT_TRUE(value.is_number()) << event;  // JSON knows no number that is not finite
      ASSERT_GE(value.get<double>(), 0) << event;
      series.insert(name);
    }
    // Viewers tell counters apart by process and name, and expect the same series each time, and time to pass.
    auto& last = counters_[{event.at("pid").get<int>(), event.at("name").get<std::string>()}];
    const double now = event.at("ts");
    ASSERT_TRUE(last.second.empty() || (now > last.first && series == last.second)) << event;
    last = {now, series};
  }

  std::set<int> processes_;
  std::set<std::pair<int, int>> tracks_;
  std::map<int, std::string> process_names_;
  std::set<std::pair<int, int>> track_names_;
  std::map<std::pair<int, std::string>, std::pair<double, std::set<std::string>>> counters_;
};

TEST(Timeline, keeps_to_the_trace_event_format) {
  FormatCheck(traced({}).trace);
  FormatCheck(traced({}, "bfs", "power-d2").trace);
  TimelineOptions few;
  few.most = 100;
  FormatCheck(traced(few).trace);
  TimelineOptions window;
  window.from = 20'000;
  window.to = 30'000;
  FormatCheck(traced(window).trace);
}

/// As Figure 3.4 of WarpPool's chapter shows a part of GEMM: instructions that wait, and what issues while the L1 is
/// full.
TEST(Timeline, shows_memory_instructions_that_wait_in_steps_as_fine_as_asked_for) {
  TimelineOptions fine;
  fine.step = 100;
  fine.most = 10'000'000;
  const Traced run = traced(fine, "gemm", "", {"sm.waiting_study=true"});
  FormatCheck(run.trace);
  std::map<int, std::vector<std::pair<double, double>>> samples;  // of each SM: when, and how many waited
  std::uint64_t longest = 0;
  for (const nlohmann::json& event : run.trace.at("traceEvents")) {
    if (event.at("ph") != "C" || event.at("name") != "waiting memory instructions") continue;
    samples[event.at("pid")].emplace_back(event.at("ts").get<double>(), event.at("args").at("waiting").get<double>());
    for (const char* series : {"some", "full", "full_lanes", "other_lanes"})
      EXPECT_TRUE(event.at("args").contains(series)) << series;
  }
  ASSERT_FALSE(samples.empty());
  double waited = 0;
  for (const auto& [sm, all] : samples) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double end = i + 1 < all.size() ? all[i + 1].first : run.outcome.statistics.at("gpu.cycles");
      waited += all[i].second * (end - all[i].first);
      longest = std::max(longest, static_cast<std::uint64_t>(end - all[i].first));
    }
  }
  EXPECT_LT(longest, 2000u) << "finer than without --timeline-step";
  const double counted = run.outcome.statistics.at("gpu.sm.waiting_study.waiting");
  EXPECT_NEAR(waited, counted, counted / 1000) << "the samples say what was counted, but for rounding";
  EXPECT_GT(traced(fine, "gemm").trace.at("traceEvents").size(), 5 * traced({}, "gemm").trace.at("traceEvents").size());
}

TEST(Timeline, has_a_process_for_each_of_several_applications) {
  const Traced run = traced({}, "bfs+vectoradd");
  const FormatCheck checked(run.trace);
  std::map<std::string, std::size_t> kernels;
  for (const nlohmann::json& event : run.trace.at("traceEvents")) {
    if (event.at("ph") == "X" && event.at("cat") == "kernel") ++kernels[checked.process_names().at(event.at("pid"))];
  }
  EXPECT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels["application 0"] + kernels["application 1"], run.outcome.kernels.size());
}

TEST(Timeline, shows_every_kernel_and_block_and_the_counters) {
  const Traced run = traced({});
  EXPECT_EQ(run.note, "");
  std::size_t kernels = 0;
  std::size_t blocks = 0;
  std::set<std::string> counters;
  // Slices of one track may not overlap: viewers would nest or drop them.
  std::map<std::pair<int, int>, std::vector<std::pair<std::uint64_t, std::uint64_t>>> slices;
  for (const nlohmann::json& event : run.trace.at("traceEvents")) {
    const std::string kind = event.at("ph");
    ASSERT_TRUE(event.at("pid").is_number_integer());
    if (kind == "C") {
      counters.insert(event.at("name").get<std::string>());
      ASSERT_FALSE(event.at("args").empty());
      for (const auto& [name, value] : event.at("args").items()) ASSERT_TRUE(value.is_number()) << name;
    }
    if (kind != "X") continue;
    const std::uint64_t begin = event.at("ts");
    slices[{event.at("pid"), event.at("tid")}].emplace_back(begin, begin + event.at("dur").get<std::uint64_t>());
    ++(event.at("cat") == "kernel" ? kernels : blocks);
  }
  EXPECT_EQ(kernels, run.outcome.kernels.size());
  EXPECT_EQ(static_cast<double>(blocks), run.outcome.statistics.at("gpu.sm.blocks"));
  EXPECT_TRUE(counters.contains("instructions per cycle"));
  EXPECT_TRUE(counters.contains("issue slots"));
  for (auto& [track, spans] : slices) {
    std::sort(spans.begin(), spans.end());
    for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_GE(spans[i].first, spans[i - 1].second);
  }
}

TEST(Timeline, shows_translation_by_application_level_and_kind_of_read) {
  const Traced run = traced({}, "bfs+gups", "mask-sharedtlb");
  std::map<std::string, std::set<std::string>> series;
  double missed = 0;
  std::pair<double, double> before;  // when, and misses per cycle from then on
  for (const nlohmann::json& event : run.trace.at("traceEvents")) {
    if (event.at("ph") != "C") continue;
    for (const auto& [name, value] : event.at("args").items()) series[event.at("name")].insert(name);
    if (event.at("name") != "TLB misses per cycle") continue;
    const double at = event.at("ts").get<double>();
    missed += before.second * (at - before.first);
    before = {at, event.at("args").at("misses").get<double>()};
  }
  // What is counted of each application is not counted twice. The last sample is left out.
  const double all = run.outcome.statistics.at("gpu.sm.mmu.misses");
  EXPECT_NEAR(missed, all, 0.1 * all);
  EXPECT_EQ(series["misses of the shared TLB per cycle"],
            (std::set<std::string>{"all", "application 0", "application 1"}));
  EXPECT_EQ(series["L2 misses of page walks per cycle"],
            (std::set<std::string>{"level1", "level2", "level3", "level4"}));
  EXPECT_EQ(series["DRAM reads per cycle"], (std::set<std::string>{"all", "of page tables"}));
  EXPECT_TRUE(series.contains("warps whose walk ended per cycle"));
}

TEST(Timeline, shows_what_scavenger_does_in_each_sm) {
  const Traced run = traced({}, "sgemm+histogram", "scavenger");
  const FormatCheck checked(run.trace);
  std::map<std::string, std::set<std::string>> series;
  for (const nlohmann::json& event : run.trace.at("traceEvents")) {
    if (event.at("ph") != "C") continue;
    for (const auto& [name, value] : event.at("args").items()) series[event.at("name")].insert(name);
  }
  EXPECT_EQ(series["Scavenger: state"], (std::set<std::string>{"alone_cycles", "profile_cycles", "run_cycles"}));
  EXPECT_EQ(series["Scavenger: warps"], (std::set<std::string>{"primary_warps", "secondary_warps", "warps_allowed"}));
  EXPECT_EQ(series["instructions per cycle"], (std::set<std::string>{"IPC", "application 0", "application 1"}));
}

TEST(Timeline, keeps_to_its_window) {
  TimelineOptions options;
  options.from = 20'000;
  options.to = 40'000;
  std::size_t seen = 0;
  const Traced run = traced(options);
  for (const nlohmann::json& event : run.trace.at("traceEvents")) {
    if (event.at("ph") == "M") continue;
    const std::uint64_t begin = event.at("ts");
    EXPECT_LE(begin, options.to);
    EXPECT_GE(begin + (event.contains("dur") ? event.at("dur").get<std::uint64_t>() : 0), options.from);
    ++seen;
  }
  EXPECT_GT(seen, 10u);
}

TEST(Timeline, keeps_to_its_bound_and_says_so) {
  TimelineOptions options;
  options.most = 100;
  const Traced run = traced(options);
  const auto& events = run.trace.at("traceEvents");
  EXPECT_LE(std::count_if(events.begin(), events.end(), [](const auto& event) { return event.at("ph") != "M"; }), 100);
  EXPECT_NE(run.note.find("events were left out"), std::string::npos);
}

TEST(Timeline, needs_a_timed_run) { EXPECT_THROW(Timeline({}, nullptr), UserError); }

/// The samples of power, by component, each with how long it is for.
std::map<std::string, double> joules_of(const nlohmann::json& trace, double mhz, std::uint64_t end) {
  std::map<std::string, double> taken;
  std::vector<nlohmann::json> samples;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "C" && event.at("name") == "power, W") samples.push_back(event);
  }
  for (std::size_t n = 0; n < samples.size(); ++n) {
    const auto begin = samples[n].at("ts").get<std::uint64_t>();
    const std::uint64_t until = n + 1 < samples.size() ? samples[n + 1].at("ts").get<std::uint64_t>() : end;
    for (const auto& [component, watts] : samples[n].at("args").items())
      taken[component] += watts.get<double>() * static_cast<double>(until - begin) / mhz;
  }
  return taken;
}

TEST(Timeline, PowerOverTimeIsTheEnergyOfTheRun) {
  TimelineOptions options;
  options.step = 500;
  const Traced made = traced(options, "hotspot", "", {"energy.process_nm=28", "core_mhz=1000", "energy.rest=10"});
  const auto& statistics = made.outcome.statistics;
  const auto taken = joules_of(made.trace, 1000, static_cast<std::uint64_t>(statistics.at("gpu.cycles")));
  ASSERT_GT(taken.size(), 5u);
  for (const auto& [component, uj] : taken) {
    const double all = statistics.at("energy." + component);
    EXPECT_NEAR(uj, all, 0.01 * all + 1e-6) << component;
  }
  // A window shows what is taken in it, not what was before.
  TimelineOptions window = options;
  window.from = 1500;
  const Traced late = traced(window, "hotspot", "", {"energy.process_nm=28", "core_mhz=1000", "energy.rest=10"});
  const auto rest = joules_of(late.trace, 1000, static_cast<std::uint64_t>(statistics.at("gpu.cycles")));
  EXPECT_LT(rest.at("register_file"), taken.at("register_file"));
  EXPECT_GT(rest.at("register_file"), 0);
}

TEST(Timeline, HasNoPowerWithoutAProcess) {
  TimelineOptions options;
  EXPECT_TRUE(joules_of(traced(options, "hotspot", "", {"energy.process_nm=0"}).trace, 1000, 10000).empty());
}

}  // namespace
}  // namespace heddle::cli
