// The pairs that papers run together.
#include "workloads/mixes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace heddle::workloads {
namespace {

TEST(Mixes, HaveDifferentNamesAndNeverPairAnApplicationWithItself) {
  std::set<std::string> names;
  for (const Mix& mix : all_mixes()) {
    EXPECT_TRUE(names.insert(mix.name).second) << mix.name;
    EXPECT_NE(mix.applications[0], mix.applications[1]) << mix.name;
  }
}

TEST(Mixes, HoldThe35PairsOfMask) {
  const auto& mixes = all_mixes();
  EXPECT_EQ(std::count_if(mixes.begin(), mixes.end(), [](const Mix& mix) { return mix.paper == "mask"; }), 35);
}

TEST(Mixes, OfMaskHaveTheCategoryThatFollowsFromWhatThePaperSaysOfTheirApplications) {
  for (const Mix& mix : all_mixes()) {
    if (mix.paper != "mask") continue;
    int high = 0;
    bool known = true;
    for (const std::string_view application : mix.applications) {
      const Workload* workload = find_by_paper_name("mask", application);
      known = known && workload != nullptr;
      if (workload == nullptr) continue;
      for (const PaperUse& use : workload->description().papers) {
        const auto says = [&](Trait trait) { return std::count(use.says.begin(), use.says.end(), trait) != 0; };
        if (use.paper == "mask" && says(Trait::kL1TlbHigh) && says(Trait::kL2TlbHigh)) ++high;
      }
    }
    if (!known) continue;
    EXPECT_EQ(mix.category, std::to_string(high) + "-HMR") << mix.name;
  }
}

TEST(Mixes, OfScavengerGiveEachPrimaryThreeSecondariesOfEachClass) {
  std::map<std::string_view, std::map<std::string, int>> drawn;
  for (const Mix& mix : scavenger_pairs(kScavengerSeed)) ++drawn[mix.applications[0]][mix.category.substr(6)];
  EXPECT_EQ(drawn.size(), 17u);
  for (const auto& [primary, classes] : drawn) {
    EXPECT_EQ(classes.at("COM"), 3) << primary;
    EXPECT_EQ(classes.at("MEM"), 3) << primary;
  }
}

TEST(Mixes, OfScavengerAreAFunctionOfTheSeed) {
  const auto names = [](std::uint64_t seed) {
    std::vector<std::string> result;
    for (const Mix& mix : scavenger_pairs(seed)) result.push_back(mix.name);
    return result;
  };
  EXPECT_EQ(names(1), names(1));
  EXPECT_NE(names(1), names(2));
}

}  // namespace
}  // namespace heddle::workloads
