// RegLess: no register file, but staging units that hold the registers of what runs (Kloosterman, "Data Resource
// Management in Throughput Processors", 2018, chapter 4).
//
// Each warp scheduler has a shard (shard.h). They share the way to the L1: one request a cycle, shards in turn, after
// the load/store unit's or, with sm.regless.l1_first = registers, before them. Registers lie in memory by number, then
// by warp: all warps' R0, all warps' R1, and so on; lines of compressed registers lie behind them.
#include <algorithm>
#include <bit>
#include <memory>
#include <set>

#include "base/check.h"
#include "core/addresses.h"
#include "core/operands/collectors.h"
#include "core/operands/register_space.h"
#include "core/operands/regless/shard.h"
#include "core/sm_statistics.h"
#include "exec/warp.h"

namespace heddle::core {
namespace {

using sim::Cycle;

constexpr std::uint64_t kRegisterBytes = 128;
constexpr std::uint32_t kWholeLine = (1u << kRegisterBytes / memory::kSectorUnit) - 1;
/// The registers of an SM, and behind them compressed lines, a window for each shard.
constexpr unsigned kSmWindowBits = 24;
constexpr std::uint64_t kLinesOffset = std::uint64_t{1} << 23;
constexpr unsigned kShardWindowBits = 18;

/// Registers an instruction reads of a bank after the first: whatever the warp, it must wait so long.
unsigned reads_of_one_bank(const TimedOp& op) {
  unsigned banks = 0;
  for (unsigned r = 0; r < op.reads; ++r) banks |= 1u << op.read_registers[r] % isa::kRegionBanks;
  return op.reads - static_cast<unsigned>(std::popcount(banks));
}

class RegLess final : public OperandStorage {
 public:
  using Statistics = RegLessStatistics;

  RegLess(const sim::Context& context, const Setup& setup)
      : p_(setup.parameters),
        sm_(setup.statistics),
        statistics_(context),
        base_(kRegisterBase + (std::uint64_t{setup.sm} << kSmWindowBits)),
        space_(setup.parameters),
        collectors_(setup.parameters.collectors) {
    for (unsigned s = 0; s < p_.schedulers; ++s)
      shards_.push_back(std::make_unique<RegLessShard>(RegLessShard::Setup{p_, statistics_, s, setup.checked}));
    for (unsigned w = 0; w < p_.warps; ++w) belongs_ |= WarpSet{1} << w;
    follows_ = true;
    wants_writes_ = true;
    goes_first_ = p_.regless.l1_first.is("registers");
  }

  [[nodiscard]] bool fits(unsigned registers, unsigned warps) const override {
    return p_.regless.oversubscribe || space_.fits(registers, warps);
  }
  void block_started(unsigned registers, unsigned warps) override { space_.take(registers, warps); }
  void block_ended(unsigned registers, unsigned warps) override { space_.give_back(registers, warps); }

  void warp_started(unsigned warp, const KernelInstance& kernel, exec::Warp& state) override {
    HEDDLE_CHECK(kernel.regions != nullptr, "a kernel for RegLess has no regions");
    if (kernel.regions != seen_.first || kernel.launch->config.entry != seen_.second) count(kernel);
    shard(warp).start(local(warp), kernel, state);
    gather();
  }
  void warp_ended(unsigned warp) override {
    shard(warp).end(local(warp));
    gather();
  }

  [[nodiscard]] bool leaves(unsigned warp) override {
    const bool left = shard(warp).leaves(local(warp));
    gather();
    return left;
  }

  [[nodiscard]] Cycle dispatch(unsigned warp, const TimedOp& op, Cycle pipe, Cycle now) override {
    const Cycle operands = shard(warp).read(local(warp), op, now);
    sm_.bank_conflicts += operands - now;
    const Cycle at = std::max(operands, pipe);
    collects_from_ = collectors_.take(at);
    return at;
  }

  void issuing(const FollowedIssue& issue) override { shard(issue.warp).check_reads(issue, local(issue.warp)); }
  void issued(const FollowedIssue& issue) override {
    shard(issue.warp).issued(issue, local(issue.warp));
    gather();
  }
  void gave_way(unsigned warp, Cycle now) override {
    shard(warp).gave_way(local(warp), now);
    gather();
  }
  void fetched(unsigned warp, Cycle now) override {
    shard(warp).fetched(local(warp), now);
    gather();
  }
  void wrote(unsigned warp, const TimedOp& op, Cycle now) override {
    shard(warp).wrote(local(warp), op, now);
    gather();
  }

  void loaded(std::uint32_t tag, Cycle now) override {
    const Asked asked = asked_[tag];
    free_tags_.push_back(tag);
    shards_[asked.shard]->loaded(asked.request, asked.from_l1, now);
    gather();
  }

  void tick(Cycle now, RegisterPort& port) override {
    for (auto& s : shards_) {
      if (s->wakes_at() <= now) s->tick(now);
    }
    for (unsigned n = 0; n < shards_.size(); ++n) {
      const unsigned s = (next_ + n) % static_cast<unsigned>(shards_.size());
      const RegisterRequest* request = shards_[s]->request(now);
      if (request == nullptr) continue;
      if (send(s, *request, port, now)) {
        shards_[s]->requested();
        next_ = s + 1;
      } else {
        ++statistics_.l1_waits;
      }
      break;
    }
    gather();
  }

