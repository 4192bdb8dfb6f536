// A shard of RegLess (section 4.5): the capacity manager, staging unit and compressor of one warp scheduler.
//
// A warp that has come to a region waits on the stack. The one on top is activated when each bank has as many lines
// that are promised to nobody as the region needs: these are promised to it, and its registers are preloaded. When all
// are there it may issue. With its last instruction it keeps only the lines of results on their way, and when the last
// has been written it goes to the top of the stack, its next region decoded.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "core/kernel.h"
#include "core/operand_storage.h"
#include "core/operands/regless/compressor.h"
#include "core/operands/regless/staging_unit.h"
#include "core/operands/regless/statistics.h"
#include "core/parameters.h"

namespace heddle::core {

/// Something a shard wants of the L1.
struct RegisterRequest {
  enum class Kind : std::uint8_t { load, store, drop, load_line, store_line };
  Kind kind = Kind::load;
  sim::Cycle ready_at = 0;
  StagedName name;         ///< of a register
  std::uint32_t line = 0;  ///< of compressed registers
  std::uint16_t application = 0;
};

class RegLessShard {
 public:
  struct Setup {
    const SmParameters& parameters;
    RegLessStatistics& statistics;
    unsigned index = 0;
    bool checked = false;
  };
  explicit RegLessShard(const Setup& setup);

  /// Numbers of warps are those in the shard.
  void start(unsigned warp, const KernelInstance& kernel, exec::Warp& state);
  void end(unsigned warp);
  /// See OperandStorage.
  [[nodiscard]] bool leaves(unsigned warp);
  void gave_way(unsigned warp, sim::Cycle now);
  void check_reads(const FollowedIssue& issue, unsigned warp);
  void issued(const FollowedIssue& issue, unsigned warp);
  void fetched(unsigned warp, sim::Cycle now);
  void wrote(unsigned warp, const TimedOp& op, sim::Cycle now);
  /// When the operands of an instruction that issues now have been read.
  [[nodiscard]] sim::Cycle read(unsigned warp, const TimedOp& op, sim::Cycle now);

  /// One cycle, without what goes to the L1.
  void tick(sim::Cycle now);
  /// The first request to the L1, if it can go in this cycle; nullptr if there is none.
  [[nodiscard]] const RegisterRequest* request(sim::Cycle now) const {
    return requests_.empty() || requests_.front().ready_at > now ? nullptr : &requests_.front();
  }
  /// The L1 has taken it.
  void requested();
  /// What it asked for has come: a register, or a line of compressed ones.
  void loaded(const RegisterRequest& request, bool from_l1, sim::Cycle now);

  /// Warps of the shard that may not issue.
  [[nodiscard]] std::uint64_t barred() const { return writes_back_late_ ? ~std::uint64_t{0} : barred_; }
  [[nodiscard]] sim::Cycle wakes_at() const { return wakes_at_; }

 private:
  enum class State : std::uint8_t { off, inactive, stacked, preloading, active, draining };
  struct PendingWrite {
    std::uint8_t reg = 0;
    LaneMask lanes = 0;
    bool released = false;  ///< it is the last use
    bool erase = false;
  };
  struct Warp {
    State state = State::off;
    bool fetched = false;  ///< the next region may be decoded
    bool late = false;     ///< results come when the warp goes on, without further notice
    bool leaving = false;  ///< its block is to be taken out
    bool came = false;     ///< its block was taken out somewhere: its registers lie in memory
    const isa::RegionCode* code = nullptr;
    const TimedCode* timed = nullptr;
    unsigned registers = 0;
    const isa::Region* region = nullptr;
    isa::Region rest;  ///< of the region in which its block was taken out
    exec::Warp* state_of = nullptr;
    std::uint16_t application = 0;
    unsigned outstanding = 0;  ///< preloads and invalidations
    std::array<std::uint8_t, isa::kRegionBanks> promised{};
    std::vector<PendingWrite> pending;
    sim::Cycle eligible_at = 0;
    sim::Cycle stacked_at = 0;
    sim::Cycle activated_at = 0;
    sim::Cycle active_at = 0;
    sim::Cycle resumes_at = 0;  ///< decodes metadata until then
  };
  struct QueuedPreload {
    StagedName name;
    isa::Prepare what = isa::Prepare::preload;
  };
  struct WriteBack {
    StagedName name;
    RegisterValue value{};
  };
  struct Fill {
    sim::Cycle at = 0;
    StagedName name;
  };

