// A register file in banks with operand collectors (Lindholm et al., US patent 7,834,881).
//
// Each register comes out of its bank, one per bank and cycle; the collector of an instruction is taken from issue to
// dispatch. Writes take no time of a bank.
#include <algorithm>
#include <vector>

#include "core/operand_storage.h"
#include "core/parameters.h"
#include "core/sm_statistics.h"
#include "core/timed_code.h"

namespace heddle::core {
namespace {

using sim::Cycle;

class RegisterFile final : public OperandStorage {
 public:
  explicit RegisterFile(const Setup& setup)
      : statistics_(setup.statistics),
        registers_(setup.parameters.registers),
        granule_(setup.parameters.register_granule),
        collector_free_at_(setup.parameters.collectors, 0),
        bank_free_at_(setup.parameters.register_banks, 0) {}

  [[nodiscard]] bool fits(unsigned registers, unsigned warps) const override {
    return used_ + size(registers, warps) <= registers_;
  }
  void block_started(unsigned registers, unsigned warps) override { used_ += size(registers, warps); }
  void block_ended(unsigned registers, unsigned warps) override { used_ -= size(registers, warps); }

  [[nodiscard]] Cycle dispatch(unsigned warp, const TimedOp& op, Cycle pipe, Cycle now) override {
    Cycle operands = now;
    for (unsigned r = 0; r < op.reads; ++r) {
      Cycle& bank = bank_free_at_[(op.read_registers[r] + warp) & (bank_free_at_.size() - 1)];
      const Cycle at = std::max(now, bank);
      bank = at + 1;
      operands = std::max(operands, at);
    }
    statistics_.bank_conflicts += operands - now;
    const Cycle at = std::max(operands, pipe);
    // Collectors are taken in turn; the one that comes next is the one that was taken longest ago.
    collector_free_at_[next_collector_] = at + 1;
    next_collector_ = next_collector_ + 1 == collector_free_at_.size() ? 0 : next_collector_ + 1;
    collects_from_ = collector_free_at_[next_collector_];
    return at;
  }

 private:
  [[nodiscard]] unsigned size(unsigned registers, unsigned warps) const {
    return (registers * kWarpSize + granule_ - 1) / granule_ * granule_ * warps;
  }

  SmStatistics& statistics_;
  unsigned registers_;
  unsigned granule_;
  unsigned used_ = 0;
  std::vector<Cycle> collector_free_at_;
  std::size_t next_collector_ = 0;
  std::vector<Cycle> bank_free_at_;
};

[[maybe_unused]] const bool kRegisteredFile = OperandStorageRegistry::instance().add<RegisterFile>(
    "file", "A register file in banks, read through operand collectors.");

}  // namespace
}  // namespace heddle::core
