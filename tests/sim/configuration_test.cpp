#include "sim/configuration.h"

#include <filesystem>
#include <fstream>
#include <random>

#include "sample_machine.h"

namespace heddle::sim {

namespace {

/// A folder of preset files that goes away with the test.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() / ("heddle_presets_" + std::to_string(std::random_device{}()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

TEST(Configuration, tables_are_groups_and_keys_are_parameters) {
  SampleMachine machine;
  load_preset_text(machine, "offset = -2\nsm.clock = 2\n[sm.l1]\nways = 16\nenabled = false\n", "text", nullptr);
  EXPECT_EQ(machine.offset, -2);
  EXPECT_EQ(machine.sm.clock, 2.0);
  EXPECT_EQ(machine.sm.l1.ways, 16u);
  EXPECT_FALSE(machine.sm.l1.enabled);
}

TEST(Configuration, every_mistake_is_reported_with_its_place) {
  SampleMachine machine;
  const std::string message = message_of([&] {
    load_preset_text(machine, "offset = 7\n[sm.l1]\n  wayz = 16\nsets = [1]\n[sm.l2]\nways = 1\n", "bad.toml", nullptr);
  });
  EXPECT_EQ(message,
            "bad.toml:1:1: error: offset = 7: must be -5 to 5 bytes\n"
            "bad.toml:3:3: error: sm.l1: unknown key 'wayz' (known: ways, sets, enabled; did you mean 'ways'?)\n"
            "bad.toml:4:1: error: sm.l1.sets = \"(not a single value)\": not an integer; must be 1 to 4096 sets\n"
            "bad.toml:5:5: error: sm: unknown key 'l2' (known: clock, scheduler, l1; did you mean 'l1'?)");
}

TEST(Configuration, a_syntax_error_names_line_and_column) {
  SampleMachine machine;
  EXPECT_TRUE(message_of([&] {
                load_preset_text(machine, "offset = 1\nsm = = 3\n", "bad.toml", nullptr);
              }).starts_with("bad.toml:2:"));
}

TEST(Configuration, a_preset_says_only_what_differs_from_the_one_it_extends) {
  Folder folder;
  folder.write("base.toml", "description = \"base\"\noffset = 1\n[sm.l1]\nways = 2\nsets = 64\n");
  const std::string path = folder.write("more.toml", "description = \"more\"\nextends = \"base\"\n[sm.l1]\nways = 8\n");
  SampleMachine machine;
  load_preset(machine, path, nullptr);
  EXPECT_EQ(machine.offset, 1);
  EXPECT_EQ(machine.sm.l1.ways, 8u);
  EXPECT_EQ(machine.sm.l1.sets, 64u);
  EXPECT_EQ(preset_description(path), "more");
}

TEST(Configuration, a_table_extends_a_preset_of_its_own_group) {
  Folder folder;
  const std::string cache = folder.write("big-cache.toml", "description = \"a cache\"\nways = 32\n");
  SampleMachine machine;
  load_preset_text(machine, "[sm.l1]\nextends = \"big\"\n", "text",
                   [&](const std::string& name) { return name == "big" ? std::optional(cache) : std::nullopt; });
  EXPECT_EQ(machine.sm.l1.ways, 32u);
}

TEST(Configuration, presets_that_extend_each_other_are_an_error) {
  Folder folder;
  const std::string a = folder.write("a.toml", "extends = \"b\"\n");
  folder.write("b.toml", "extends = \"a\"\noffset = 9\n");
  SampleMachine machine;
  const std::string message = message_of([&] { load_preset(machine, a, nullptr); });
  EXPECT_NE(message.find("b.toml:1:11: error: 'a' extends itself"), std::string::npos);
  EXPECT_NE(message.find("b.toml:2:1: error: offset = 9"), std::string::npos);
  EXPECT_NE(message_of([&] {
              load_preset_text(machine, "extends = \"none\"", "text", nullptr);
            }).find("text:1:11: error: there is no preset 'none'"),
            std::string::npos);
  EXPECT_NE(message_of([&] { load_preset(machine, a + "x", nullptr); }).find("cannot be read"), std::string::npos);
}

TEST(Configuration, a_description_shows_value_default_unit_range_and_sentence) {
  SampleMachine machine;
  machine.set("sm.l1.ways", std::int64_t{8});
  EXPECT_EQ(describe(machine, "sm.l1.ways"), "sm.l1.ways = 8 ways  (default 4; 1 to 64)\n    Associativity.\n");
  EXPECT_NE(describe(machine, "").find("sm.scheduler = gto  (default gto; gto, lrr or two-level)"), std::string::npos);
  EXPECT_EQ(message_of([&] { (void)describe(machine, "sm.l1.way"); }),
            "there is no 'sm.l1.way'; did you mean 'sm.l1.ways'?");
}

TEST(Configuration, damaged_text_is_refused_or_read_but_never_crashes) {
  const std::string good =
      "description = \"x\"\noffset = -2\nsm.clock = 2.5\n[sm.l1]\nways = 16 # c\nenabled = false\nsets = "
      "0x20\n[sm]\nscheduler = 'lrr'\n";
  const std::string odd = "[]{}=\"'\n.#,\\0x9e-+_:T\x01\xff";
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int round = 0; round < 5000; ++round) {
    std::string text = good;
    for (std::size_t edits = 1 + below(6); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = odd[below(odd.size())];
          break;
        case 1:
          text.insert(at, 1, odd[below(odd.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(8));
          break;
        default:
          text.insert(at, text.substr(below(text.size()), 1 + below(20)));
          break;
      }
    }
    SampleMachine machine;
    (void)message_of([&] { load_preset_text(machine, text, "fuzz", nullptr); });
    EXPECT_GE(machine.sm.l1.ways, 1u);
    EXPECT_LE(machine.sm.l1.ways, 64u);
  }
}

}  // namespace heddle::sim
