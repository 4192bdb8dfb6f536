// A register file in banks with operand collectors (Lindholm et al., US patent 7,834,881).
//
// Each register comes out of its bank, one per bank and cycle; the collector of an instruction is taken from issue to
// dispatch. Writes take no time of a bank.
#include <algorithm>
#include <vector>

#include "core/operand_storage.h"
#include "core/operands/collectors.h"
#include "core/operands/register_space.h"
#include "core/sm_statistics.h"
#include "core/timed_code.h"

namespace heddle::core {
namespace {

using sim::Cycle;

class RegisterFile final : public OperandStorage {
 public:
  explicit RegisterFile(const Setup& setup)
      : statistics_(setup.statistics),
        space_(setup.parameters),
        collectors_(setup.parameters.collectors),
        bank_free_at_(setup.parameters.register_banks, 0) {}

  [[nodiscard]] bool fits(unsigned registers, unsigned warps) const override { return space_.fits(registers, warps); }
  void block_started(unsigned registers, unsigned warps) override { space_.take(registers, warps); }
  void block_ended(unsigned registers, unsigned warps) override { space_.give_back(registers, warps); }

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
    collects_from_ = collectors_.take(at);
    return at;
  }

 private:
  SmStatistics& statistics_;
  RegisterSpace space_;
  Collectors collectors_;
  std::vector<Cycle> bank_free_at_;
};

[[maybe_unused]] const bool kRegisteredFile = OperandStorageRegistry::instance().add<RegisterFile>(
    "file", "A register file in banks, read through operand collectors.");

}  // namespace
}  // namespace heddle::core
