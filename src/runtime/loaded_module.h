// A module in device memory, and launches of its kernels.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compile/program.h"
#include "core/timed_code.h"
#include "exec/launch.h"
#include "isa/regions.h"
#include "runtime/device.h"

namespace heddle::runtime {

struct LoadedModule {
  compile::Program program;
  std::unique_ptr<exec::Code> code;
  std::unique_ptr<core::TimedCode> timed;
  std::unique_ptr<isa::RegionCode> regions;  ///< on a machine that runs code by regions
  std::uint64_t code_id = 0;                 ///< distinguishes modules in instruction caches; not 0
  DeviceAddress data = 0;
  std::vector<std::unique_ptr<KernelInfo>> kernels;
  std::vector<std::string> text;  ///< lines of the PTX, where somebody is to see them and it is of one module
};

/// The launch as the executing machine takes it. Throws LaunchError if the shape is impossible, UserError if the
/// arguments do not fit the kernel's parameters.
[[nodiscard]] exec::LaunchConfig plan_launch(const LoadedModule& module, const compile::KernelCode& code, Dim3 grid,
                                             Dim3 block, std::uint32_t dynamic_shared_bytes,
                                             std::span<const std::span<const std::byte>> arguments);
/// At least this much stack, if the kernel calls functions. Throws LaunchError if its threads need more local memory
/// than they can have.
void give_stack(exec::LaunchConfig& plan, const compile::KernelCode& kernel, std::uint32_t stack_bytes);

}  // namespace heddle::runtime
