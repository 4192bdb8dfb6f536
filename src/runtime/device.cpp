#include "runtime/device.h"

#include <fmt/format.h>

#include <algorithm>

#include "compile/regions/regions.h"
#include "core/addresses.h"
#include "exec/interpreter.h"
#include "ptx/link.h"
#include "ptx/module.h"
#include "runtime/compile_for.h"
#include "runtime/device_implementation.h"

namespace heddle::runtime {
namespace {

/// What a module has for the constants of a launch: more than parameters may take.
constexpr std::uint64_t kParameterWindow = 8192;

compile::RegionOptions region_options(const gpu::GpuParameters& gpu) {
  const core::SmParameters& sm = gpu.sm;
  compile::RegionOptions options;
  if (!sm.operands.is("regless")) {
    // Renaming and a hierarchy use what the compiler knows of last uses; metadata costs nothing there (section 4.6.1).
    options.metadata = false;
    options.operand_file = sm.operands.is("rfh") ? sm.operand_file.get() : 0;
    return options;
  }
  options.most_registers = sm.regless.registers_per_region(sm.schedulers);
  options.most_in_bank = std::min(options.most_in_bank, sm.regless.lines_per_bank(sm.schedulers));
  options.fewest_instructions = sm.regless.region_instructions;
  options.splits_loads = sm.regless.split_loads;
  options.soft = sm.regless.soft.is("hidden") ? compile::SoftTest::hidden : compile::SoftTest::printed;
  if (gpu.divergence() == "independent") {
    options.soft = compile::SoftTest::scattered;
    options.splits_meetings = true;
  }
  return options;
}

}  // namespace

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
  if (const auto broken = module.program.broken.find(std::string(name)); broken != module.program.broken.end())
    throw UserError(broken->second);
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
Device::Device(const Options& options)
    : Device(std::make_shared<Machine>(MachineOptions{.gpu = options.gpu,
                                                      .threads = options.checks.any() ? 1 : options.threads,
                                                      .progress = options.progress,
                                                      .limits = options.limits,
                                                      .profile = options.profile}),
             options) {}
Device::Device(std::shared_ptr<Machine> machine, const Options& options)
    : implementation_(std::make_unique<DeviceImplementation>(std::move(machine), options)) {}
Device::~Device() = default;

DeviceAddress Device::allocate(std::uint64_t bytes) {
  return implementation_->allocate(bytes, exec::GlobalMemory::kPageBytes, false);
}

DeviceAddress Device::allocate_managed(std::uint64_t bytes) {
  DeviceImplementation& device = *implementation_;
  if (!device.managed) return allocate(bytes);
  const DeviceAddress address = device.allocate(bytes, ManagedSide::kAlignment, true);
  device.managed->add(address, bytes);
  return address;
}

void Device::free(DeviceAddress address) {
  DeviceImplementation& device = *implementation_;
  if (!device.memory.release(address)) throw UserError(fmt::format("free: {:#x} is not an allocation", address));
  if (!device.managed) return;
  device.managed->remove(address);
  device.set_managed_room();
}

void Device::copy_to_device(DeviceAddress destination, const void* source, std::uint64_t bytes) {
  const auto* from = static_cast<const std::uint8_t*>(source);
  implementation_->for_each_piece("copy to device", destination, bytes, [&](std::uint8_t* to, std::uint64_t count) {
    std::memcpy(to, from, count);
    from += count;
  });
  host_wrote(destination, bytes, true);
}

void Device::host_wrote(DeviceAddress address, std::uint64_t bytes, bool copied) {
  if (gpu() != nullptr) gpu()->host_wrote(application(), address, bytes, copied);
  assume_written(address, bytes);
}

void Device::assume_written(DeviceAddress address, std::uint64_t bytes) {
  if (implementation_->checks) implementation_->checks->global().wrote(address, bytes);
}

CodePlace Device::place(std::uint64_t code_id, std::uint32_t pc) const {
  return place_of(*implementation_->modules.at((code_id & 0xffffffffu) - 1), pc);
}

CheckReport Device::check_report() const {
  return implementation_->checks ? make_check_report(*implementation_) : CheckReport{};
}

void Device::copy_to_host(void* destination, DeviceAddress source, std::uint64_t bytes) {
  auto* to = static_cast<std::uint8_t*>(destination);
  implementation_->for_each_piece("copy to host", source, bytes, [&](const std::uint8_t* from, std::uint64_t count) {
    std::memcpy(to, from, count);
    to += count;
  });
}

void Device::copy_on_device(DeviceAddress destination, DeviceAddress source, std::uint64_t bytes) {
  // Through the host: the two ranges may overlap in ways that differ from page to page.
  std::vector<std::uint8_t> through(bytes);
  copy_to_host(through.data(), source, bytes);
  copy_to_device(destination, through.data(), bytes);
}

void Device::fill(DeviceAddress destination, std::uint8_t value, std::uint64_t bytes) {
  implementation_->for_each_piece("fill", destination, bytes,
                                  [&](std::uint8_t* to, std::uint64_t count) { std::memset(to, value, count); });
  host_wrote(destination, bytes, false);
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

DeviceAddress Device::map_host(void* memory, std::uint64_t bytes) {
  constexpr std::uint64_t kPage = exec::GlobalMemory::kPageBytes;
  const auto host = reinterpret_cast<std::uint64_t>(memory);
  const std::uint64_t first = host / kPage * kPage;
  const std::uint64_t pages = (host + bytes - first + kPage - 1) / kPage;
  const DeviceAddress address = allocate(pages * kPage);
  for (std::uint64_t page = 0; page < pages; ++page)
    implementation_->memory.map(address + page * kPage, reinterpret_cast<std::uint8_t*>(first + page * kPage), true);
  assume_written(address, pages * kPage);
  return address + (host - first);
}

void Device::set_heap_bytes(std::uint64_t bytes) { implementation_->environment.heap_limit = bytes; }
void Device::set_stack_bytes(std::uint32_t bytes) { implementation_->stack_bytes = bytes; }

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
  const auto& gpu = implementation_->machine->options().gpu;
  compile::CompileOptions options;
  options.register_limit = implementation_->options.register_limit;
  if (gpu) options = compile_for(*gpu, options.register_limit);
  const bool has_managed = std::any_of(parsed.variables.begin(), parsed.variables.end(),
                                       [](const ptx::Variable& variable) { return variable.managed; });
  if (implementation_->managed && has_managed) options.managed_alignment = ManagedSide::kAlignment;
  if (const std::uint64_t bytes = compile::data_segment_bytes(parsed, options.managed_alignment); bytes != 0) {
    loaded->data =
        implementation_->allocate(bytes, std::max(options.managed_alignment, exec::GlobalMemory::kPageBytes), false);
    options.data_address = loaded->data;
  }
  options.keep_going = ptx.size() > 1 || implementation_->options.keep_going;
  options.executes = exec::Code::executes;
  loaded->program = compile::compile(parsed, options, diagnostics);
  if (!diagnostics.ok() && loaded->data != 0) free(loaded->data);
  diagnostics.throw_if_errors();
  if (loaded->program.managed_bytes != 0) {
    implementation_->managed->add(loaded->data + loaded->program.managed_offset, loaded->program.managed_bytes);
    implementation_->set_managed_room();
  }
  copy_to_device(loaded->data, loaded->program.data_image.data(), loaded->program.data_image.size());
  if (implementation_->checks) name_variables(*loaded, implementation_->checks->global());
  const bool shows_text = implementation_->checks || implementation_->machine->options().profile;
  if (ptx.size() == 1 && shows_text) loaded->text = split_lines(ptx[0]);
  loaded->code =
      std::make_unique<exec::Code>(loaded->program.code, loaded->program.branch_tables, loaded->program.callable);
  if (gpu) loaded->timed = std::make_unique<core::TimedCode>(*loaded->code, gpu->sm);
  if (gpu && gpu->sm.runs_regions())
    loaded->regions = std::make_unique<isa::RegionCode>(compile::make_regions(loaded->program, region_options(*gpu)));
  loaded->code_id = (std::uint64_t{implementation_->application} << 32) + implementation_->modules.size() + 1;
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
  if (gpu) {
    const std::uint64_t window = core::code_window(loaded->code_id);
    // Whole lines, and one more, which is prefetched at the end.
    const std::uint64_t instructions = loaded->regions ? loaded->regions->size : loaded->timed->size();
    const std::uint64_t lines = instructions * gpu->sm.instruction_bytes / core::kInstructionLine + 2;
    host_wrote(core::kCodeBase + window, lines * core::kInstructionLine, false);
    host_wrote(core::kParameterBase + window, kParameterWindow, false);
  }
  implementation_->modules.push_back(std::move(loaded));
  Module module;
  module.device_ = this;
  module.index_ = static_cast<std::uint32_t>(implementation_->modules.size() - 1);
  return module;
}

gpu::Gpu* Device::gpu() const { return implementation_->machine->gpu(); }
const std::vector<LaunchStatistics>& Device::launches() const { return implementation_->launches; }
std::uint16_t Device::application() const { return implementation_->application; }
Machine& Device::machine() const { return *implementation_->machine; }

}  // namespace heddle::runtime
