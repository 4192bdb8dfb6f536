#include "energy/sram.h"

#include <gtest/gtest.h>

namespace heddle::energy {
namespace {

// Rows of the table, as CACTI printed them.
TEST(Sram, is_what_the_table_says_where_the_table_says_it) {
  const SramCost tlb = sram_cost({.family = Sram::Family::cam, .entries = 32, .entry_bits = 64, .read_ports = 1}, 45);
  EXPECT_NEAR(tlb.read_pj, 5.08621, 1e-4);
  EXPECT_NEAR(tlb.write_pj, 2.97519, 1e-4);
  EXPECT_NEAR(tlb.leakage_mw, 1.69273, 1e-4);
  EXPECT_NEAR(tlb.area_mm2, 0.00849817, 1e-7);
  EXPECT_NEAR(tlb.access_ns, 0.350115, 1e-5);
}

TEST(Sram, lies_between_processes_where_the_process_does) {
  const Sram sram{.family = Sram::Family::cam, .entries = 32, .entry_bits = 64, .read_ports = 1};
  const double at_40 = sram_cost(sram, 40).read_pj;
  EXPECT_LT(at_40, sram_cost(sram, 45).read_pj);
  EXPECT_GT(at_40, sram_cost(sram, 32).read_pj);
}

TEST(Sram, takes_more_area_and_leaks_more_the_larger_it_is) {
  double area = 0;
  double leakage = 0;
  for (const double entries : {100.0, 300.0, 1000.0, 3000.0, 20000.0}) {
    const SramCost cost = sram_cost({.entries = entries, .entry_bits = 1024}, 28);
    EXPECT_GT(cost.area_mm2, area) << entries;
    EXPECT_GT(cost.leakage_mw, leakage) << entries;
    area = cost.area_mm2;
    leakage = cost.leakage_mw;
  }
}

TEST(Sram, ports_cost_area_and_energy) {
  const auto with_ports = [](double ports) {
    return sram_cost({.family = Sram::Family::cam, .entries = 128, .entry_bits = 64, .read_ports = ports}, 32);
  };
  EXPECT_GT(with_ports(4).area_mm2, 2 * with_ports(1).area_mm2);
  EXPECT_GT(with_ports(32).read_pj, with_ports(4).read_pj);
}

/// Each structure estimated from the others. The bounds are what the model reaches, rounded up: a worse one fails.
TEST(Sram, is_estimated_as_well_as_the_documentation_says) {
  for (const int nm : {22, 32, 45}) {
    for (const Sram::Family family : {Sram::Family::ram, Sram::Family::cam, Sram::Family::tlb, Sram::Family::cache}) {
      const SramCost error = fit_error(family, nm);
      EXPECT_LT(error.read_pj, 0.20) << nm;
      EXPECT_LT(error.write_pj, 0.20) << nm;
      EXPECT_LT(error.leakage_mw, 0.20) << nm;
      EXPECT_LT(error.area_mm2, 0.20) << nm;
      EXPECT_LT(error.access_ns, 0.20) << nm;
    }
  }
}

}  // namespace
}  // namespace heddle::energy
