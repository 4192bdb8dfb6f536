// Every workload runs on a device and finds its own results right, at `tiny` and at awkward sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "runtime/device.h"
#include "workloads/workload.h"

namespace heddle::workloads {
namespace {

class EveryWorkload : public testing::TestWithParam<std::string> {
 protected:
  static void expect_pass(const Request& request) {
    runtime::Device device;
    const Outcome outcome = find(GetParam())->run(device, request);
    EXPECT_TRUE(outcome.passed) << "size " << request.elements << ": " << outcome.detail;
    EXPECT_FALSE(outcome.detail.empty());
    EXPECT_FALSE(device.launches().empty());
  }
};

TEST_P(EveryWorkload, PassesAtTiny) { expect_pass({find(GetParam())->sizes().front().elements, 1}); }

TEST_P(EveryWorkload, PassesWithAnotherSeed) { expect_pass({find(GetParam())->sizes().front().elements, 2}); }

TEST_P(EveryWorkload, PassesAtSizesThatFillNoBlock) {
  const Workload& workload = *find(GetParam());
  const std::uint64_t smallest = workload.size_range().first;
  for (const std::uint64_t size : {smallest, smallest + 1, std::uint64_t{31}, std::uint64_t{67}}) {
    const std::uint64_t most = workload.sizes()[1].elements;  // elements may be large things
    expect_pass({std::clamp(size, smallest, most), 3});
  }
}

TEST_P(EveryWorkload, PassesOnEveryKindOfInput) {
  const Workload& workload = *find(GetParam());
  for (const InputKind& kind : workload.description().inputs) {
    SCOPED_TRACE(kind.name);
    EXPECT_FALSE(kind.summary.empty());
    expect_pass({workload.sizes().front().elements, 1, kind.name});
  }
  runtime::Device device;
  EXPECT_THROW((void)workload.run(device, {workload.sizes().front().elements, 1, "no such"}), UserError);
}

TEST_P(EveryWorkload, RefusesASizeOutOfRange) {
  const Workload& workload = *find(GetParam());
  runtime::Device device;
  EXPECT_THROW((void)workload.run(device, {workload.size_range().first - 1, 1}), UserError);
  EXPECT_THROW((void)workload.run(device, {workload.size_range().second + 1, 1}), UserError);
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const Workload* workload : all()) result.emplace_back(workload->name());
  return result;
}

INSTANTIATE_TEST_SUITE_P(Workloads, EveryWorkload, testing::ValuesIn(names()),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace heddle::workloads
