// Register file virtualisation (Jeon et al., MICRO 2015, as RegLess compares with it in section 4.6.1).
//
// A register of a warp takes a physical register when it is written and gives it back when the compiler says that it is
// dead for the whole warp; a write that leaves some lanes alone keeps what it has. The file is smaller than what blocks
// were admitted for. When so few are free that the block which is closest to having all it can need would not get them,
// only that block may take more, so that one always ends.
#include <fmt/format.h>

#include <algorithm>
#include <bitset>

#include "base/diagnostics.h"
#include "core/kernel.h"
#include "core/operands/banked_file.h"
#include "exec/warp.h"

namespace heddle::core {
namespace {

class RenamedFile final : public BankedFile {
 public:
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
        entries_(setup.parameters.renamed_registers),
        free_(entries_),
        slack_(setup.parameters.schedulers * setup.parameters.issue_width * kMostDestinations),
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
    statistics_.writes += issue.op.written;
    const isa::Region& region = warp.code->at(issue.pc);
    if (issue.pc == region.begin) {
      for (const isa::PreparedRegister& entry : region.list) {
        if (entry.what == isa::Prepare::invalidate) unmap(warp, entry.reg);
      }
    }
    for (const isa::LastUse& use : warp.code->last_uses_at(issue.pc)) {
      if (use.erase && !use.at_write) unmap(warp, use.reg);
    }
    for (unsigned w = 0; w < issue.op.written; ++w) map(warp, issue.op.write_registers[w]);
    for (const isa::LastUse& use : warp.code->last_uses_at(issue.pc)) {
      if (use.erase && use.at_write) unmap(warp, use.reg);
    }
    statistics_.most_used.at_least(entries_ - free_);
    look_ahead(issue.warp, issue.state);
    throttle();
  }

 private:
  static constexpr unsigned kMostDestinations = 8;  ///< of an instruction: four pairs

  struct Block {
    unsigned most = 0;    ///< registers that its warps can ever have at once
    unsigned mapped = 0;  ///< that they have
    WarpSet warps = 0;
  };
  struct Warp {
    unsigned block = 0;
    const isa::RegionCode* code = nullptr;
    const TimedCode* timed = nullptr;
    std::bitset<256> mapped;
  };

  void map(Warp& warp, std::size_t reg) {
    if (warp.mapped[reg]) return;
    if (free_ == 0)
      throw UserError(
          fmt::format("sm.renamed_registers = {}: the warps of a block need more registers at once", entries_));
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
    if (state.state == exec::WarpState::done) return;
    const Warp& warp = warps_[w];
    const TimedOp& next = warp.timed->at(state.path.pc);
    bool wants = false;
    for (unsigned n = 0; n < next.written; ++n) wants = wants || !warp.mapped[next.write_registers[n]];
    wants_ = wants ? wants_ | WarpSet{1} << w : wants_ & ~(WarpSet{1} << w);
  }

  /// Which warps must not take registers now.
  void throttle() {
    const Block* first = nullptr;
    for (const Block& block : blocks_) {
      if (block.warps != 0 && (first == nullptr || block.most - block.mapped < first->most - first->mapped))
        first = &block;
    }
    barred_ = 0;
    const bool scarce = first != nullptr && free_ <= first->most - first->mapped + slack_;
    if (scarce && !scarce_) ++statistics_.throttles;
    scarce_ = scarce;
    if (!scarce) return;
    barred_ = wants_ & ~first->warps;
  }

  Statistics statistics_;
  unsigned entries_;
  unsigned free_;
  unsigned slack_;  ///< registers that all schedulers can take in the cycle before warps are held back
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