  [[nodiscard]] unsigned bank_of(StagedName name) const {
    return (bank_warp_[name.warp] + name.reg) % isa::kRegionBanks;
  }
  [[nodiscard]] StagedName name_of(unsigned warp, std::uint8_t reg) const {
    return {static_cast<std::uint8_t>(warp), reg};
  }
  void bar(unsigned warp) { barred_ |= std::uint64_t{1} << warp; }
  void unbar(unsigned warp) { barred_ &= ~(std::uint64_t{1} << warp); }
  void wake_by(sim::Cycle at) { wakes_at_ = std::min(wakes_at_, at); }

  // capacity.cpp
  void push(unsigned warp, sim::Cycle now);
  void activate(sim::Cycle now);
  [[nodiscard]] bool fits(const Warp& warp, unsigned index) const;
  void begin(unsigned index, sim::Cycle now);
  void prepared(unsigned index, sim::Cycle now);
  void region_ended(unsigned index, sim::Cycle now);
  void drained(unsigned index, sim::Cycle now);
  void promise_only_pending(Warp& warp);
  void resume(sim::Cycle now);

  // moving.cpp
  void arrive(Warp& warp, unsigned index);
  [[nodiscard]] static isa::Region rest_of(const Warp& warp, const isa::Region& region, std::uint32_t pc);

  // shard.cpp
  void land(unsigned index, const PendingWrite& write);
  StagingUnit::Line allocate(StagedName name);
  [[nodiscard]] bool prepare(unsigned bank, sim::Cycle now);
  void forget_copy(StagedName name, sim::Cycle now);
  [[nodiscard]] bool compress_one(sim::Cycle now);
  [[nodiscard]] bool expand_one(sim::Cycle now);
  [[nodiscard]] bool evict_one(sim::Cycle now);
  Compressor::Cached* take_line(std::uint32_t line, bool fetch, std::uint16_t application, sim::Cycle now);
  void fill(StagedName name, const RegisterValue& value, sim::Cycle now);
  void plan_wake(sim::Cycle now);

  const RegLessParameters& p_;
  RegLessStatistics& statistics_;
  bool checked_;
  unsigned lines_per_bank_;
  std::vector<unsigned> bank_warp_;  ///< by warp: its number in the bank function
  std::vector<Warp> warps_;
  std::vector<std::uint8_t> stack_;  ///< the top is at the back
  std::array<unsigned, isa::kRegionBanks> promised_{};
  StagingUnit staging_;
  Compressor compressor_;
  std::vector<RegisterValue> memory_;  ///< whole registers in memory, by register and warp
  std::array<std::deque<QueuedPreload>, isa::kRegionBanks> queues_;
  std::array<std::deque<WriteBack>, isa::kRegionBanks> write_backs_;
  std::array<sim::Cycle, isa::kRegionBanks> bank_free_at_{};
  std::deque<QueuedPreload> missing_;  ///< preloads that ask the compressor
  std::vector<Fill> expanding_;
  std::deque<RegisterRequest> requests_;
  unsigned next_bank_ = 0;  ///< whose write-back goes to the compressor next
  std::uint64_t barred_ = 0;
  std::uint64_t resuming_ = 0;     ///< warps that decode metadata
  bool writes_back_late_ = false;  ///< a bank has more to write back than its buffer holds
  bool retries_ = false;           ///< the top of the stack may fit now
  sim::Cycle wakes_at_ = sim::kNever;
};

}  // namespace heddle::core
