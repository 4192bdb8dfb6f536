// Walks side by side, each on its own: one state machine and a buffer per walk (Power et al., section 4.4). With one
// buffer it is the serial walker of a CPU (Pichai et al., section 3.2). Jobs are served in the order they came.
#include <algorithm>

#include "vm/walker.h"

namespace heddle::vm {
namespace {

using sim::Cycle;

class ThreadedWalker final : public Walker {
 public:
  explicit ThreadedWalker(const Setup& setup) : Walker(setup) {}

  void tick(Cycle now) override {
    start_walks(now);
    for (std::uint32_t w = 0; w < walks_.size(); ++w) {
      Walk& walk = walks_[w];
      if (walk.state == State::looks_up && walk.ready_at <= now) looked_up(walk, now);
      if (walk.state == State::wants_read && walk.ready_at <= now && reader_.can_read()) {
        ++statistics_.reads[walk.job.space->id()];
        reader_.read({walk.entry_address(), w, walk.job.space->id(), walk.job.warp, walk.level});
        walk.state = State::reads;
      }
    }
    update_wake(now);
  }

  void answer(std::uint32_t id, bool from_l2, Cycle now) override {
    Walk& walk = walks_[id];
    if (from_l2) ++statistics_.reads_l2[walk.job.space->id()];
    const Entry entry = walk.entry();
    if (cache_.physical() && entry.present() && cache_.keeps(walk.level, entry.leaf(walk.level)) && !walk.stale)
      cache_.fill(walk.entry_address());
    descend(walk, entry, now);
    wake_ = now;
  }

  [[nodiscard]] Cycle wakes_at() const override {
    const bool may_start = active_ < parameters_.walks && !queue_.empty();
    return may_start ? std::min(wake_, queue_.front().starts_at) : wake_;
  }
  void flush() override {
    cache_.flush();
    for (Walk& walk : walks_) walk.stale = walk.state != State::free;
  }
  void flush_space(SpaceId space) override {
    cache_.flush(space);
    for (Walk& walk : walks_) walk.stale |= walk.state != State::free && walk.job.space->id() == space;
  }
  [[nodiscard]] std::size_t active() const override { return active_; }

 private:
  enum class State : std::uint8_t { free, looks_up, wants_read, reads };
  struct Walk {
    WalkJob job;
    State state = State::free;
    bool stale = false;
    unsigned level = kLevels;
    std::uint64_t table = 0;
    Cycle ready_at = 0;
    Cycle level_began = 0;
    [[nodiscard]] std::uint64_t entry_address() const {
      return job.space->memory().entry_address(table, job.page, level);
    }
    [[nodiscard]] Entry entry() const { return {job.space->memory().read(entry_address())}; }
  };

  void start_walks(Cycle now) {
    while (active_ < parameters_.walks && !queue_.empty() && queue_.front().starts_at <= now) {
      auto free = std::find_if(walks_.begin(), walks_.end(), [](const Walk& w) { return w.state == State::free; });
      if (free == walks_.end()) free = walks_.emplace(walks_.end());
      count_active(now);
      ++active_;
      free->job = queue_.front();
      queue_.pop_front();
      count_start(free->job, now);
      begin(*free, now);
    }
  }

  void begin(Walk& walk, Cycle now) {
    walk.stale = false;
    walk.level = kLevels;
    walk.table = walk.job.space->table().root();
    walk.level_began = now;
    if (cache_.by_address()) {
      walk.state = State::looks_up;
      walk.ready_at = now + cache_.latency();
    } else {
      next_level(walk, now);
    }
  }

  /// The walk is to read its entry of this level: from the page-walk cache, if that may have it, or from memory.
  void next_level(Walk& walk, Cycle now) {
    walk.ready_at = now;
    walk.state = State::wants_read;
    if (!cache_.physical() || !cache_.keeps(walk.level, walk.level == 1)) return;
    walk.ready_at = cache_.begin_access(now) + cache_.latency();
    walk.state = State::looks_up;
  }

  void looked_up(Walk& walk, Cycle now) {
    if (cache_.by_address()) {
      const PageWalkCache::Start start = cache_.deepest(walk.job.space->id(), walk.job.page, walk.table);
      ++(start.level == kLevels ? statistics_.cache_misses : statistics_.cache_hits)[walk.job.space->id()];
      walk.level = start.level;
      walk.table = start.table;
      walk.state = State::wants_read;
      walk.level_began = now;
      return;
    }
    if (!cache_.probe(walk.entry_address())) {
      ++statistics_.cache_misses[walk.job.space->id()];
      walk.state = State::wants_read;
      return;
    }
    ++statistics_.cache_hits[walk.job.space->id()];
    descend(walk, walk.entry(), now);
  }

  void descend(Walk& walk, Entry entry, Cycle now) {
    count_level(walk.job, walk.level, now - walk.level_began);
    walk.level_began = now;
    if (walk.stale) {
      ++statistics_.restarted[walk.job.space->id()];
      begin(walk, now);
      return;
    }
    if (!entry.present() || entry.leaf(walk.level)) {
      if (entry.present()) {
        finish(walk.job, entry, walk.level, now);
      } else {
        fault(walk.job);
      }
      count_active(now);
      --active_;
      walk.state = State::free;
      return;
    }
    --walk.level;
    walk.table = entry.address();
    if (cache_.by_address()) cache_.learn(walk.job.space->id(), walk.job.page, walk.level, walk.table);
    next_level(walk, now);
  }

  void update_wake(Cycle now) {
    wake_ = sim::kNever;
    for (const Walk& walk : walks_) {
      if (walk.state == State::looks_up || walk.state == State::wants_read)
        wake_ = std::min(wake_, std::max(walk.ready_at, now + 1));
    }
  }

  std::vector<Walk> walks_;
  std::size_t active_ = 0;
  Cycle wake_ = sim::kNever;
};

[[maybe_unused]] const bool kRegisteredThreaded = WalkerRegistry::instance().add<ThreadedWalker>(
    "threaded", "Walks side by side, each on its own, in the order they came.");

}  // namespace
}  // namespace heddle::vm
