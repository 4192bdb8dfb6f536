// Machine code decoded for execution: operands are byte offsets, arithmetic is a function pointer.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "exec/alu.h"
#include "isa/instruction.h"

namespace heddle::exec {

enum class OpKind : std::uint8_t {
  alu,
  special_register,
  load,
  store,
  atomic,
  address_conversion,
  texture,
  branch,
  branch_indexed,
  call,
  call_indirect,
  return_,
  exit,
  trap,
  barrier,
  system_call,
  sleep,
  nothing,  ///< fence, prefetch, nop, warp barrier: no effect on values
};

/// One line of the host's cache.
struct alignas(64) Op {
  AluFunction alu = nullptr;
  OpKind kind = OpKind::nothing;
  std::uint8_t guard = 0xff;  ///< predicate register; 0xff: none
  bool guard_negated = false;
  std::uint8_t sources = 0;  ///< register or constant sources among src
  std::uint8_t destinations = 0;
  bool has_predicates = false;         ///< some source or destination is a predicate
  std::uint8_t wide_sources = 0;       ///< bit s: src[s] is a register pair
  std::uint8_t wide_destinations = 0;  ///< bit d: dst[d] is one
  bool meets = false;                  ///< lanes of the warp meet for it: .sync collectives, barriers
  bool starts_function = false;        ///< one that may be called through a pointer
  std::uint8_t members = 0;            ///< of a collective: the source that names them
  std::uint8_t pooled = 0;             ///< bit s: src[s] comes from the constant pool
  std::array<std::uint16_t, 5> dst{};  ///< offset in 32-bit words from the register base
  std::array<std::uint32_t, 6> src{};  ///< likewise, or from the pool
  const isa::Instruction* instruction = nullptr;

  [[nodiscard]] bool in_pool(unsigned s) const { return (pooled >> s & 1) != 0; }
};
static_assert(sizeof(Op) == 64);

/// A module's code, decoded once. Constants that an instruction names are rows in a pool, broadcast to all lanes;
/// those of the constant bank are filled in per launch.
class Code {
 public:
  /// `functions`: where functions begin that may be called through a pointer.
  Code(std::vector<isa::Instruction> instructions, std::vector<std::vector<std::uint32_t>> branch_tables,
       const std::vector<std::uint32_t>& functions = {});
  Code(const Code&) = delete;
  /// Whether the machine executes this instruction; a Code of others cannot be made.
  [[nodiscard]] static bool executes(const isa::Instruction& instruction);
  Code& operator=(const Code&) = delete;

  [[nodiscard]] const Op& at(std::uint32_t pc) const { return ops_[pc]; }
  [[nodiscard]] const Op* data() const { return ops_.data(); }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ops_.size()); }
  [[nodiscard]] const std::vector<std::uint32_t>& branch_table(std::uint32_t index) const {
    return branch_tables_[index];
  }
  [[nodiscard]] const isa::Instruction& instruction(std::uint32_t pc) const { return instructions_[pc]; }

  /// The constant pool for a launch with this constant bank.
  [[nodiscard]] std::vector<std::uint32_t> make_pool(std::span<const std::uint8_t> bank) const;

 private:
  std::uint32_t pool_row(const isa::Operand& operand);
  void decode(std::size_t pc);

  std::vector<isa::Instruction> instructions_;
  std::vector<std::vector<std::uint32_t>> branch_tables_;
  std::vector<Op> ops_;
  std::vector<std::uint32_t> pool_;
  struct BankRow {
    std::uint32_t word = 0;    ///< first word in the pool
    std::uint32_t offset = 0;  ///< byte offset in the bank
    bool wide = false;
  };
  std::vector<BankRow> bank_rows_;
  std::map<std::tuple<isa::Operand::Kind, std::uint32_t, std::uint64_t>, std::uint32_t> rows_;  ///< while decoding
};

}  // namespace heddle::exec
