// What a simulated program can do wrong, with everything a report about it needs.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "base/types.h"

namespace heddle::exec {

enum class FaultKind : std::uint8_t {
  illegal_address,
  misaligned_address,
  illegal_instruction,
  trap,
  assertion,
  barrier_deadlock,
  invalid_call,
  stack_overflow,
  instruction_limit,
  endless_wait,
  invalid_texture,
};

/// The launch was stopped from outside.
class Stopped : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "the launch was stopped"; }
};

class ProgramFault : public std::exception {
 public:
  FaultKind kind = FaultKind::trap;
  std::uint64_t grid_id = 0;  ///< of the launch
  std::uint32_t pc = 0;
  Dim3 block{0, 0, 0};
  Dim3 thread{0, 0, 0};
  std::uint64_t address = 0;
  unsigned bytes = 0;
  std::string space;   ///< of a memory fault: "global", "shared", ...
  std::string detail;  ///< one sentence

  [[nodiscard]] const char* what() const noexcept override { return detail.c_str(); }
};

}  // namespace heddle::exec
