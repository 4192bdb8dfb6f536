// A TLB that software fills (Pichai, section 3.1: named as the alternative to walkers, not studied): a miss interrupts
// the operating system, which walks the page table and comes back. One miss at a time; reads go the walker's way to
// memory, one after the other, without a page-walk cache. The thesis gives no times: those here are assumed.
#include <algorithm>

#include "vm/walker.h"

namespace heddle::vm {
namespace {

using sim::Cycle;

class SoftwareWalker final : public Walker {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> enter{*this,        "enter",       1000,
                                   {0, 1000000}, "core cycles", "From a miss to the first instruction of the handler."};
    sim::Parameter<unsigned> step{*this,       "step",        20,
                                  {0, 100000}, "core cycles", "Instructions of the handler between two reads."};
    sim::Parameter<unsigned> leave{*this,        "leave",       500,
                                   {0, 1000000}, "core cycles", "From the last read to the filled TLB."};
  };
  SoftwareWalker(const sim::Context& context, const Setup& setup)
      : Walker(setup), p_(context.parameters<Parameters>()) {}

  void tick(Cycle now) override {
    if (state_ == State::idle && !queue_.empty() && queue_.front().starts_at <= now) {
      count_active(now);
      job_ = queue_.front();
      queue_.pop_front();
      count_start(job_, now);
      begin(now);
    }
    if (state_ == State::works && ready_at_ <= now && reader_.can_read()) {
      ++statistics_.reads[job_.space->id()];
      reader_.read({entry_address(), 0, job_.space->id(), job_.warp, level_});
      state_ = State::reads;
    }
    if (state_ == State::leaves && ready_at_ <= now) end(now);
  }

  void answer(std::uint32_t /*id*/, bool from_l2, Cycle now) override {
    if (from_l2) ++statistics_.reads_l2[job_.space->id()];
    count_level(job_, level_, now - level_began_);
    entry_ = {job_.space->memory().read(entry_address())};
    level_began_ = now;
    if (stale_) {
      ++statistics_.restarted[job_.space->id()];
      return begin(now);
    }
    if (!entry_.present() || entry_.leaf(level_)) {
      state_ = State::leaves;
      ready_at_ = now + p_.leave;
      return;
    }
    --level_;
    table_ = entry_.address();
    state_ = State::works;
    ready_at_ = now + p_.step;
  }

  [[nodiscard]] Cycle wakes_at() const override {
    if (state_ == State::reads) return sim::kNever;
    if (state_ != State::idle) return ready_at_;
    return queue_.empty() ? sim::kNever : queue_.front().starts_at;
  }
  void flush() override { stale_ = state_ != State::idle; }
  [[nodiscard]] std::size_t active() const override { return state_ == State::idle ? 0 : 1; }

 private:
  enum class State : std::uint8_t { idle, works, reads, leaves };

  [[nodiscard]] std::uint64_t entry_address() const {
    return job_.space->memory().entry_address(table_, job_.page, level_);
  }

  void begin(Cycle now) {
    stale_ = false;
    level_ = kLevels;
    table_ = job_.space->table().root();
    level_began_ = now;
    state_ = State::works;
    ready_at_ = now + p_.enter;
  }

  void end(Cycle now) {
    if (stale_) {
      ++statistics_.restarted[job_.space->id()];
      return begin(now);
    }
    if (entry_.present()) {
      finish(job_, entry_, level_, now);
    } else {
      fault(job_);
    }
    count_active(now);
    state_ = State::idle;
  }

  const Parameters& p_;
  State state_ = State::idle;
  bool stale_ = false;
  WalkJob job_;
  Entry entry_{};
  unsigned level_ = kLevels;
  std::uint64_t table_ = 0;
  Cycle ready_at_ = 0;
  Cycle level_began_ = 0;
};

[[maybe_unused]] const bool kRegisteredSoftware = WalkerRegistry::instance().add<SoftwareWalker>(
    "software", "The operating system fills the TLB: an interrupt for each miss, one after the other.");

}  // namespace
}  // namespace heddle::vm
