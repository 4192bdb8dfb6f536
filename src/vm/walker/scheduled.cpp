// Page-walk scheduling (Pichai et al., section 3.3 and figures 3.5 to 3.7): the walker takes all misses that wait when
// it becomes free and walks them together, level by level. At each level an entry that several walks need is read once,
// and entries on the same cache line are read one after the other, so that the later ones hit in the cache. Reads of a
// level are sent one per cycle; the next level begins when all of them have been answered. Nothing is remembered from
// one batch to the next.
//
// Which walks need the same line is found by a tree of comparators: each half of the walks that wait stands for its
// first one when it is compared with the other half. What does not match there is not compared again, so that a tree
// can miss what a comparator for every pair would find.
#include <algorithm>
#include <bit>
#include <map>
#include <numeric>

#include "vm/walker.h"

namespace heddle::vm {
namespace {

using sim::Cycle;

class ScheduledWalker final : public Walker {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Choice comparators{
        *this, "comparators", "tree", {"tree", "pairs"}, "What finds walks that need the same line (section 3.3)."};
  };
  ScheduledWalker(const sim::Context& context, const Setup& setup)
      : Walker(setup), pairs_(context.parameters<Parameters>().comparators.is("pairs")) {}

  void tick(Cycle now) override {
    if (batch_.empty() && !queue_.empty() && queue_.front().starts_at <= now) begin_batch(now);
    if (sent_ < reads_.size() && send_at_ <= now) {
      if (reader_.can_read()) {
        const Read& read = reads_[sent_];
        ++statistics_.reads[read.space];
        reader_.read({read.address, static_cast<std::uint32_t>(sent_), read.space, read.warp, level_});
        ++sent_;
      }
      send_at_ = now + 1;
    }
  }

  void answer(std::uint32_t id, bool from_l2, Cycle now) override {
    if (from_l2) ++statistics_.reads_l2[reads_[id].space];
    if (++answered_ == reads_.size()) end_level(now);
  }

  [[nodiscard]] Cycle wakes_at() const override {
    if (sent_ < reads_.size()) return send_at_;
    return batch_.empty() && !queue_.empty() ? queue_.front().starts_at : sim::kNever;
  }
  void flush() override { stale_ = !batch_.empty(); }
  [[nodiscard]] std::size_t active() const override { return batch_.size(); }

 private:
  struct Walk {
    WalkJob job;
    std::uint64_t table = 0;
  };
  struct Read {
    std::uint64_t address = 0;
    std::size_t group = 0;
    SpaceId space = 0;
    std::uint8_t warp = memory::kNoWarp;
  };
  static constexpr std::uint64_t kLineBytes = 128;  ///< 16 entries (section 3.3)

  void begin_batch(Cycle now) {
    count_active(now);
    // Those that have reached the walker by now.
    while (!queue_.empty() && queue_.front().starts_at <= now) {
      const WalkJob job = queue_.front();
      queue_.pop_front();
      count_start(job, now);
      batch_.push_back({job, job.space->table().root()});
    }
    restart(now);
  }

  void restart(Cycle now) {
    stale_ = false;
    level_ = kLevels;
    for (Walk& walk : batch_) walk.table = walk.job.space->table().root();
    begin_level(now);
  }

  void begin_level(Cycle now) {
    reads_.clear();
    sent_ = 0;
    answered_ = 0;
    send_at_ = now;
    level_began_ = now;
    find_groups();
    for (std::size_t w = 0; w < batch_.size(); ++w) {
      const Walk& walk = batch_[w];
      const std::uint64_t address = entry_address(walk);
      const std::size_t group = groups_[w];
      const auto same = [&](const Read& r) { return r.address == address && r.group == group; };
      if (std::any_of(reads_.begin(), reads_.end(), same)) {
        ++statistics_.reads_saved[walk.job.space->id()];
        continue;
      }
      // Behind the last read of the same line, or at the end.
      const auto last = std::find_if(reads_.rbegin(), reads_.rend(), [&](const Read& r) { return r.group == group; });
      reads_.insert(last == reads_.rend() ? reads_.end() : last.base(),
                    {address, group, walk.job.space->id(), walk.job.warp});
    }
  }

  [[nodiscard]] std::uint64_t entry_address(const Walk& walk) const {
    return walk.job.space->memory().entry_address(walk.table, walk.job.page, level_);
  }
  [[nodiscard]] std::uint64_t line_of(const Walk& walk) const { return entry_address(walk) / kLineBytes; }
  /// Groups of walks that are known to need the same line, each by the number of its first walk.
  void find_groups() {
    groups_.resize(batch_.size());
    std::iota(groups_.begin(), groups_.end(), std::size_t{0});
    if (!pairs_) {
      compare(0, batch_.size());
      return;
    }
    std::map<std::uint64_t, std::size_t> first;
    for (std::size_t w = 0; w < batch_.size(); ++w) groups_[w] = first.try_emplace(line_of(batch_[w]), w).first->second;
  }
  /// The walks from `begin` to before `end`; the first stands for all when they are compared with others.
  void compare(std::size_t begin, std::size_t end) {
    if (end - begin < 2) return;
    const std::size_t middle = begin + std::bit_ceil(end - begin) / 2;
    compare(begin, middle);
    compare(middle, end);
    if (line_of(batch_[begin]) != line_of(batch_[middle])) return;
    std::replace(groups_.begin() + static_cast<std::ptrdiff_t>(middle),
                 groups_.begin() + static_cast<std::ptrdiff_t>(end), middle, begin);
  }

  void end_level(Cycle now) {
    for (const Walk& walk : batch_) count_level(walk.job, level_, now - level_began_);
    if (stale_) {
      for (const Walk& walk : batch_) ++statistics_.restarted[walk.job.space->id()];
      restart(now);
      return;
    }
    count_active(now);
    std::erase_if(batch_, [&](Walk& walk) {
      const Entry entry{walk.job.space->memory().read(entry_address(walk))};
      if (!entry.present()) {
        fault(walk.job);
        return true;
      }
      if (entry.leaf(level_)) {
        finish(walk.job, entry, level_, now);
        return true;
      }
      walk.table = entry.address();
      return false;
    });
    --level_;
    if (batch_.empty()) {
      reads_.clear();
      sent_ = 0;
    } else {
      begin_level(now);
    }
  }

  bool pairs_;
  std::vector<Walk> batch_;
  std::vector<std::size_t> groups_;  ///< by walk of the batch
  std::vector<Read> reads_;          ///< of this level, in the order in which they are sent
  std::size_t sent_ = 0;
  std::size_t answered_ = 0;
  unsigned level_ = kLevels;
  Cycle send_at_ = 0;
  Cycle level_began_ = 0;
  bool stale_ = false;
};

[[maybe_unused]] const bool kRegisteredScheduled = WalkerRegistry::instance().add<ScheduledWalker>(
    "scheduled", "All waiting walks together, level by level; each entry is read once, those of a line in a row.");

}  // namespace
}  // namespace heddle::vm
