// Timelines: what viewers of trace events require, and the bounds.
#include "cli/timeline.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/simulation.h"

namespace heddle::cli {
namespace {

struct Traced {
  nlohmann::json trace;
  std::string note;
  results::RunOutcome outcome;
};

Traced traced(TimelineOptions options) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("heddle-timeline-" + std::to_string(getpid()) + ".json");
  options.file = file.string();
  RunRequest request;
  request.workload = "bfs";
  request.size = "tiny";
  Traced made;
  std::unique_ptr<Timeline> timeline;
  const auto inspect = [&](const runtime::Device& device, const results::RunOutcome&) {
    made.note = timeline->write(device);
  };
  const auto attach = [&](runtime::Device& device) -> std::function<void(std::uint64_t)> {
    timeline = std::make_unique<Timeline>(options, device);
    return [&](std::uint64_t now) { timeline->sample(now); };
  };
  made.outcome = simulate(prepare(request), {}, inspect, attach);
  std::ifstream in(file);
  made.trace = nlohmann::json::parse(in);
  std::filesystem::remove(file);
  return made;
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
  EXPECT_LE(run.trace.at("traceEvents").size(), 100u);
  EXPECT_NE(run.note.find("events were left out"), std::string::npos);
}

TEST(Timeline, needs_a_timed_run) {
  runtime::Device functional;
  EXPECT_THROW(Timeline({}, functional), UserError);
}

}  // namespace
}  // namespace heddle::cli
