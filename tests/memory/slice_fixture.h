// An L2 slice by itself: what tests of one have in common. The test is the memory behind it (transfer()).
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "memory/l2_slice.h"

namespace heddle::memory {

class SliceFixture : public testing::Test, protected MemoryLink {
 protected:
  /// As the parameters say now, which the test sets before.
  void make(unsigned sms, unsigned burst_bytes, unsigned applications = 1, SharingBoard* board = nullptr) {
    network_.emplace(p_.network, exchange_, Network::Size{sms, 1});
    slice_ = std::make_unique<L2Slice>(L2Slice::Setup{p_.l2, burst_bytes, *network_, *this, statistics_, 700, 0,
                                                      nullptr, applications, nullptr, board});
  }
  void send(Request request) {
    request.arrival = now_;
    network_->requests(0).send(request);
    exchange_.turn_over();
    (void)slice_->receive();
  }
  void run(unsigned cycles) {
    for (; cycles != 0; --cycles, ++now_) {
      slice_->begin(now_);
      slice_->tick(now_);
    }
  }
  void fill(std::uint32_t token) {
    slice_->begin(now_);
    slice_->fill(token, now_);
    slice_->tick(now_);
    ++now_;
  }
  [[nodiscard]] std::uint64_t counter(const std::string& name) const {
    return sim::totals(statistics_).at("root.l2." + name);
  }

  [[nodiscard]] bool full(PhysLine /*line*/, std::uint16_t /*application*/) const override { return full_; }

  struct Root : sim::ParameterGroup {
    L2Parameters l2{*this, "l2", ""};
    NetworkParameters network{*this, "network", ""};
  };
  Root p_;
  sim::Exchange exchange_{1};
  sim::StatisticGroup statistics_{"root"};
  std::optional<Network> network_;
  std::unique_ptr<L2Slice> slice_;
  bool full_ = false;
  sim::Cycle now_ = 0;
};

}  // namespace heddle::memory
