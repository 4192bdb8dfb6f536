// A hierarchy of register files that the compiler fills (Gebhart et al., MICRO 2011, as RegLess compares with it in
// section 4.6.1): the last result, a few operands, and the main file, in which only what is read from it takes banks.
#include "core/kernel.h"
#include "core/operands/banked_file.h"

namespace heddle::core {
namespace {

class RegisterHierarchy final : public BankedFile {
 public:
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter main_reads{*this, "main_reads", "registers", "Operands read from the main file."};
    sim::Counter main_writes{*this, "main_writes", "registers", "Results written to the main file."};
    sim::Counter operand_reads{*this, "operand_reads", "registers", "Operands read from operand files."};
    sim::Counter operand_writes{*this, "operand_writes", "registers", "Results written to operand files."};
    sim::Counter last_reads{*this, "last_reads", "registers", "Operands that were the last result."};
    sim::Counter last_writes{*this, "last_writes", "registers", "Results kept as the last."};
  };

  RegisterHierarchy(const sim::Context& context, const Setup& setup) : BankedFile(setup), statistics_(context) {
    follows_ = true;
  }

  void warp_started(unsigned warp, const KernelInstance& kernel, exec::Warp& /*state*/) override {
    code_[warp] = kernel.regions;
  }
  void issuing(const FollowedIssue& issue) override {
    levels_ = &code_[issue.warp]->levels[issue.pc];
    statistics_.main_reads += levels_->main_reads;
    statistics_.main_writes += levels_->main_writes;
    statistics_.operand_reads += levels_->operand_reads;
    statistics_.operand_writes += levels_->operand_writes;
    statistics_.last_reads += levels_->last_reads;
    statistics_.last_writes += levels_->last_writes;
  }
  [[nodiscard]] sim::Cycle dispatch(unsigned warp, const TimedOp& /*op*/, sim::Cycle pipe, sim::Cycle now) override {
    return collect(warp, {levels_->main_registers.data(), levels_->main_reads}, pipe, now);
  }

 private:
  Statistics statistics_;
  std::array<const isa::RegionCode*, 64> code_{};
  const isa::OperandLevels* levels_ = nullptr;  ///< of the instruction that issues
};

[[maybe_unused]] const bool kRegisteredRfh = OperandStorageRegistry::instance().add<RegisterHierarchy>(
    "rfh", "A hierarchy of register files that the compiler fills.");

}  // namespace
}  // namespace heddle::core
