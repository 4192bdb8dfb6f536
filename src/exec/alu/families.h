// The families of instructions. Each finder returns the handler of an instruction of its family, or nullptr when the
// machine does not have that combination of operation, type and modifiers.
#pragma once

#include "exec/alu.h"

namespace heddle::exec {

[[nodiscard]] AluFunction find_integer(const isa::Instruction& instruction);    // integer.cpp
[[nodiscard]] AluFunction find_product(const isa::Instruction& instruction);    // product.cpp
[[nodiscard]] AluFunction find_carry(const isa::Instruction& instruction);      // carry.cpp
[[nodiscard]] AluFunction find_bits(const isa::Instruction& instruction);       // bits.cpp
[[nodiscard]] AluFunction find_bit_field(const isa::Instruction& instruction);  // bit_field.cpp
[[nodiscard]] AluFunction find_float32(const isa::Instruction& instruction);    // float32.cpp
[[nodiscard]] AluFunction find_flushing(const isa::Instruction& instruction);   // flushing.cpp
[[nodiscard]] AluFunction find_float64(const isa::Instruction& instruction);    // float64.cpp
[[nodiscard]] AluFunction find_directed(const isa::Instruction& instruction);   // directed.cpp
[[nodiscard]] AluFunction find_half(const isa::Instruction& instruction);       // half.cpp
[[nodiscard]] AluFunction find_approx(const isa::Instruction& instruction);     // approx.cpp
[[nodiscard]] AluFunction find_testp(const isa::Instruction& instruction);      // testp.cpp
[[nodiscard]] AluFunction find_move(const isa::Instruction& instruction);       // move.cpp
[[nodiscard]] AluFunction find_convert(const isa::Instruction& instruction);    // convert.cpp
[[nodiscard]] AluFunction find_select(const isa::Instruction& instruction);     // select.cpp
[[nodiscard]] AluFunction find_compare(const isa::Instruction& instruction);    // compare.cpp
[[nodiscard]] AluFunction find_predicate(const isa::Instruction& instruction);  // predicate.cpp
[[nodiscard]] AluFunction find_warp(const isa::Instruction& instruction);       // warp.cpp

}  // namespace heddle::exec
