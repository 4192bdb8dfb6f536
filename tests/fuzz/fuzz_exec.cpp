// libFuzzer target: any bytes as PTX, parsed, compiled and executed. Whatever is compiled must end, fail as a program
// fails, or come to its instruction limit, without touching memory that is not the program's.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "compile/program.h"
#include "exec/fault.h"
#include "exec/grid.h"

namespace {

using namespace heddle;

constexpr std::uint64_t kMemoryBytes = std::uint64_t{1} << 26;
constexpr std::uint64_t kBufferBytes = 64 * 1024;
constexpr std::uint64_t kMostDataBytes = 1024 * 1024;
constexpr std::uint64_t kInstructions = 20'000;
constexpr std::uint32_t kMostBytes = 64 * 1024;  ///< of shared and of local memory

void run(const compile::Program& program, const exec::Code& code, const compile::KernelCode& kernel,
         exec::GlobalMemory& memory, std::uint64_t buffer, std::size_t size) {
  if (kernel.static_shared > kMostBytes || kernel.frame_bytes > kMostBytes) return;
  exec::LaunchConfig config;
  config.code = &code;
  config.entry = kernel.entry;
  config.code_base_address = compile::kCodeBase;
  config.grid = {2, 1, 1};
  config.block = {40, 1, 1};
  config.registers = kernel.registers;
  config.shared_bytes = kernel.static_shared + 64;
  config.dynamic_shared_bytes = 64;
  config.local_bytes = kernel.frame_bytes + (kernel.uses_stack ? 1024 : 0);
  config.instruction_limit = kInstructions;
  config.divergence = size % 2 == 0 ? exec::divergence_named("independent", {{"patience", "100"}})
                                    : exec::divergence_named("stack", {{"spin_limit", "1000"}});
  std::uint32_t parameter_bytes = 0;
  for (const compile::KernelCode& other : program.kernels)
    parameter_bytes = std::max(parameter_bytes, other.parameter_bytes);
  config.constant_bank.assign(compile::kParameterBase + parameter_bytes + 8, 0);
  std::memcpy(&config.constant_bank[compile::kDynamicSharedSlot], &kernel.static_shared, sizeof(kernel.static_shared));
  // Pointers get the buffer, numbers a small one.
  for (const compile::Parameter& parameter : kernel.parameters) {
    const std::uint64_t value = parameter.size == 8 ? buffer : 37;
    std::memcpy(&config.constant_bank[compile::kParameterBase + parameter.offset], &value,
                std::min<std::size_t>(parameter.size, sizeof(value)));
  }
  exec::Environment environment;
  environment.memory = &memory;
  environment.print = [](std::string_view) {};
  environment.heap_limit = 64 * 1024;
  try {
    exec::Launch launch(config, environment);
    exec::GridRun grid(launch, 0);
    (void)grid.run();
  } catch (const exec::ProgramFault&) {
    // As it should.
  }
  for (const std::uint64_t address : environment.heap) memory.release(address);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static exec::GlobalMemory memory(kMemoryBytes, exec::GlobalMemory::Placement::anywhere);
  static const std::uint64_t buffer = *memory.allocate(kBufferBytes);
  Diagnostics diagnostics("fuzz");
  const ptx::Module module = ptx::parse({reinterpret_cast<const char*>(data), size}, diagnostics);
  if (!diagnostics.ok()) return 0;
  const std::uint64_t bytes = compile::data_segment_bytes(module);
  if (bytes > kMostDataBytes) return 0;
  const auto segment = bytes != 0 ? memory.allocate(bytes) : std::nullopt;
  compile::CompileOptions options;
  if (segment) options.data_address = *segment;
  options.register_limit = 16 + size % 240;
  const compile::Program program = compile::compile(module, options, diagnostics);
  const bool executes = std::all_of(program.code.begin(), program.code.end(),
                                    [](const isa::Instruction& i) { return exec::Code::executes(i); });
  if (diagnostics.ok() && executes) {
    const exec::Code code(program.code, program.branch_tables, program.callable);
    for (const compile::KernelCode& kernel : program.kernels) run(program, code, kernel, memory, buffer, size);
  }
  if (segment) memory.release(*segment);
  return 0;
}
