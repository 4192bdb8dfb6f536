#include "sim/statistic.h"

#include <cmath>
#include <sstream>

#include "sample_machine.h"
#include "sim/configuration.h"

namespace heddle::sim {

struct CacheStatistics : StatisticGroup {
  using StatisticGroup::StatisticGroup;
  Counter hits{*this, "hits", "accesses", "Found."};
  Counter misses{*this, "misses", "accesses", "Not found."};
  Formula hit_rate{*this, "hit_rate", "fraction", "Hits per access.", [this] {
                     return static_cast<double>(hits.value()) / static_cast<double>(hits.value() + misses.value());
                   }};
};

struct Machine {
  StatisticGroup gpu{"gpu"};
  StatisticGroup sm0{gpu, "sm[0]"}, sm1{gpu, "sm[1]"};
  CacheStatistics l1_0{sm0, "l1"}, l1_1{sm1, "l1"};
};

TEST(Statistic, totals_add_up_over_instances) {
  Machine machine;
  machine.l1_0.hits += 3;
  ++machine.l1_1.hits;
  const auto sums = totals(machine.gpu);
  EXPECT_EQ(sums.at("gpu.sm.l1.hits"), 4u);
  EXPECT_EQ(sums.at("gpu.sm.l1.misses"), 0u);
  EXPECT_EQ(sums.size(), 2u);
}

TEST(Statistic, totals_since_a_reading_count_from_there_and_keep_the_greatest_ever) {
  Machine machine;
  Counter most{machine.sm0, "most", "things", "At once.", Counter::Merge::most};
  Counter most_too{machine.sm1, "most", "things", "At once.", Counter::Merge::most};
  machine.l1_0.hits += 3;
  most.at_least(7);
  const CounterTable reader(machine.gpu);
  const CounterTable::Values before = reader.read_totals();
  machine.l1_1.hits += 2;
  most_too.at_least(5);
  const auto since = reader.totals_since(before);
  EXPECT_EQ(since.at("gpu.sm.l1.hits"), 2u);
  EXPECT_EQ(since.at("gpu.sm.most"), 7u);
  EXPECT_EQ(reader.totals(), totals(machine.gpu));
}

TEST(Statistic, values_can_be_replaced_for_a_while_and_formulas_follow) {
  Machine machine;
  machine.l1_0.hits += 3;
  const CounterTable table(machine.gpu);
  const CounterTable::Values before = table.read();
  machine.l1_0.hits += 1;
  machine.l1_0.misses += 3;
  {
    const ValuesInstead window(table, table.between(before, table.read()));
    EXPECT_EQ(machine.l1_0.hits.value(), 1u);
    EXPECT_DOUBLE_EQ(machine.l1_0.hit_rate.value(), 0.25);
  }
  EXPECT_EQ(machine.l1_0.hits.value(), 4u);
}

TEST(Statistic, counters_are_small_enough_to_lie_four_on_a_cache_line) { EXPECT_LE(sizeof(Counter), 16u); }

struct Shared : StatisticGroup {
  using StatisticGroup::StatisticGroup;
  ApplicationCounter hits{*this, "hits", "lookups", "What was found."};
  ApplicationCounter longest{*this, "longest", "cycles", "The longest.", Counter::Merge::most};
  Counter slots{*this, "slots", "slots", "Of nobody."};
};

TEST(Statistic, a_counter_of_applications_counts_for_all_and_for_each) {
  StatisticGroup root("gpu");
  Shared shared(root, "part");
  shared.divide(3);
  ++shared.hits[0];
  shared.hits[2] += 4;
  shared.longest[1].at_least(7);
  shared.longest[2].at_least(5);
  ++shared.slots;
  const std::map<std::string, std::uint64_t> expected{
      {"gpu.part.hits", 5},
      {"gpu.part.longest", 7},
      {"gpu.part.slots", 1},
      {"gpu.part.application_0.hits", 1},
      {"gpu.part.application_0.longest", 0},
      {"gpu.part.application_1.hits", 0},
      {"gpu.part.application_1.longest", 7},
      {"gpu.part.application_2.hits", 4},
      {"gpu.part.application_2.longest", 5},
  };
  EXPECT_EQ(totals(root), expected);
}

TEST(Statistic, a_counter_of_one_application_has_no_shares) {
  StatisticGroup root("gpu");
  Shared shared(root, "part");
  shared.divide(1);
  shared.hits[0] += 2;
  EXPECT_FALSE(shared.divided());
  EXPECT_EQ(totals(root).size(), 3u);
  EXPECT_EQ(shared.hits.value(), 2u);
}

TEST(Statistic, json_nests_groups_by_path_and_writes_null_for_a_ratio_without_events) {
  Machine machine;
  machine.l1_0.hits += 1;
  machine.l1_0.misses += 1;
  std::ostringstream out;
  write_json(out, machine.gpu);
  EXPECT_EQ(out.str(),
            "{\n  \"gpu\": {\n    \"sm[0]\": {\n      \"l1\": {\n        \"hits\": 1,\n        \"misses\": 1,\n        "
            "\"hit_rate\": 0.5\n      }\n    },\n"
            "    \"sm[1]\": {\n      \"l1\": {\n        \"hits\": 0,\n        \"misses\": 0,\n        \"hit_rate\": "
            "null\n    "
            "  }\n    }\n  }\n}\n");
}

TEST(Statistic, the_description_of_a_path_covers_what_is_below_it) {
  Machine machine;
  const std::string one = describe(machine.gpu, "gpu.sm[1]");
  EXPECT_NE(one.find("gpu.sm[1].l1.hits = 0  # accesses; Found."), std::string::npos);
  EXPECT_EQ(one.find("sm[0]"), std::string::npos);
  const std::string all = describe(machine.gpu, "gpu.sm.l1.hits");
  EXPECT_NE(all.find("gpu.sm[0].l1.hits"), std::string::npos);
  EXPECT_NE(all.find("gpu.sm[1].l1.hits"), std::string::npos);
  EXPECT_NE(message_of([&] { (void)describe(machine.gpu, "gpu.sm[1].l2"); }).find("did you mean 'gpu.sm[1].l1'?"),
            std::string::npos);
}

}  // namespace heddle::sim
