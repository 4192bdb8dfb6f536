// A small register file in fixed shares, managed by spills and fills of the compiler: the alternative that RegLess'
// document rejects (Kloosterman 2018, section 4.2.1), because warps that wait keep what others could use.
//
// A warp has its share from start to end. Kernels are compiled for the registers of a share; what does not fit lies in
// local memory, which goes through the L1. The document says no more than this: banks and collectors are those of a
// register file, and spills are instructions like any other.
#include "core/kernel.h"
#include "core/operands/banked_file.h"

namespace heddle::core {
namespace {

class SpilledFile final : public BankedFile {
 public:
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter fills{*this, "fills", "warp instructions",
                       "Loads from local memory: spilled registers, and variables of threads that lie there."};
    sim::Counter spills{*this, "spills", "warp instructions", "Stores to local memory, likewise."};
  };

  SpilledFile(const sim::Context& context, const Setup& setup)
      : BankedFile(setup),
        statistics_(context),
        share_(setup.parameters.spill.registers_per_warp(setup.parameters.warps)),
        free_(setup.parameters.spill.entries),
        codes_(setup.parameters.warps) {
    follows_ = true;
  }

  [[nodiscard]] bool fits(unsigned /*registers*/, unsigned warps) const override { return warps * share_ <= free_; }
  void block_started(unsigned /*registers*/, unsigned warps) override { free_ -= warps * share_; }
  void block_ended(unsigned /*registers*/, unsigned warps) override { free_ += warps * share_; }
  void warp_started(unsigned warp, const KernelInstance& kernel, exec::Warp& /*state*/) override {
    codes_[warp] = kernel.launch->config.code;
  }
  void issuing(const FollowedIssue& issue) override {
    const isa::Instruction& instruction = codes_[issue.warp]->instruction(issue.pc);
    if (instruction.space != isa::Space::local) return;
    if (instruction.op == isa::Opcode::ld) ++statistics_.fills;
    if (instruction.op == isa::Opcode::st) ++statistics_.spills;
  }

 private:
  Statistics statistics_;
  unsigned share_;
  unsigned free_;                         ///< registers in nobody's share
  std::vector<const exec::Code*> codes_;  ///< by warp
};

[[maybe_unused]] const bool kRegisteredSpill = OperandStorageRegistry::instance().add<SpilledFile>(
    "spill", "A small file in fixed shares: the compiler spills to local memory what a warp's share does not hold.");

}  // namespace
}  // namespace heddle::core
