// Presets and designs as they are shipped, on one thread and on two: the same answer in every counter.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "gpu/gpu.h"
#include "runtime/device.h"
#include "sim/configuration.h"
#include "workloads/workload.h"

namespace heddle::test {
namespace {

std::optional<std::string> find_preset(const std::string& name) {
  for (const char* kind : {"gpus", "designs", "dram"}) {
    const std::filesystem::path file = std::filesystem::path(HEDDLE_PRESETS) / kind / (name + ".toml");
    if (std::filesystem::exists(file)) return file.string();
  }
  return std::nullopt;
}

struct Case {
  const char* workload;
  const char* gpu;
  const char* design;  ///< empty: none
};

std::map<std::string, std::uint64_t> counters_of(const Case& run, unsigned threads) {
  auto gpu = std::make_shared<gpu::GpuParameters>();
  for (const std::string name : {run.gpu, run.design}) {
    if (!name.empty()) sim::load_preset(*gpu, find_preset(name).value(), find_preset);
  }
  gpu->check();
  runtime::Device::Options options;
  options.gpu = gpu;
  options.threads = threads;
  runtime::Device device(options);
  const workloads::Workload& workload = *workloads::find(run.workload);
  workloads::Request request;
  request.elements = workload.sizes().front().elements;
  EXPECT_TRUE(workload.run(device, request).passed);
  return sim::totals(device.gpu()->statistics());
}

class Threads : public testing::TestWithParam<Case> {};

TEST_P(Threads, TwoGiveTheAnswerOfOne) { EXPECT_EQ(counters_of(GetParam(), 1), counters_of(GetParam(), 2)); }

INSTANTIATE_TEST_SUITE_P(Shipped, Threads,
                         testing::Values(Case{"vectoradd", "fermi-gtx480", ""}, Case{"bfs", "fermi-gtx480", ""},
                                         Case{"histogram", "fermi-gtx480", ""},
                                         Case{"bfs", "fermi-gtx480", "pichai-augmented"},
                                         Case{"bfs", "fermi-gtx480", "power-d3"}, Case{"bfs", "vc-2018", "vc-with-opt"},
                                         Case{"bfs", "mask-2018", "mask"}),
                         [](const auto& instance) {
                           std::string name = std::string(instance.param.workload) + "_" + instance.param.gpu + "_" +
                                              (*instance.param.design != 0 ? instance.param.design : "plain");
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace heddle::test
