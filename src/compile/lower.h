// Lowering: PTX instructions to machine instructions over virtual registers.
//
// One PTX instruction becomes one machine instruction wherever the machine has it; the exceptions (calls, parameter
// space, cp.async) expand here. The lowering files group instructions as the PTX manual's chapters do. Adding an
// instruction: one row in the table of its file.
#pragma once

#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostics.h"
#include "compile/layout.h"
#include "compile/machine_function.h"
#include "compile/modifiers.h"
#include "ptx/module.h"

namespace heddle::compile {

/// A function's machine code before it is cut into blocks: `target` of a branch is a LabelId.
struct LinearCode {
  MachineFunction function;
  std::vector<isa::Instruction> code;
  std::vector<std::uint32_t> label_position;              ///< by LabelId: index into code
  std::vector<std::vector<std::uint32_t>> branch_tables;  ///< LabelIds
};

class Lowerer {
 public:
  Lowerer(const ptx::Module& module, const ModuleLayout& layout, ptx::FunctionId function, Diagnostics& diagnostics);
  [[nodiscard]] LinearCode run();

  using Handler = void (Lowerer::*)(const ptx::Instruction&);
  using Table = std::unordered_map<std::string_view, Handler>;

 private:
  // The tables, one per lowering file.
  static const Table& integer_table();
  static const Table& float_table();
  static const Table& data_table();
  static const Table& memory_table();
  static const Table& warp_table();
  static const Table& control_table();
  static Handler find(std::string_view opcode);

  // lower_integer.cpp
  void lower_add_sub(const ptx::Instruction& p);
  void lower_mul(const ptx::Instruction& p);
  void lower_mad(const ptx::Instruction& p);
  void lower_carry(const ptx::Instruction& p);
  void lower_mul24(const ptx::Instruction& p);
  void lower_div_rem(const ptx::Instruction& p);
  void lower_min_max(const ptx::Instruction& p);
  void lower_abs_neg(const ptx::Instruction& p);
  void lower_sad(const ptx::Instruction& p);
  void lower_dot(const ptx::Instruction& p);
  void lower_logic(const ptx::Instruction& p);
  void lower_lop3(const ptx::Instruction& p);
  void lower_shift(const ptx::Instruction& p);
  void lower_funnel(const ptx::Instruction& p);
  void lower_count_bits(const ptx::Instruction& p);
  void lower_bit_field(const ptx::Instruction& p);
  void lower_prmt(const ptx::Instruction& p);
  void lower_mask(const ptx::Instruction& p);
  // lower_float.cpp
  void lower_fma(const ptx::Instruction& p);
  void lower_special_function(const ptx::Instruction& p);
  void lower_copysign(const ptx::Instruction& p);
  void lower_testp(const ptx::Instruction& p);
  // lower_data.cpp
  void lower_mov(const ptx::Instruction& p);
  void lower_cvt(const ptx::Instruction& p);
  void lower_setp(const ptx::Instruction& p);
  void lower_set(const ptx::Instruction& p);
  void lower_selp(const ptx::Instruction& p);
  void lower_slct(const ptx::Instruction& p);
  void lower_cvta(const ptx::Instruction& p);
  void lower_isspacep(const ptx::Instruction& p);
  // lower_memory.cpp
  void lower_ld(const ptx::Instruction& p);
  void lower_st(const ptx::Instruction& p);
  void lower_atom(const ptx::Instruction& p);
  void lower_prefetch(const ptx::Instruction& p);
  void lower_fence(const ptx::Instruction& p);
  void emit_release(const ptx::Instruction& p, const isa::Instruction& access);
  void lower_cp_async(const ptx::Instruction& p);
  void load_up_to(const isa::Instruction& load, const isa::Operand& size);
  void lower_tex(const ptx::Instruction& p);
  // lower_warp.cpp
  void lower_shfl(const ptx::Instruction& p);
  void lower_vote(const ptx::Instruction& p);
  void lower_match(const ptx::Instruction& p);
  void lower_redux(const ptx::Instruction& p);
  void lower_activemask(const ptx::Instruction& p);
  void lower_elect(const ptx::Instruction& p);
  void lower_bar(const ptx::Instruction& p);
  // lower_control.cpp
  void lower_bra(const ptx::Instruction& p);
  void lower_brx(const ptx::Instruction& p);
  void lower_call(const ptx::Instruction& p);
  void lower_ret(const ptx::Instruction& p);
  void lower_simple(const ptx::Instruction& p);
  void lower_nanosleep(const ptx::Instruction& p);
  bool lower_system_call(const ptx::Instruction& p, const ptx::Function& callee);
  void lower_call_abi(const ptx::Instruction& p, const std::vector<const ptx::Variable*>& returns,
                      const std::vector<const ptx::Variable*>& parameters, std::uint32_t direct_target);

  // lower_param.cpp: the parameter space
  void classify_call_parameters();
  void load_parameter(const ptx::Instruction& p, const isa::Instruction& load);
  void store_parameter(const ptx::Instruction& p, const isa::Instruction& store);
  [[nodiscard]] isa::Operand parameter_piece(ptx::SymbolId symbol, std::uint64_t offset, isa::Type type);

  // lower.cpp: operands
  [[nodiscard]] isa::Operand destination(const ptx::Operand& operand, isa::Type type);
  [[nodiscard]] isa::Operand source(const ptx::Operand& operand, isa::Type type);
  [[nodiscard]] isa::Operand predicate_source(const ptx::Operand& operand);
  [[nodiscard]] isa::Operand register_of(const ptx::Operand& operand);
  [[nodiscard]] isa::Operand variable_address(const ptx::Operand& operand, bool wide);
  void address(const ptx::Operand& operand, isa::Instruction& into);
  [[nodiscard]] isa::Operand temporary(isa::Type type);
  [[nodiscard]] isa::Operand frame_base();

  isa::Instruction make(isa::Opcode op, const ptx::Instruction& p) const;
  void emit(const isa::Instruction& instruction) { out_.code.push_back(instruction); }
  bool expect_operands(const ptx::Instruction& p, std::size_t least, std::size_t most);
  void error(const SourcePlace& place, std::string message) { diagnostics_.error(place, std::move(message)); }
  void unsupported(const ptx::Instruction& p, std::string_view reason);
  /// dst[0] = op(src...) with one type for all.
  void emit_simple(const ptx::Instruction& p, isa::Instruction instruction, std::size_t sources);

  const ptx::Module& module_;
  const ModuleLayout& layout_;
  const ptx::Function& function_;
  ptx::FunctionId function_id_;
  Diagnostics& diagnostics_;
  LinearCode out_;

  std::vector<std::uint32_t> first_register_;                      ///< by ptx RegisterId: first virtual register
  std::uint32_t carry_ = isa::kNoRegister;                         ///< CC.CF as a predicate
  std::unordered_map<ptx::SymbolId, std::uint64_t> frame_offset_;  ///< locals, memory parameters, own parameters
  std::unordered_map<ptx::SymbolId, std::uint64_t> bank_offset_;   ///< kernel parameters
  /// Scalar pieces of call parameters held in registers: (symbol, byte offset) -> register and type.
  struct Piece {
    std::uint32_t reg = isa::kNoRegister;
    isa::Type type = isa::Type::none;
  };
  std::map<std::pair<ptx::SymbolId, std::uint64_t>, Piece> pieces_;
};

}  // namespace heddle::compile
