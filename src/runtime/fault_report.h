// Turns a fault of the simulated program into the CUDA error a GPU would report and a message a person can act on.
#pragma once

#include <string>

#include "compile/program.h"
#include "exec/address_space.h"
#include "exec/fault.h"

namespace heddle::runtime {

struct CudaError {
  int code = 0;
  const char* name = "";
  const char* text = "";
};

[[nodiscard]] CudaError cuda_error(exec::FaultKind kind);
[[nodiscard]] std::string describe_fault(const exec::ProgramFault& fault, const compile::Program& program,
                                         const std::string& kernel, const exec::GlobalMemory& memory);

}  // namespace heddle::runtime
