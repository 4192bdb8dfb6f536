// Values of registers inside a stretch of a block: where each is born, used last, and whether it goes on.
#pragma once

#include <array>
#include <vector>

#include "compile/regions/warp_liveness.h"
#include "isa/regions.h"

namespace heddle::compile {

/// One value of one register inside a stretch.
struct ValueSpan {
  std::uint8_t reg = 0;
  bool input = false;     ///< it comes from before
  bool written = false;   ///< at least in part, here
  bool at_write = false;  ///< the last use is a write
  bool lives = false;     ///< a lane may read it after the stretch
  std::size_t first = 0;  ///< indices in the block
  std::size_t last = 0;
};

/// A block as regions are cut from it.
class BlockValues {
 public:
  BlockValues(const MachineFunction& function, const WarpLiveness& liveness, std::uint32_t block);

  [[nodiscard]] std::size_t size() const { return code_.size(); }
  [[nodiscard]] const std::vector<isa::Instruction>& code() const { return code_; }
  [[nodiscard]] std::uint32_t block() const { return block_; }
  /// The values of [begin, end), those of one register in their order.
  [[nodiscard]] std::vector<ValueSpan> spans(std::size_t begin, std::size_t end) const;

  struct Room {
    std::array<unsigned, isa::kRegionBanks> banks{};  ///< most registers live at once, for warp 0
    unsigned live = 0;                                ///< the same over all banks
  };
  /// What the values of [begin, end) need at once.
  [[nodiscard]] static Room room(const std::vector<ValueSpan>& spans, std::size_t begin, std::size_t end);

  /// For each cut from `begin` to `end`, both included: how many registers go in and out of both parts together.
  [[nodiscard]] std::vector<unsigned> crossings(std::size_t begin, std::size_t end) const;

 private:
  [[nodiscard]] bool lives_at(std::size_t position, std::size_t reg) const {
    return live_[position].contains(reg) || liveness_.needed(block_).contains(reg);
  }

  const std::vector<isa::Instruction>& code_;
  const WarpLiveness& liveness_;
  std::uint32_t block_;
  std::vector<BitSet> live_;  ///< before each instruction, and after the last
};

}  // namespace heddle::compile
