#include "runtime/loaded_module.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::runtime {
namespace {

/// Limits of a launch, as compute capability 9.0 has them (CUDA C++ Programming Guide, "Technical Specifications").
constexpr std::uint32_t kMostThreadsPerBlock = 1024;
constexpr std::uint32_t kMostSharedBytes = 227 * 1024;
constexpr std::uint32_t kRegistersPerSm = 65536;
constexpr std::uint32_t kMostLocalBytes = 512 * 1024;
/// Stack of each thread for calls, beyond the kernel's own frame (cudaLimitStackSize would be 1 KiB).
constexpr std::uint32_t kStackBytes = 8 * 1024;

[[noreturn]] void bad_launch(int code, const char* name, const std::string& message) {
  throw LaunchError(code, name, fmt::format("{}: {} ({})", message, name, code));
}

void check_shape(const compile::KernelCode& kernel, Dim3 grid, Dim3 block, std::uint64_t shared) {
  const auto configuration = [&](const std::string& message) {
    bad_launch(9, "cudaErrorInvalidConfiguration", message);
  };
  if (grid.count() == 0 || block.count() == 0)
    configuration(fmt::format("kernel '{}': the grid or the block is empty", kernel.name));
  if (block.count() > kMostThreadsPerBlock || block.x > 1024 || block.y > 1024 || block.z > 64) {
    configuration(
        fmt::format("kernel '{}': a block of {} x {} x {} threads is too large; at most {} threads, 1024 x 1024 x 64",
                    kernel.name, block.x, block.y, block.z, kMostThreadsPerBlock));
  }
  if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535) {
    configuration(
        fmt::format("kernel '{}': a grid of {} x {} x {} blocks is too large; at most 2147483647 x 65535 x 65535",
                    kernel.name, grid.x, grid.y, grid.z));
  }
  if (shared > kMostSharedBytes) {
    bad_launch(1, "cudaErrorInvalidValue",
               fmt::format("kernel '{}': {} bytes of shared memory are too many; at most {}", kernel.name, shared,
                           kMostSharedBytes));
  }
  const std::uint64_t limit = std::uint64_t{std::max(kernel.max_threads[0], 1u)} * std::max(kernel.max_threads[1], 1u) *
                              std::max(kernel.max_threads[2], 1u);
  if (kernel.max_threads[0] != 0 && block.count() > limit) {
    bad_launch(1, "cudaErrorInvalidValue",
               fmt::format("kernel '{}' was compiled for at most {} threads per block (.maxntid), not {}", kernel.name,
                           limit, block.count()));
  }
  if (kernel.required_threads[0] != 0) {
    const Dim3 required{kernel.required_threads[0], std::max(kernel.required_threads[1], 1u),
                        std::max(kernel.required_threads[2], 1u)};
    if (!(required == block)) {
      bad_launch(1, "cudaErrorInvalidValue",
                 fmt::format("kernel '{}' requires blocks of {} x {} x {} threads (.reqntid)", kernel.name, required.x,
                             required.y, required.z));
    }
  }
  const std::uint64_t warps = (block.count() + kWarpSize - 1) / kWarpSize;
  if (warps * kWarpSize * kernel.registers > kRegistersPerSm) {
    bad_launch(701, "cudaErrorLaunchOutOfResources",
               fmt::format("kernel '{}': {} threads of {} registers do not fit in {} registers", kernel.name,
                           block.count(), kernel.registers, kRegistersPerSm));
  }
}

}  // namespace

void give_stack(exec::LaunchConfig& plan, const compile::KernelCode& kernel, std::uint32_t stack_bytes) {
  if (kernel.uses_stack) {
    const std::uint64_t wanted = std::uint64_t{kernel.frame_bytes} + stack_bytes;
    plan.local_bytes =
        std::max(plan.local_bytes, static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, kMostLocalBytes)));
  }
  if (plan.local_bytes <= kMostLocalBytes) return;
  bad_launch(701, "cudaErrorLaunchOutOfResources",
             fmt::format("kernel '{}': {} bytes of local memory for each thread are too many; at most {}", kernel.name,
                         plan.local_bytes, kMostLocalBytes));
}

exec::LaunchConfig plan_launch(const LoadedModule& module, const compile::KernelCode& code, Dim3 grid, Dim3 block,
                               std::uint32_t dynamic_shared_bytes,
                               std::span<const std::span<const std::byte>> arguments) {
  if (arguments.size() != code.parameters.size()) {
    throw UserError(
        fmt::format("kernel '{}' takes {} arguments, not {}", code.name, code.parameters.size(), arguments.size()));
  }
  const std::uint64_t shared = std::uint64_t{code.static_shared} + dynamic_shared_bytes;
  check_shape(code, grid, block, shared);

  exec::LaunchConfig config;
  config.code = module.code.get();
  config.entry = code.entry;
  config.code_base_address = compile::kCodeBase;
  config.grid = grid;
  config.block = block;
  config.registers = code.registers;
  config.shared_bytes = static_cast<std::uint32_t>(shared);
  config.dynamic_shared_bytes = dynamic_shared_bytes;
  config.local_bytes = code.frame_bytes + (code.uses_stack ? kStackBytes : 0);
  // All kernels of a module share its constants, so the bank is as large as the largest needs.
  std::uint32_t parameter_bytes = 0;
  for (const compile::KernelCode& other : module.program.kernels)
    parameter_bytes = std::max(parameter_bytes, other.parameter_bytes);
  config.constant_bank.assign(compile::kParameterBase + parameter_bytes + 8, 0);
  std::memcpy(&config.constant_bank[compile::kDynamicSharedSlot], &code.static_shared, sizeof(code.static_shared));
  for (std::size_t a = 0; a < arguments.size(); ++a) {
    const compile::Parameter& parameter = code.parameters[a];
    if (arguments[a].size() != parameter.size) {
      throw UserError(fmt::format("kernel '{}': argument {} ('{}') has {} bytes, the parameter {}", code.name, a,
                                  parameter.name, arguments[a].size(), parameter.size));
    }
    std::memcpy(&config.constant_bank[compile::kParameterBase + parameter.offset], arguments[a].data(), parameter.size);
  }
  return config;
}

}  // namespace heddle::runtime
