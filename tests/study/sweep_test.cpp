// Sweep files: what they span, and what is said about mistakes.
#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "study/sweep_file.h"

namespace heddle::study {
namespace {

std::string message_of(const std::string& text) {
  try {
    (void)parse_sweep(text, "s.toml");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST(Sweep, spans_the_product_of_its_axes_the_last_turning_fastest) {
  const Sweep sweep = parse_sweep(R"(
    workloads = ["bfs", "spmv"]
    seeds = [1, 2]
    [parameters]
    sm.l1.kib = [16, 48]
    "sms" = 4
  )",
                                  "folder/l1.toml");
  EXPECT_EQ(sweep.name, "l1");
  ASSERT_EQ(sweep.points.size(), 8u);
  EXPECT_EQ(sweep.points[0].workload, "bfs");
  EXPECT_EQ(sweep.points[0].size, "small");
  EXPECT_EQ(sweep.points[0].changes, (std::vector<std::string>{"sm.l1.kib=16", "sms=4"}));
  EXPECT_EQ(sweep.points[1].changes[0], "sm.l1.kib=48");
  EXPECT_EQ(sweep.points[2].seed, 2u);
  EXPECT_EQ(sweep.points[4].workload, "spmv");
}

TEST(Sweep, leaves_out_what_exclude_matches_and_require_does_not) {
  const Sweep sweep = parse_sweep(R"(
    workloads = ["bfs", "spmv"]
    require = ["sm.l1.kib * 2 >= 64"]
    [parameters]
    sm.l1.kib = [16, 32, 48]
    [[exclude]]
    workload = "bfs"
    sm.l1.kib = [16, 48]
  )",
                                  "s.toml");
  std::vector<std::string> left;
  for (const Point& point : sweep.points) left.push_back(point.workload + " " + point.changes[0]);
  EXPECT_EQ(left, (std::vector<std::string>{"bfs sm.l1.kib=32", "spmv sm.l1.kib=32", "spmv sm.l1.kib=48"}));
}

TEST(Sweep, names_line_and_key_of_every_mistake) {
  EXPECT_EQ(message_of("workloads = ['bfs']\nsizs = 3\nseeds = ['x']\n[parameters]\nsm.l1.kib = []\n"),
            "s.toml:2:1: error: unknown key 'sizs' (known: description, designs, exclude, functional, gpus, inputs, "
            "kernels, parameters, programs, reads, require, seeds, sizes, skip, start_kernel, threads, warmup, window, "
            "workloads)\n"
            "s.toml:3:9: error: seeds: 'x' is not a whole number\n"
            "s.toml:5:13: error: sm.l1.kib: must be a value or an array of values");
  EXPECT_NE(message_of("workloads = ").find("s.toml:1:"), std::string::npos);
  EXPECT_NE(message_of("").find("workloads: is missing"), std::string::npos);
  EXPECT_NE(message_of("workloads='bfs'\n[[exclude]]\ngpux='a'").find("s.toml:3:6: error: exclude.gpux: is no axis"),
            std::string::npos);
  EXPECT_NE(message_of("workloads='bfs'\nrequire=['a >']").find("s.toml:2:9: error: require"), std::string::npos);
  EXPECT_NE(message_of("workloads='bfs'\nfunctional=true\ngpus='h200'").find("functional"), std::string::npos);
  EXPECT_NE(message_of("workloads='bfs'\n[[exclude]]\nworkload='bfs'").find("leave no run"), std::string::npos);
}

TEST(Sweep, refuses_to_span_millions_of_runs) {
  std::string text = "workloads = ['bfs']\n[parameters]\n";
  for (int i = 0; i < 30; ++i) text += "p" + std::to_string(i) + " = [1, 2]\n";
  EXPECT_NE(message_of(text).find("more than 1000000 runs"), std::string::npos);
}

TEST(Sweep, points_survive_the_way_to_another_process) {
  Point point;
  point.workload = "bfs";
  point.design = "a \"b\"";
  point.changes = {"x=1", "y=2"};
  point.threads = 3;
  point.reads = {"a graph.txt", "b"};
  const std::vector<Point> back = points_from_json(to_json({point}));
  ASSERT_EQ(back.size(), 1u);
  EXPECT_EQ(back[0].design, point.design);
  EXPECT_EQ(back[0].changes, point.changes);
  EXPECT_EQ(back[0].threads, 3u);
  EXPECT_EQ(back[0].reads, point.reads);
}

TEST(Sweep, RunsAProgramOnceForAnAxisThatItDoesNotName) {
  const Sweep sweep = parse_sweep(
      "programs = [\"./a {size} {seed}\", \"./b {size}\", \"./c\"]\nsizes = [1, 2]\nseeds = [3, 4]\n"
      "gpus = [\"x\", \"y\"]\nkernels = \"scan.*\"\n",
      "s.toml");
  std::vector<std::string> on_x;
  for (const Point& point : sweep.points) {
    if (point.gpu == "x") on_x.push_back(point.program);
    EXPECT_EQ(point.window.kernels, "scan.*");
  }
  EXPECT_EQ(on_x, (std::vector<std::string>{"./a 1 3", "./a 1 4", "./a 2 3", "./a 2 4", "./b 1", "./b 2", "./c"}));
  EXPECT_EQ(sweep.points.size(), 2 * on_x.size());
  EXPECT_EQ(points_from_json(to_json(sweep.points))[0].program, "./a 1 3");
}

}  // namespace
}  // namespace heddle::study
