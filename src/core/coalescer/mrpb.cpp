// Memory request prioritisation buffer, its reordering half (Jia et al., HPCA 2014; as compared in Kloosterman 2018,
// section 3.4.1): lines that leave the coalescer wait in a queue per warp, and those of the lowest warp go first. A
// store goes when the queues are empty. Nothing is merged.
#include <algorithm>
#include <bit>
#include <vector>

#include "base/ring.h"
#include "core/coalescer.h"
#include "core/coalescer/lone_line.h"
#include "core/parameters.h"
#include "sim/statistic.h"

namespace heddle::core {
namespace {

using sim::Cycle;

class Mrpb final : public QueuedCoalescer {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> depth{*this, "depth", 8, {1, 256}, "lines", "Lines that the queue of a warp holds."};
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter requests{*this, "requests", "lines", "Lines of loads that went to the L1."};
    sim::Counter overtook{*this, "overtook", "lines", "Of those, lines that went before one that came earlier."};
    sim::Counter stall_full{*this, "stall_full", "core cycles", "In which the queue of the warp was full."};
    sim::Counter stall_flush{*this, "stall_flush", "core cycles",
                             "In which a store waited for the queues to be empty."};
  };

  Mrpb(const sim::Context& context, const Setup& setup)
      : p_(context.parameters<Parameters>()), statistics_(context), setup_(setup), warps_(setup.parameters.warps) {}

  void add(std::uint32_t group) override {
    instructions_.push_back(group);
    progress_ = true;
  }
  [[nodiscard]] WarpSet refuses(WarpSet loads, WarpSet others) const override {
    return instructions_.size() >= setup_.parameters.memory_queue ? loads | others : 0;
  }

  void tick(Cycle now) override {
    progress_ = false;
    if (instructions_.empty()) return;
    const std::uint32_t index = instructions_.front();
    const LineGroup& group = setup_.groups.at(index);
    if (group.operands_at > now) return;
    if (group.kind != MemoryKind::load) {
      if (occupied_ != 0) ++statistics_.stall_flush;
      return;
    }
    Ring<Waiting>& queue = warps_[group.warp];
    if (queue.size() >= p_.depth) {
      ++statistics_.stall_full;
      return;
    }
    queue.push_back({{group, group.lines[next_line_]}, ++arrivals_});
    occupied_ |= WarpSet{1} << group.warp;
    progress_ = true;
    if (++next_line_ < group.lines.size()) return;
    next_line_ = 0;
    setup_.groups.release(index);
    instructions_.pop_front();
  }

  [[nodiscard]] std::uint32_t next(Cycle now) override {
    if (given_ != kNone) return given_;
    if (occupied_ != 0) return give_load();
    if (instructions_.empty()) return kNone;
    const std::uint32_t index = instructions_.front();
    const LineGroup& group = setup_.groups.at(index);
    if (group.operands_at > now || group.kind == MemoryKind::load) return kNone;
    instructions_.pop_front();  // the whole store goes as it is
    given_ = index;
    return given_;
  }

  void left() override {
    given_ = kNone;
    progress_ = true;
  }

  [[nodiscard]] bool empty() const override { return instructions_.empty() && occupied_ == 0 && given_ == kNone; }
  [[nodiscard]] Cycle wakes_at(Cycle now) const override {
    if (progress_) return now + 1;
    return instructions_.empty() ? sim::kNever : std::max(now + 1, setup_.groups.at(instructions_.front()).operands_at);
  }

 private:
  struct Waiting {
    LoneLine from;
    std::uint64_t arrival = 0;
  };

  /// The first line of the lowest warp that has one.
  [[nodiscard]] std::uint32_t give_load() {
    const auto warp = static_cast<unsigned>(std::countr_zero(occupied_));
    const Waiting waiting = warps_[warp].front();
    for (WarpSet left = occupied_; left != 0; left &= left - 1) {
      if (warps_[static_cast<unsigned>(std::countr_zero(left))].front().arrival >= waiting.arrival) continue;
      ++statistics_.overtook;
      break;
    }
    warps_[warp].pop_front();
    if (warps_[warp].empty()) occupied_ &= ~(WarpSet{1} << warp);
    ++statistics_.requests;
    given_ = waiting.from.make_group(setup_.groups);
    return given_;
  }

  const Parameters& p_;
  Statistics statistics_;
  Setup setup_;
  Ring<std::uint32_t> instructions_;  ///< groups in the order of issue
  std::size_t next_line_ = 0;         ///< of the first of them
  std::vector<Ring<Waiting>> warps_;
  WarpSet occupied_ = 0;  ///< warps with lines
  std::uint32_t given_ = kNone;
  std::uint64_t arrivals_ = 0;
  bool progress_ = false;
};

[[maybe_unused]] const bool kRegisteredMrpb = CoalescerRegistry::instance().add<Mrpb>(
    "mrpb", "Memory request prioritisation buffer: lines wait in a queue per warp, the lowest warp's go first.");

}  // namespace
}  // namespace heddle::core
