#include "memory/dram_parameters.h"

#include <filesystem>
#include <random>

#include "dram_harness.h"
#include "sim/configuration.h"

namespace heddle::memory {

TEST(DramParameters, values_that_do_not_fit_together_are_all_named) {
  TestParameters p;
  p.number("row_bytes", 3000);
  p.number("tRC", 20);
  p.number("drain_low", 60);
  std::string message;
  try {
    p.check();
  } catch (const UserError& error) {
    message = error.what();
  }
  EXPECT_EQ(message,
            "dram: row_bytes = 3000: must be a power of two\n"
            "dram: tRC = 20: must be at least tRAS (42)\n"
            "dram: drain_low = 60: must be below drain_high (48)");
}

TEST(DramParameters, a_mapping_must_name_every_field_once) {
  EXPECT_EQ(check_mapping_text("row:bank:column"), "");
  EXPECT_EQ(check_mapping_text("row:bnak:column"), "unknown field 'bnak'");
  EXPECT_EQ(check_mapping_text("row:bank:bank"), "'bank' appears twice without a number of bits");
  EXPECT_NE(check_mapping_text("bank:column"), "");
  EXPECT_NE(check_mapping_text(""), "");
  TestParameters p;
  p.text("mapping", "row:bank:column");
  EXPECT_THROW(p.check(), UserError);  // there are four bank groups
}

TEST(DramParameters, addresses_and_places_map_to_each_other) {
  std::mt19937_64 random(3);
  for (const char* mapping : {"row:rank:bank:bankgroup:column", "row:column:rank:bank:bankgroup",
                              "row:bank1:rank:column:bank:bankgroup:column2"}) {
    for (const bool hash : {false, true}) {
      TestParameters p;
      p.number("ranks", 2);
      p.text("mapping", mapping);
      p.set("bank_hash", hash);
      p.check();
      const DramAddressMap map(p);
      for (int i = 0; i < 1000; ++i) {
        const std::uint64_t address = random() % (std::uint64_t{1} << 36) / p.burst_bytes() * p.burst_bytes();
        const DramPlace place = map.place(address);
        EXPECT_EQ(map.address(place), address);
        EXPECT_LT(place.group, p.bank_groups);
        EXPECT_LT(place.bank, p.banks_per_group);
        EXPECT_LT(place.rank, p.ranks);
        EXPECT_LT(place.column, p.row_bytes / p.burst_bytes());
      }
    }
  }
}

TEST(DramParameters, every_preset_loads_and_fits_together) {
  unsigned found = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::string(HEDDLE_PRESETS) + "/dram")) {
    DramParameters p;
    sim::load_preset(p, file.path().string(), nullptr);
    p.check();
    EXPECT_FALSE(sim::preset_description(file.path().string()).empty()) << file.path();
    ++found;
  }
  EXPECT_GE(found, 5u);
}

TEST(DramParameters, the_defaults_are_the_gddr5_preset) {
  DramParameters defaults;
  DramParameters preset;
  sim::load_preset(preset, std::string(HEDDLE_PRESETS) + "/dram/gddr5.toml", nullptr);
  preset.set("mapping", defaults.mapping.value());  // the same but for a rank of no bits
  for (std::size_t i = 0; i < defaults.parameters().size(); ++i) {
    EXPECT_EQ(sim::to_string(defaults.parameters()[i]->value()), sim::to_string(preset.parameters()[i]->value()))
        << defaults.parameters()[i]->key();
  }
}

}  // namespace heddle::memory