 private:
  struct Asked {
    RegisterRequest request;
    unsigned shard = 0;
    bool from_l1 = false;
  };

  [[nodiscard]] RegLessShard& shard(unsigned warp) { return *shards_[warp % shards_.size()]; }
  [[nodiscard]] unsigned local(unsigned warp) const { return warp / static_cast<unsigned>(shards_.size()); }

  /// What keeps warps from issuing, and when there is something to do.
  void gather() {
    const auto count = static_cast<unsigned>(shards_.size());
    WarpSet barred = 0;
    wakes_at_ = sim::kNever;
    for (unsigned s = 0; s < count; ++s) {
      wakes_at_ = std::min(wakes_at_, shards_[s]->wakes_at());
      for (WarpSet left = shards_[s]->barred() & ((WarpSet{1} << (p_.warps / count)) - 1); left != 0; left &= left - 1)
        barred |= WarpSet{1} << (static_cast<unsigned>(std::countr_zero(left)) * count + s);
    }
    barred_ = barred & belongs_;
  }

  [[nodiscard]] RegisterLine place(unsigned s, const RegisterRequest& request) const {
    using Kind = RegisterRequest::Kind;
    std::uint64_t address = base_;
    if (request.kind == Kind::load_line || request.kind == Kind::store_line) {
      address += kLinesOffset + (std::uint64_t{s} << kShardWindowBits) + request.line * kRegisterBytes;
    } else {
      const std::uint64_t warp = request.name.warp * shards_.size() + s;
      address += (std::uint64_t{request.name.reg} * p_.warps + warp) * kRegisterBytes;
    }
    return {memory::PhysLine{address}, kWholeLine, request.application};
  }

  [[nodiscard]] bool send(unsigned s, const RegisterRequest& request, RegisterPort& port, Cycle now) {
    const RegisterLine line = place(s, request);
    switch (request.kind) {
      case RegisterRequest::Kind::store:
      case RegisterRequest::Kind::store_line:
        return port.store(line, now);
      case RegisterRequest::Kind::drop:
        return port.drop(line, now);
      default:
        break;
    }
    if (free_tags_.empty()) {
      free_tags_.push_back(static_cast<std::uint32_t>(asked_.size()));
      asked_.emplace_back();
    }
    const std::uint32_t tag = free_tags_.back();
    const RegisterLoad result = port.load(line, tag, now);
    if (result == RegisterLoad::refused) return false;
    free_tags_.pop_back();
    asked_[tag] = {request, s, result == RegisterLoad::here};
    return true;
  }

  /// The regions of a kernel that has not run here before.
  void count(const KernelInstance& kernel) {
    seen_ = {kernel.regions, kernel.launch->config.entry};
    if (!counted_.insert(seen_).second) return;
    const isa::RegionCode& code = *kernel.regions;
    const std::uint32_t first = code.region_of[kernel.launch->config.entry];
    const auto function = std::find_if(code.functions.begin(), code.functions.end(),
                                       [&](const isa::RegionCode::Function& f) { return f.begin == first; });
    for (std::uint32_t r = function->begin; r < function->end; ++r) {
      const isa::Region& region = code.regions[r];
      ++statistics_.static_regions;
      statistics_.static_instructions += region.size();
      statistics_.static_words += region.start_words + region.flag_words;
      statistics_.static_preloads += region.inputs;
      statistics_.static_live += region.live;
      statistics_.static_live_squares += std::uint64_t{region.live} * region.live;
      statistics_.static_live_most.at_least(region.live);
      statistics_.static_bank_most += *std::max_element(region.need.begin(), region.need.end());
      for (std::uint32_t pc = region.begin; pc < region.end; ++pc)
        statistics_.static_conflicts += reads_of_one_bank(kernel.timed->at(pc));
      statistics_.static_interior += region.interior;
      statistics_.static_inputs += region.inputs;
      statistics_.static_outputs += region.outputs;
      ++*std::array{&statistics_.static_ends_block, &statistics_.static_ends_meeting, &statistics_.static_ends_load,
                    &statistics_.static_ends_registers}[static_cast<std::size_t>(region.ends)];
    }
  }

  const SmParameters& p_;
  SmStatistics& sm_;
  Statistics statistics_;
  std::uint64_t base_;
  RegisterSpace space_;
  Collectors collectors_;
  WarpSet belongs_ = 0;  ///< contexts that there are
  std::vector<std::unique_ptr<RegLessShard>> shards_;
  unsigned next_ = 0;  ///< shard whose request goes first
  std::vector<Asked> asked_;
  std::vector<std::uint32_t> free_tags_;
  std::pair<const isa::RegionCode*, std::uint32_t> seen_{nullptr, 0};   ///< the kernel that started last
  std::set<std::pair<const isa::RegionCode*, std::uint32_t>> counted_;  ///< kernels, by their code and entry
};

[[maybe_unused]] const bool kRegisteredRegLess = OperandStorageRegistry::instance().add<RegLess>(
    "regless", "RegLess: registers are staged for regions of code, and lie in memory otherwise.");

}  // namespace
}  // namespace heddle::core
