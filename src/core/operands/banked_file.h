// A register file in banks with operand collectors (Lindholm et al., US patent 7,834,881).
//
// Each register comes out of its bank, one per bank and cycle; the collector of an instruction is taken from issue to
// dispatch. Writes take no time of a bank. Other kinds of operand storage that have such a file build on it.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "core/operand_storage.h"
#include "core/operands/collectors.h"
#include "core/operands/register_space.h"
#include "core/sm_statistics.h"
#include "core/timed_code.h"

namespace heddle::core {

class BankedFile : public OperandStorage {
 public:
  explicit BankedFile(const Setup& setup)
      : statistics_(setup.statistics),
        space_(setup.parameters),
        collectors_(setup.parameters.collectors),
        bank_free_at_(setup.parameters.register_banks, 0) {}

  [[nodiscard]] bool fits(unsigned registers, unsigned warps) const override { return space_.fits(registers, warps); }
  void block_started(unsigned registers, unsigned warps) override { space_.take(registers, warps); }
  void block_ended(unsigned registers, unsigned warps) override { space_.give_back(registers, warps); }

  [[nodiscard]] sim::Cycle dispatch(unsigned warp, const TimedOp& op, sim::Cycle pipe, sim::Cycle now) override {
    return collect(warp, {op.read_registers.data(), op.reads}, pipe, now);
  }

 protected:
  /// When an instruction that reads these registers from the file goes to its pipe.
  [[nodiscard]] sim::Cycle collect(unsigned warp, std::span<const std::uint8_t> registers, sim::Cycle pipe,
                                   sim::Cycle now) {
    sim::Cycle operands = now;
    for (const std::uint8_t reg : registers) {
      sim::Cycle& bank = bank_free_at_[(reg + warp) & (bank_free_at_.size() - 1)];
      const sim::Cycle at = std::max(now, bank);
      bank = at + 1;
      operands = std::max(operands, at);
    }
    statistics_.bank_conflicts += operands - now;
    const sim::Cycle at = std::max(operands, pipe);
    collects_from_ = collectors_.take(at);
    return at;
  }

 private:
  SmStatistics& statistics_;
  RegisterSpace space_;
  Collectors collectors_;
  std::vector<sim::Cycle> bank_free_at_;
};

}  // namespace heddle::core
