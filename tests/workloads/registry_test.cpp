// Every workload says what it is, has its sizes, and carries PTX that names no place on the build machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/check.h"
#include "workloads/workload.h"

namespace heddle::workloads {
namespace {

TEST(Registry, ListsTheWorkloadsSortedByName) {
  std::vector<std::string_view> names;
  for (const Workload* workload : all()) names.push_back(workload->name());
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const std::string_view name : {"bfs", "histogram", "hotspot", "kmeans", "nw", "pathfinder", "reduction", "scan",
                                      "sgemm", "spmv", "transpose_naive", "vectoradd"}) {
    EXPECT_TRUE(std::binary_search(names.begin(), names.end(), name)) << name;
  }
}

TEST(Registry, FindsByNameAndAnswersNullForAnUnknownOne) {
  ASSERT_NE(find("bfs"), nullptr);
  EXPECT_EQ(find("bfs")->name(), "bfs");
  EXPECT_EQ(find("no such workload"), nullptr);
}

TEST(Registry, ASecondWorkloadOfTheSameNameIsABug) { EXPECT_THROW(register_workload(find("bfs")), InvariantError); }

TEST(Workloads, HaveSizesAscendingAndInRange) {
  for (const Workload* workload : all()) {
    SCOPED_TRACE(workload->name());
    const auto sizes = workload->sizes();
    const auto [low, high] = workload->size_range();
    ASSERT_GE(sizes.size(), 3u);
    ASSERT_LE(sizes.size(), 4u);
    EXPECT_EQ(sizes[0].name, "tiny");
    EXPECT_EQ(sizes[1].name, "small");
    EXPECT_EQ(sizes[2].name, "medium");
    EXPECT_LE(low, sizes[0].elements);
    EXPECT_LT(sizes[0].elements, sizes[1].elements);
    EXPECT_LT(sizes[1].elements, sizes[2].elements);
    EXPECT_LE(sizes[2].elements, high);
    if (sizes.size() == 4) {
      EXPECT_EQ(sizes[3].name, "paper");
      EXPECT_LT(sizes[2].elements, sizes[3].elements);
      EXPECT_LE(sizes[3].elements, high);
    }
  }
}

TEST(Workloads, SayWhatTheyAreAndWhichPapersUseThem) {
  const std::set<std::string_view> known{"mask",      "pichai",          "power",   "regless",
                                         "scavenger", "virtual_caching", "warppool"};
  for (const Workload* workload : all()) {
    SCOPED_TRACE(workload->name());
    const Description& description = workload->description();
    EXPECT_FALSE(description.summary.empty());
    EXPECT_FALSE(description.suite.empty());
    EXPECT_FALSE(description.unit.empty());
    for (const PaperUse& use : description.papers) {
      EXPECT_TRUE(known.contains(use.paper)) << use.paper;
      EXPECT_FALSE(use.name.empty());
    }
  }
}

TEST(Workloads, LabelEveryKernelOfTheirPtxOnce) {
  for (const Workload* workload : all()) {
    SCOPED_TRACE(workload->name());
    runtime::Device device;
    const runtime::Module module = device.load(workload->ptx(), std::string(workload->name()));
    std::set<std::string> in_ptx;
    for (const std::string& name : module.kernel_names()) in_ptx.insert(name);
    std::set<std::string> labelled;
    std::set<std::string_view> labels;
    for (const KernelLabel& kernel : workload->description().kernels) {
      EXPECT_TRUE(labelled.emplace(kernel.kernel).second) << kernel.kernel;
      EXPECT_TRUE(labels.insert(kernel.label).second) << kernel.label;
      EXPECT_EQ(workload->label(kernel.kernel), kernel.label);
    }
    EXPECT_EQ(in_ptx, labelled);
    EXPECT_EQ(workload->label("no such kernel"), "no such kernel");
  }
}

TEST(Workloads, CarryPtxWithoutPathsOfTheBuildMachine) {
  for (const Workload* workload : all()) {
    SCOPED_TRACE(workload->name());
    EXPECT_NE(workload->ptx().find(".entry"), std::string_view::npos);
    // Lines of source files are named from the project's folder on.
    for (std::size_t at = workload->ptx().find(".file"); at != std::string_view::npos;
         at = workload->ptx().find(".file", at + 1)) {
      const std::string_view line = workload->ptx().substr(at, workload->ptx().find('\n', at) - at);
      EXPECT_EQ(line.find("\"/"), std::string_view::npos) << line;
      EXPECT_NE(line.find("\"./workloads/"), std::string_view::npos) << line;
    }
    EXPECT_EQ(workload->ptx().find(HEDDLE_SOURCE_FOLDER), std::string_view::npos);
  }
}

}  // namespace
}  // namespace heddle::workloads
