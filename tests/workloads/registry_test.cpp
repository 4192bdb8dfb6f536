// Every workload says what it is, has the three sizes, and carries PTX that names no place on the build machine.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/check.h"
#include "workloads/workload.h"

namespace heddle::workloads {
namespace {

TEST(Registry, ListsTheWorkloadsSortedByName) {
  std::vector<std::string_view> names;
  for (const Workload* workload : all()) names.push_back(workload->name());
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  for (const std::string_view name : {"bfs", "histogram", "hotspot", "kmeans", "nw", "pathfinder", "reduction", "scan",
                                      "sgemm", "spmv", "transpose", "vectoradd"}) {
    EXPECT_TRUE(std::binary_search(names.begin(), names.end(), name)) << name;
  }
}

TEST(Registry, FindsByNameAndAnswersNullForAnUnknownOne) {
  ASSERT_NE(find("bfs"), nullptr);
  EXPECT_EQ(find("bfs")->name(), "bfs");
  EXPECT_EQ(find("no such workload"), nullptr);
}

TEST(Registry, ASecondWorkloadOfTheSameNameIsABug) { EXPECT_THROW(register_workload(find("bfs")), InvariantError); }

TEST(Workloads, HaveTheThreeSizesAscendingAndInRange) {
  for (const Workload* workload : all()) {
    SCOPED_TRACE(workload->name());
    const auto sizes = workload->sizes();
    const auto [low, high] = workload->size_range();
    ASSERT_EQ(sizes.size(), 3u);
    EXPECT_EQ(sizes[0].name, "tiny");
    EXPECT_EQ(sizes[1].name, "small");
    EXPECT_EQ(sizes[2].name, "medium");
    EXPECT_LE(low, sizes[0].elements);
    EXPECT_LT(sizes[0].elements, sizes[1].elements);
    EXPECT_LT(sizes[1].elements, sizes[2].elements);
    EXPECT_LE(sizes[2].elements, high);
    EXPECT_FALSE(workload->description().empty());
    EXPECT_FALSE(workload->size_unit().empty());
  }
}

TEST(Workloads, CarryPtxWithoutPathsOfTheBuildMachine) {
  for (const Workload* workload : all()) {
    SCOPED_TRACE(workload->name());
    EXPECT_NE(workload->ptx().find(".entry"), std::string_view::npos);
    EXPECT_EQ(workload->ptx().find(".file"), std::string_view::npos);
    EXPECT_EQ(workload->ptx().find(".cu\""), std::string_view::npos);
  }
}

}  // namespace
}  // namespace heddle::workloads
