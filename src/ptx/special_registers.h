// The read-only registers of the machine, by name.
#pragma once

#include <span>
#include <string_view>

#include "ptx/module.h"

namespace heddle::ptx {

struct SpecialRegisterName {
  std::string_view name;  ///< with its %
  SpecialRegister which = SpecialRegister::tid;
  std::uint16_t number = 0;  ///< the instance: of %envreg7, 7; see Operand::bits
  bool is_vector = false;    ///< has components .x .y .z .w
};

[[nodiscard]] std::span<const SpecialRegisterName> special_registers();

}  // namespace heddle::ptx
