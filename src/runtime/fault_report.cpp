#include "runtime/fault_report.h"

#include <fmt/format.h>

#include "base/kernel_name.h"

namespace heddle::runtime {

using exec::FaultKind;

CudaError cuda_error(FaultKind kind) {
  switch (kind) {
    case FaultKind::illegal_address:
    case FaultKind::invalid_texture:
      return {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"};
    case FaultKind::misaligned_address:
      return {716, "cudaErrorMisalignedAddress", "misaligned address"};
    case FaultKind::illegal_instruction:
      return {715, "cudaErrorIllegalInstruction", "an illegal instruction was encountered"};
    case FaultKind::invalid_call:
      return {718, "cudaErrorInvalidPc", "invalid program counter"};
    case FaultKind::stack_overflow:
      return {714, "cudaErrorHardwareStackError", "hardware stack error"};
    case FaultKind::assertion:
      return {710, "cudaErrorAssert", "device-side assert triggered"};
    case FaultKind::barrier_deadlock:
    case FaultKind::instruction_limit:
    case FaultKind::endless_wait:
      return {702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"};
    case FaultKind::trap:
      break;
  }
  return {719, "cudaErrorLaunchFailure", "unspecified launch failure"};
}

std::string describe_fault(const exec::ProgramFault& fault, const compile::Program& program, const std::string& kernel,
                           const exec::GlobalMemory& memory) {
  const CudaError error = cuda_error(fault.kind);
  std::string out =
      fmt::format("kernel '{}' failed: {} ({}): {}\n", kernel_name(kernel), error.name, error.code, error.text);
  if (fault.pc < program.code.size()) {
    const isa::Instruction& instruction = program.code[fault.pc];
    const compile::CodeRange* function = program.function_at(fault.pc);
    out += fmt::format("  at {}", program.place(fault.pc));
    if (function != nullptr && function->name != kernel)
      out += fmt::format(" in function '{}'", kernel_name(function->name));
    out +=
        fmt::format("\n  instruction {:#06x}: {}\n", fault.pc * isa::kInstructionBytes, isa::disassemble(instruction));
  }
  out += fmt::format("  block ({}, {}, {}), thread ({}, {}, {})\n", fault.block.x, fault.block.y, fault.block.z,
                     fault.thread.x, fault.thread.y, fault.thread.z);
  const bool has_address = fault.kind == FaultKind::illegal_address || fault.kind == FaultKind::misaligned_address ||
                           fault.kind == FaultKind::invalid_call || fault.kind == FaultKind::invalid_texture;
  if (has_address) {
    out += fmt::format("  address {:#x}", fault.address);
    if (fault.bytes != 0) out += fmt::format(", {} bytes of {} memory", fault.bytes, fault.space);
    out += fmt::format(": {}\n", fault.detail);
  } else {
    out += fmt::format("  {}\n", fault.detail);
  }
  if (fault.kind == FaultKind::illegal_address && (fault.space == "global" || fault.space == "constant")) {
    if (const auto near = memory.nearest(fault.address)) {
      const std::uint64_t end = near->address + near->bytes;
      out += fmt::format("  nearest allocation: {:#x}, {} bytes; ", near->address, near->bytes);
      out += fault.address >= end ? fmt::format("the address is {} bytes past its end\n", fault.address - end)
                                  : fmt::format("the address is {} bytes before it\n", near->address - fault.address);
    } else {
      out += "  nothing is allocated\n";
    }
  }
  out.pop_back();
  return out;
}

}  // namespace heddle::runtime
