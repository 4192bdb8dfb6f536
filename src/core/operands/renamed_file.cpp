// Register file virtualisation (Jeon et al., MICRO 2015, as RegLess compares with it in section 4.6.1).
//
// A register of a warp takes a physical register when it is written and gives it back when the compiler says that it is
// dead for the whole warp; a write that leaves some lanes alone keeps what it has. The file is smaller than what blocks
// were admitted for. When so few are free that the block which is closest to having all it can need would not get them,
// only that block may take more, so that one always ends.
#include <algorithm>
#include <bit>
#include <bitset>

#include "base/check.h"
#include "core/kernel.h"
#include "core/operands/banked_file.h"
#include "exec/warp.h"

namespace heddle::core {
namespace {

class RenamedFile final : public BankedFile {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> entries{
        *this,       "entries",   1024,
        {64, 65536}, "registers", "Physical registers of a warp: half of what the baseline has (section 4.6.1)."};
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter reads{*this, "reads", "registers", "Operands read from the file."};
    sim::Counter writes{*this, "writes", "registers", "Results written to it."};
    sim::Counter renames{*this, "renames", "registers", "Physical registers given out."};
    sim::Counter most_used{*this, "most_used", "registers", "Most in use at once.", sim::Counter::Merge::most};
    sim::Counter throttles{*this, "throttles", "times", "Times that it began to let only one block take registers."};
  };

  RenamedFile(const sim::Context& context, const Setup& setup)
      : BankedFile(setup),
        statistics_(context),
        entries_(context.parameters<Parameters>().entries),
        free_(entries_),
        blocks_(setup.parameters.blocks) {
    follows_ = true;
  }

  void block_started(unsigned registers, unsigned warps) override {
    BankedFile::block_started(registers, warps);
    current_ = static_cast<unsigned>(
        std::find_if(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.warps == 0; }) - blocks_.begin());
    blocks_[current_] = {registers * warps, 0, 0};
  }
  void warp_started(unsigned w, const KernelInstance& kernel, exec::Warp& state) override {
    Warp& warp = warps_[w];
    warp = {};
    warp.block = current_;
    warp.code = kernel.regions;
    warp.timed = kernel.timed;
    blocks_[current_].warps |= WarpSet{1} << w;
    look_ahead(w, state);
    throttle();
  }
  void warp_ended(unsigned w) override {
    Warp& warp = warps_[w];
    if (warp.code == nullptr) return;
    for (std::size_t r = 0; r < warp.mapped.size(); ++r) unmap(warp, r);
    blocks_[warp.block].warps &= ~(WarpSet{1} << w);
    wants_ &= ~(WarpSet{1} << w);
    warp = {};
    throttle();
  }

  void issued(const FollowedIssue& issue) override {
    Warp& warp = warps_[issue.warp];
    statistics_.reads += issue.op.reads;
    statistics_.writes += issue.op.general_writes;
    const isa::Region& region = warp.code->at(issue.pc);
    if (issue.pc == region.begin) {
      for (const isa::PreparedRegister& entry : region.list) {
        if (entry.what == isa::Prepare::invalidate) unmap(warp, entry.reg);
      }
    }
    for (const isa::LastUse& use : warp.code->last_uses_at(issue.pc)) {
      if (use.erase && !use.at_write) unmap(warp, use.reg);
    }
    for (unsigned w = 0; w < issue.op.general_writes; ++w) map(warp, issue.op.write_registers[w]);
    for (const isa::LastUse& use : warp.code->last_uses_at(issue.pc)) {
      if (use.erase && use.at_write) unmap(warp, use.reg);
    }
    statistics_.most_used.at_least(entries_ - free_);
    look_ahead(issue.warp, issue.state);
    throttle();
  }
  void fetched(unsigned w, sim::Cycle /*now*/) override { (void)w; }

 private:
  struct Block {
    unsigned most = 0;    ///< registers that its warps can ever have at once
    unsigned mapped = 0;  ///< that they have
    WarpSet warps = 0;
  };
  struct Warp {
    unsigned block = 0;
    unsigned wants = 0;  ///< registers that its next instruction takes
    const isa::RegionCode* code = nullptr;
    const TimedCode* timed = nullptr;
    std::bitset<256> mapped;
  };

  void map(Warp& warp, std::size_t reg) {
    if (warp.mapped[reg]) return;
    HEDDLE_CHECK(free_ != 0, "a warp took a register that there is not");
    warp.mapped[reg] = true;
    --free_;
    ++blocks_[warp.block].mapped;
    ++statistics_.renames;
  }
  void unmap(Warp& warp, std::size_t reg) {
    if (!warp.mapped[reg]) return;
    warp.mapped[reg] = false;
    ++free_;
    --blocks_[warp.block].mapped;
  }

  void look_ahead(unsigned w, const exec::Warp& state) {
    Warp& warp = warps_[w];
    const TimedOp& next = warp.timed->at(state.path.pc);
    warp.wants = 0;
    for (unsigned n = 0; n < next.general_writes; ++n) warp.wants += warp.mapped[next.write_registers[n]] ? 0 : 1;
    wants_ = warp.wants != 0 ? wants_ | WarpSet{1} << w : wants_ & ~(WarpSet{1} << w);
  }

  /// Which warps must not take registers now.
  void throttle() {
    const Block* first = nullptr;
    for (const Block& block : blocks_) {
      if (block.warps != 0 && (first == nullptr || block.most - block.mapped < first->most - first->mapped))
        first = &block;
    }
    barred_ = 0;
    const bool scarce = first != nullptr && free_ <= first->most - first->mapped + kMostDestinations;
    if (scarce && !scarce_) ++statistics_.throttles;
    scarce_ = scarce;
    if (!scarce) return;
    barred_ = wants_ & ~first->warps;
    for (WarpSet left = wants_ & first->warps; left != 0; left &= left - 1) {
      const auto w = static_cast<unsigned>(std::countr_zero(left));
      if (warps_[w].wants > free_) barred_ |= WarpSet{1} << w;
    }
  }

  /// With dual issue a warp takes registers for two instructions before it is looked at again.
  static constexpr unsigned kMostDestinations = 10;

  Statistics statistics_;
  unsigned entries_;
  unsigned free_;
  std::vector<Block> blocks_;
  unsigned current_ = 0;
  std::array<Warp, 64> warps_;
  WarpSet wants_ = 0;
  bool scarce_ = false;
};

[[maybe_unused]] const bool kRegisteredRfv = OperandStorageRegistry::instance().add<RenamedFile>(
    "rfv", "Register file virtualisation: registers are renamed when written and freed when dead.");

}  // namespace
}  // namespace heddle::core
