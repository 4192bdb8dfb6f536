// One instruction under test: rows by position, run by find_alu's function.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>

#include "exec/alu.h"
#include "ptx_line.h"

namespace heddle::test {

struct RowBench {
  using Narrow = std::array<std::uint32_t, kWarpSize>;
  using Wide = std::array<std::uint64_t, kWarpSize>;

  explicit RowBench(const char* name) : instruction(translate(name)) {}

  template <class Row>
  RowBench& source(unsigned position, const Row& row) {
    constexpr bool wide = sizeof(row[0]) == 8;
    instruction.src[position].kind = wide ? isa::Operand::Kind::gpr_pair : isa::Operand::Kind::gpr;
    arguments.src[position] = row.data();
    return *this;
  }
  RowBench& predicate(unsigned position, LaneMask mask) {
    instruction.src[position].kind = isa::Operand::Kind::predicate;
    arguments.src_predicate[position] = mask;
    return *this;
  }
  template <class Row>
  RowBench& destination(unsigned position, Row& row) {
    constexpr bool wide = sizeof(row[0]) == 8;
    instruction.dst[position].kind = wide ? isa::Operand::Kind::gpr_pair : isa::Operand::Kind::gpr;
    arguments.dst[position] = row.data();
    return *this;
  }
  RowBench& destination(unsigned position, LaneMask& mask) {
    instruction.dst[position].kind = isa::Operand::Kind::predicate;
    arguments.dst_predicate[position] = &mask;
    return *this;
  }
  void run(LaneMask active = kAllLanes) {
    const exec::AluFunction function = exec::find_alu(instruction);
    ASSERT_NE(function, nullptr);
    arguments.active = active;
    function(arguments, instruction);
  }

  isa::Instruction instruction;
  exec::AluArguments arguments;
};

template <class Row = RowBench::Narrow>
Row filled(const std::function<std::uint64_t(unsigned)>& value) {
  Row row;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    row[lane] = static_cast<typename Row::value_type>(value(lane));
  }
  return row;
}
template <class Row = RowBench::Narrow>
Row filled(std::uint64_t value) {
  return filled<Row>([value](unsigned) { return value; });
}

}  // namespace heddle::test
