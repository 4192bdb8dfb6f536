// What enters a DRAM channel first.
#include "memory/admission.h"

#include <gtest/gtest.h>

#include "dram_harness.h"
#include "memory/dram.h"

namespace heddle::memory {
namespace {

/// The order in which requests enter an empty channel, by their tokens.
std::vector<std::uint32_t> order(const std::string& name, std::initializer_list<DramRequest> requests) {
  TestParameters p;
  p.text("admission", name);
  DramHarness dram(p);
  sim::StatisticGroup statistics{"dram"};
  const auto admission = p.admission.make(statistics, "");
  Ring<DramRequest> waiting;
  for (const DramRequest& request : requests) waiting.push_back(request);
  std::vector<std::uint32_t> tokens;
  while (const auto chosen = admission->choose(waiting, dram.channel)) {
    tokens.push_back(waiting[*chosen].token);
    waiting.erase(*chosen);
  }
  return tokens;
}

DramRequest data(std::uint32_t token, bool write = false) { return {0, token, 0, write}; }
DramRequest walk(std::uint32_t token) { return {0, token, 0, false, Traffic::walk, 1}; }

TEST(Admission, NormalKeepsTheOrderOfArrival) {
  EXPECT_EQ(order("normal", {data(1), data(2, true), walk(3), data(4)}), (std::vector<std::uint32_t>{1, 2, 3, 4}));
}

TEST(Admission, WalksGoFirstInTheirOwnOrder) {
  EXPECT_EQ(order("walks-first", {data(1), walk(2), data(3, true), walk(4)}), (std::vector<std::uint32_t>{2, 4, 1, 3}));
}

}  // namespace
}  // namespace heddle::memory
