// Where variables live: the module's data segment, shared memory, kernel parameters, and the frames of calls.
#pragma once

#include <cstdint>
#include <vector>

#include "compile/program.h"
#include "ptx/module.h"

namespace heddle::compile {

inline constexpr std::uint64_t kUnplaced = ~std::uint64_t{0};

struct ModuleLayout {
  std::vector<std::uint64_t> address;        ///< by SymbolId: data-segment address of .global and .const, shared offset
                                             ///< of .shared; kUnplaced otherwise
  std::vector<bool> dynamic_shared;          ///< by SymbolId: extern .shared
  std::vector<std::uint32_t> static_shared;  ///< by FunctionId: bytes of static shared memory a kernel needs
  std::vector<DataSymbol> data;
  std::uint64_t data_bytes = 0;
  std::uint64_t managed_offset = 0;  ///< of managed variables, where they lie apart: the last of the segment
  std::uint64_t managed_bytes = 0;
};

/// Places all variables of a module.
[[nodiscard]] ModuleLayout lay_out(const ptx::Module& module, std::uint64_t data_address,
                                   std::uint64_t managed_alignment = 0);

/// Offsets of a function's returns and parameters from the start of its frame.
struct CallLayout {
  std::vector<std::uint64_t> returns;
  std::vector<std::uint64_t> parameters;
  std::uint64_t bytes = 0;
};
[[nodiscard]] CallLayout call_layout(const std::vector<const ptx::Variable*>& returns,
                                     const std::vector<const ptx::Variable*>& parameters);

/// Offsets of kernel parameters from kParameterBase.
/// Bytes of a kernel's parameters as they are laid out, or more than any kernel may have.
[[nodiscard]] std::uint64_t parameter_bytes(const ptx::Module& module, const ptx::Function& kernel);
[[nodiscard]] std::vector<Parameter> kernel_parameters(const ptx::Module& module, const ptx::Function& kernel);

[[nodiscard]] constexpr std::uint64_t align_up(std::uint64_t value, std::uint64_t alignment) {
  return alignment <= 1 ? value : (value + alignment - 1) / alignment * alignment;
}

}  // namespace heddle::compile
