#include "sim/parameter.h"

#include "base/suggestion.h"
#include "sample_machine.h"

namespace heddle::sim {

TEST(Parameter, a_value_set_by_path_is_the_value_read) {
  SampleMachine machine;
  machine.set("sm.l1.ways", std::int64_t{8});
  machine.set("sm.clock", 2.25);
  machine.set("sm.clock", std::int64_t{2});
  machine.set("sm.scheduler", std::string("lrr"));
  EXPECT_EQ(machine.sm.l1.ways, 8u);
  EXPECT_EQ(machine.sm.clock, 2.0);
  EXPECT_TRUE(machine.sm.scheduler.is("lrr"));
}

TEST(Parameter, an_unknown_key_names_its_group_the_known_keys_and_the_nearest) {
  SampleMachine machine;
  EXPECT_EQ(message_of([&] { machine.set("sm.l1.wayz", std::int64_t{1}); }),
            "sm.l1: unknown key 'wayz' (known: ways, sets, enabled; did you mean 'ways'?)");
  EXPECT_EQ(message_of([&] { machine.set("sn.l1.ways", std::int64_t{1}); }),
            "unknown key 'sn' (known: offset, sm; did you mean 'sm'?)");
  EXPECT_EQ(message_of([&] { machine.set("sm.frequency", std::int64_t{1}); }),
            "sm: unknown key 'frequency' (known: clock, scheduler, l1)");
  EXPECT_EQ(message_of([&] { machine.set("sm.l1", std::int64_t{1}); }),
            "sm.l1: is a group of parameters, not a parameter");
}

TEST(Parameter, a_refused_value_names_the_path_the_value_and_what_is_allowed) {
  SampleMachine machine;
  EXPECT_EQ(message_of([&] { machine.set("sm.l1.ways", std::int64_t{99}); }), "sm.l1.ways = 99: must be 1 to 64 ways");
  EXPECT_EQ(message_of([&] { machine.set("sm.l1.ways", std::int64_t{-1}); }), "sm.l1.ways = -1: must be 1 to 64 ways");
  EXPECT_EQ(message_of([&] { machine.set("sm.l1.ways", 2.5); }),
            "sm.l1.ways = 2.5: not an integer; must be 1 to 64 ways");
  EXPECT_EQ(message_of([&] { machine.set("sm.scheduler", std::string("gta")); }),
            "sm.scheduler = \"gta\": must be gto, lrr or two-level");
  EXPECT_EQ(message_of([&] { machine.set("sm.l1.enabled", std::int64_t{1}); }),
            "sm.l1.enabled = 1: must be true or false");
  EXPECT_EQ(machine.sm.l1.ways, 4u);
}

TEST(Parameter, text_from_a_command_line_is_read_as_what_the_parameter_is) {
  SampleMachine machine;
  machine.set_text("sm.l1.ways", "0x10");
  machine.set_text("offset", "-3");
  machine.set_text("sm.clock", "1");
  machine.set_text("sm.l1.enabled", "false");
  machine.set_text("sm.scheduler", "two-level");
  EXPECT_EQ(machine.sm.l1.ways, 16u);
  EXPECT_EQ(machine.offset, -3);
  EXPECT_EQ(machine.sm.clock, 1.0);
  EXPECT_FALSE(machine.sm.l1.enabled);
  EXPECT_EQ(message_of([&] { machine.set_text("sm.l1.ways", "99"); }), "sm.l1.ways = 99: must be 1 to 64 ways");
  EXPECT_EQ(message_of([&] { machine.set_text("sm.l1.ways", "many"); }),
            "sm.l1.ways = many: not an integer; must be 1 to 64 ways");
}

TEST(Suggestion, the_distance_counts_edits_and_swaps) {
  EXPECT_EQ(edit_distance("ways", "ways"), 0u);
  EXPECT_EQ(edit_distance("wyas", "ways"), 1u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

}  // namespace heddle::sim
