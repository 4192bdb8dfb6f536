#include "runtime/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "compile/program.h"
#include "exec/fault.h"
#include "exec/interpreter.h"
#include "gpu/gpu.h"
#include "ptx/link.h"
#include "ptx/module.h"
#include "runtime/fault_report.h"

namespace heddle::runtime {
namespace {

/// Limits of a launch, as compute capability 9.0 has them (CUDA C++ Programming Guide, "Technical Specifications").
constexpr std::uint32_t kMostThreadsPerBlock = 1024;
constexpr std::uint32_t kMostSharedBytes = 227 * 1024;
constexpr std::uint32_t kRegistersPerSm = 65536;
/// Stack of each thread for calls, beyond the kernel's own frame (cudaLimitStackSize would be 1 KiB).
constexpr std::uint32_t kStackBytes = 8 * 1024;

[[noreturn]] void bad_launch(int code, const char* name, const std::string& message) {
  throw LaunchError(code, name, fmt::format("{}: {} ({})", message, name, code));
}

struct LoadedModule {
  compile::Program program;
  std::unique_ptr<exec::Code> code;
  std::unique_ptr<core::TimedCode> timed;
  DeviceAddress data = 0;
  std::vector<std::unique_ptr<KernelInfo>> kernels;
};

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

class Device::Implementation {
 public:
  explicit Implementation(const Options& device_options)
      : options(device_options), memory(device_options.memory_bytes) {
    environment.memory = &memory;
    if (options.gpu) gpu = std::make_unique<gpu::Gpu>(*options.gpu, memory, options.threads);
    environment.print =
        options.print ? options.print : [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  }

  void run_functional(exec::Launch& launch, LaunchStatistics& statistics) {
    if (options.progress) {
      environment.go_on = [&](std::uint64_t blocks_done, std::uint64_t instructions) {
        return options.progress({statistics.kernel, launches.size(), blocks_done, statistics.grid.count(),
                                 total_instructions + instructions, 0});
      };
    }
    exec::run_grid(launch);
    statistics.warp_instructions = launch.warp_instructions;
    statistics.thread_instructions = launch.thread_instructions;
  }

  void run_timed(exec::Launch& launch, const LoadedModule& module, std::uint64_t code_id,
                 LaunchStatistics& statistics) {
    core::KernelInstance kernel;
    kernel.name = statistics.kernel;
    kernel.launch = &launch;
    kernel.timed = module.timed.get();
    kernel.code_id = code_id + 1;
    kernel.blocks = statistics.grid.count();
    const auto before = sim::totals(gpu->statistics());
    gpu->submit(kernel, 0);
    gpu->run([&](sim::Cycle now) {
      return !options.progress || options.progress({kernel.name, launches.size(), kernel.blocks_done, kernel.blocks,
                                                    gpu->instructions(), now});
    });
    for (const auto& [path, value] : sim::totals(gpu->statistics()))
      statistics.counters[path] = value - before.at(path);
    statistics.cycles = statistics.counters["gpu.cycles"];
    statistics.warp_instructions = statistics.counters["gpu.sm.instructions"];
    statistics.thread_instructions = statistics.counters["gpu.sm.thread_instructions"];
  }

  [[nodiscard]] std::uint8_t* host(DeviceAddress address, std::uint64_t bytes, const char* what) const {
    if (bytes == 0) return nullptr;
    std::uint8_t* at = memory.find(address, bytes);
    if (at == nullptr)
      throw UserError(fmt::format("{}: {} bytes at {:#x} are not all allocated on the device", what, bytes, address));
    return at;
  }

  Options options;
  exec::GlobalMemory memory;
  exec::Environment environment;
  std::vector<std::unique_ptr<LoadedModule>> modules;
  std::vector<LaunchStatistics> launches;
  std::unique_ptr<gpu::Gpu> gpu;
  std::uint64_t total_instructions = 0;
  std::uint64_t last_texture = 0;
  bool failed = false;  ///< a launch ended in an error: the GPU is not to be used again
};

const KernelInfo& Kernel::info() const { return *info_; }

Kernel Module::kernel(std::string_view name) const {
  const LoadedModule& module = *device_->implementation_->modules[index_];
  Kernel kernel;
  for (std::uint32_t k = 0; k < module.kernels.size(); ++k) {
    if (module.kernels[k]->name != name) continue;
    kernel.module_ = index_;
    kernel.index_ = k;
    kernel.info_ = module.kernels[k].get();
    return kernel;
  }
  std::string known;
  for (const auto& k : module.kernels) known += (known.empty() ? "" : ", ") + k->name;
  throw UserError(
      fmt::format("{} has no kernel '{}' (it has: {})", module.program.name, name, known.empty() ? "none" : known));
}

std::vector<std::string> Module::kernel_names() const {
  std::vector<std::string> names;
  for (const auto& kernel : device_->implementation_->modules[index_]->kernels) names.push_back(kernel->name);
  return names;
}

Module::Symbol Module::symbol(std::string_view name) const {
  const LoadedModule& module = *device_->implementation_->modules[index_];
  for (const compile::DataSymbol& symbol : module.program.data) {
    if (symbol.name == name) return {module.data + symbol.offset, symbol.size};
  }
  throw UserError(fmt::format("{} has no variable '{}'", module.program.name, name));
}

Device::Device() : Device(Options{}) {}
Device::Device(const Options& options) : implementation_(std::make_unique<Implementation>(options)) {}
Device::~Device() = default;

DeviceAddress Device::allocate(std::uint64_t bytes) {
  const auto address = implementation_->memory.allocate(bytes);
  if (!address)
    throw LaunchError(2, "cudaErrorMemoryAllocation",
                      fmt::format("out of device memory: {} bytes asked for, {} in use", bytes,
                                  implementation_->memory.allocated_bytes()));
  return *address;
}

void Device::free(DeviceAddress address) {
  if (!implementation_->memory.release(address))
    throw UserError(fmt::format("free: {:#x} is not an allocation", address));
}

void Device::copy_to_device(DeviceAddress destination, const void* source, std::uint64_t bytes) {
  if (std::uint8_t* to = implementation_->host(destination, bytes, "copy to device")) std::memcpy(to, source, bytes);
}

void Device::copy_to_host(void* destination, DeviceAddress source, std::uint64_t bytes) {
  if (const std::uint8_t* from = implementation_->host(source, bytes, "copy to host"))
    std::memcpy(destination, from, bytes);
}

void Device::copy_on_device(DeviceAddress destination, DeviceAddress source, std::uint64_t bytes) {
  std::uint8_t* to = implementation_->host(destination, bytes, "copy on device");
  if (to != nullptr) std::memmove(to, implementation_->host(source, bytes, "copy on device"), bytes);
}

void Device::fill(DeviceAddress destination, std::uint8_t value, std::uint64_t bytes) {
  if (std::uint8_t* to = implementation_->host(destination, bytes, "fill")) std::memset(to, value, bytes);
}

std::uint64_t Device::create_texture(const exec::Texture& texture) {
  const bool channels = texture.channels == 1 || texture.channels == 2 || texture.channels == 4;
  const bool bytes = texture.channel_bytes == 1 || texture.channel_bytes == 2 || texture.channel_bytes == 4;
  if (!channels || !bytes || texture.width == 0 || texture.height == 0) {
    throw UserError("a texture has 1, 2 or 4 channels of 1, 2 or 4 bytes, and at least one element");
  }
  // Handles are small numbers that no program could take for an address.
  const std::uint64_t handle = ++implementation_->last_texture;
  implementation_->environment.textures[handle] = texture;
  return handle;
}

void Device::destroy_texture(std::uint64_t handle) {
  if (implementation_->environment.textures.erase(handle) == 0)
    throw UserError(fmt::format("destroy_texture: {} is not a texture object", handle));
}

Module Device::load(std::string_view ptx, const std::string& name) {
  const std::string text(ptx);
  return load_linked({&text, 1}, name);
}

Module Device::load_linked(std::span<const std::string> ptx, const std::string& name) {
  Diagnostics diagnostics(name);
  std::vector<ptx::Module> modules;
  for (const std::string& text : ptx) modules.push_back(ptx::parse(text, diagnostics));
  diagnostics.throw_if_errors();
  ptx::Module parsed = modules.size() == 1 ? std::move(modules.front()) : ptx::link(std::move(modules), diagnostics);
  diagnostics.throw_if_errors();
  parsed.name = name;

  auto loaded = std::make_unique<LoadedModule>();
  compile::CompileOptions options;
  options.register_limit = implementation_->options.register_limit;
  if (const std::uint64_t bytes = compile::data_segment_bytes(parsed); bytes != 0) {
    loaded->data = allocate(bytes);
    options.data_address = loaded->data;
  }
  loaded->program = compile::compile(parsed, options, diagnostics);
  for (const isa::Instruction& instruction : loaded->program.code) {
    if (exec::Code::executes(instruction)) continue;
    diagnostics.error({instruction.line, 1}, fmt::format("the machine has no '{}': types and modifiers do not fit",
                                                         isa::disassemble(instruction)));
  }
  if (!diagnostics.ok() && loaded->data != 0) free(loaded->data);
  diagnostics.throw_if_errors();
  copy_to_device(loaded->data, loaded->program.data_image.data(), loaded->program.data_image.size());
  loaded->code = std::make_unique<exec::Code>(loaded->program.code, loaded->program.branch_tables);
  if (implementation_->options.gpu)
    loaded->timed = std::make_unique<core::TimedCode>(*loaded->code, implementation_->options.gpu->sm);
  for (const compile::KernelCode& kernel : loaded->program.kernels) {
    auto info = std::make_unique<KernelInfo>();
    info->name = kernel.name;
    info->registers = kernel.registers;
    info->static_shared_bytes = kernel.static_shared;
    info->local_bytes = kernel.frame_bytes;
    info->spill_bytes = kernel.spill_bytes;
    for (const compile::Parameter& parameter : kernel.parameters) {
      info->parameter_sizes.push_back(parameter.size);
      info->parameter_offsets.push_back(parameter.offset);
    }
    if (kernel.max_threads[0] != 0) {
      info->max_threads_per_block =
          kernel.max_threads[0] * std::max(kernel.max_threads[1], 1u) * std::max(kernel.max_threads[2], 1u);
    }
    loaded->kernels.push_back(std::move(info));
  }
  implementation_->modules.push_back(std::move(loaded));
  Module module;
  module.device_ = this;
  module.index_ = static_cast<std::uint32_t>(implementation_->modules.size() - 1);
  return module;
}

LaunchStatistics Device::launch_raw(const Kernel& kernel, Dim3 grid, Dim3 block, std::uint32_t dynamic_shared_bytes,
                                    std::span<const std::span<const std::byte>> arguments) {
  const LoadedModule& module = *implementation_->modules[kernel.module_];
  const compile::KernelCode& code = module.program.kernels[kernel.index_];
  if (arguments.size() != code.parameters.size()) {
    throw UserError(
        fmt::format("kernel '{}' takes {} arguments, not {}", code.name, code.parameters.size(), arguments.size()));
  }
  if (implementation_->failed && implementation_->gpu) {
    throw LaunchError(719, "cudaErrorLaunchFailure",
                      "an earlier launch failed, and a timed GPU cannot go on after that; make a new device");
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
  config.instruction_limit = implementation_->options.instruction_limit;
  config.grid_id = implementation_->launches.size();
  if (implementation_->options.gpu) {
    config.sms = implementation_->options.gpu->sms;
    config.clock_mhz = implementation_->options.gpu->core_mhz;
  }
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

  LaunchStatistics statistics;
  statistics.kernel = code.name;
  statistics.grid = grid;
  statistics.block = block;
  const auto begin = std::chrono::steady_clock::now();
  exec::Launch launch(config, implementation_->environment);
  try {
    if (implementation_->gpu) {
      implementation_->run_timed(launch, module, kernel.module_, statistics);
    } else {
      implementation_->run_functional(launch, statistics);
    }
  } catch (const exec::Stopped&) {
    implementation_->failed = true;
    throw Interrupted(fmt::format("stopped in kernel '{}'", code.name));
  } catch (const exec::ProgramFault& fault) {
    implementation_->failed = true;
    const CudaError error = cuda_error(fault.kind);
    throw LaunchError(error.code, error.name,
                      describe_fault(fault, module.program, code.name, implementation_->memory));
  }
  statistics.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  implementation_->total_instructions += statistics.warp_instructions;
  implementation_->launches.push_back(statistics);
  return statistics;
}

gpu::Gpu* Device::gpu() const { return implementation_->gpu.get(); }
const std::vector<LaunchStatistics>& Device::launches() const { return implementation_->launches; }

}  // namespace heddle::runtime
