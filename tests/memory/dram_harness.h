// A DRAM channel under test, its clock, and what came back when.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "base/check.h"
#include "memory/dram.h"
#include "memory/dram_address_map.h"

namespace heddle::memory {

/// Timings without refresh and with the checker on; tests change what they are about.
struct TestParameters : DramParameters {
  TestParameters() {
    set("check", true);
    number("tREFI", 0);
  }
  void number(const char* key, std::int64_t value) { set(key, sim::ParameterValue(value)); }
  void text(const char* key, const std::string& value) { set(key, sim::ParameterValue(value)); }
};

class DramHarness {
 public:
  explicit DramHarness(const DramParameters& parameters, const DramSchedulerSetup& sharing = {})
      : p(parameters), map(p), channel(p, root, "dram", sharing) {}

  [[nodiscard]] std::uint64_t address(std::uint32_t row, unsigned bank, std::uint32_t column = 0, unsigned group = 0,
                                      unsigned rank = 0) const {
    return map.address({row, column, rank, group, bank});
  }
  /// Sends a request in the present cycle; its token is its number.
  std::uint32_t send(std::uint64_t to, bool write = false) { return send({.address = to, .write = write}); }
  std::uint32_t send(DramRequest request) {
    request.token = sent;
    channel.push(request, DramCycle(now));
    sent_at.push_back(now);
    return sent++;
  }
  /// Ticks every cycle until the cycle is `until`.
  void run_until(std::uint64_t until) {
    for (; now < until; ++now) tick();
  }
  /// Jumps from event to event until nothing is left to do; returns the cycle of the last answer.
  std::uint64_t drain() {
    std::uint64_t last = 0;
    for (DramCycle next = channel.next_event(DramCycle(now)); next != kNeverDram;
         next = channel.next_event(DramCycle(now))) {
      now = next.count();
      const std::size_t before = done_at.size();
      tick();
      if (done_at.size() != before) last = now;
      ++now;
    }
    return last;
  }
  /// Sends one read to an otherwise idle channel; cycles until its answer.
  std::uint64_t read_latency(std::uint64_t to) {
    const std::uint64_t sent_cycle = now;
    const std::uint32_t token = send(to);
    drain();
    return done_at.at(token) - sent_cycle;
  }
  [[nodiscard]] std::uint64_t counter(const std::string& name) const {
    return sim::totals(root).at("root.dram." + name);
  }

  const DramParameters& p;
  DramAddressMap map;
  sim::StatisticGroup root{"root"};
  DramChannel channel;
  std::uint64_t now = 0;
  std::uint32_t sent = 0;
  std::vector<std::uint64_t> sent_at;
  std::map<std::uint32_t, std::uint64_t> done_at;

 private:
  void tick() {
    done_.clear();
    channel.tick(DramCycle(now), done_);
    for (const std::uint32_t token : done_)
      EXPECT_TRUE(done_at.emplace(token, now).second) << "token " << token << " came back twice";
  }
  std::vector<std::uint32_t> done_;
};

}  // namespace heddle::memory
