// Oldest block first, as thread block compaction is scheduled (Fung and Aamodt, HPCA 2011; "age-based" in Pichai,
// section 5.1): warps of the block that started first go first, loose round robin among them. So the warps of a block
// come to its branches soon after each other.
#include <array>
#include <bit>

#include "core/scheduler/round_robin.h"

namespace heddle::core {
namespace {

class OldestBlock final : public WarpScheduler {
 public:
  void started(int warp, std::uint64_t age) override { block_[static_cast<unsigned>(warp)] = age; }
  void in_block(int warp, std::uint64_t block) override { block_[static_cast<unsigned>(warp)] = block; }
  void finished(int /*warp*/) override {}
  int pick(const IssueChoice& choice) override {
    if (choice.ready == 0) return kNoWarp;
    std::uint64_t oldest = ~std::uint64_t{0};
    WarpSet among = 0;
    for (WarpSet left = choice.ready; left != 0; left &= left - 1) {
      const auto warp = static_cast<unsigned>(std::countr_zero(left));
      if (block_[warp] > oldest) continue;
      if (block_[warp] < oldest) among = 0;
      oldest = block_[warp];
      among |= WarpSet{1} << warp;
    }
    int& last = last_[choice.scheduler];
    return last = next_in_turn(among, last);
  }

 private:
  std::array<std::uint64_t, 64> block_{};
  std::array<int, kMostSchedulers> last_{63, 63, 63, 63};
};

[[maybe_unused]] const bool kRegisteredOldestBlock =
    SchedulerRegistry::instance().add<OldestBlock>("oldest-block", "Warps of the oldest block first, round robin.");

}  // namespace
}  // namespace heddle::core
