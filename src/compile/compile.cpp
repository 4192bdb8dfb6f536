// The compiler's pipeline: lower, cut into blocks, clean, schedule, allocate, then place all functions in one segment.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "compile/cfg.h"
#include "compile/liveness.h"
#include "compile/lower.h"
#include "compile/passes.h"
#include "compile/program.h"

namespace heddle::compile {
namespace {

using isa::Opcode;
using isa::Operand;

constexpr std::uint64_t kMostDataBytes = std::uint64_t{16} << 30;
constexpr unsigned kFewestRegisters = 16;
constexpr std::uint64_t kRegistersPerSm = 65536;
/// Of a kernel, from compute capability 7.0 on (PTX ISA, "Parameter State Space").
constexpr std::uint64_t kMostParameterBytes = 32764;
constexpr std::uint64_t kMostLivenessBits = std::uint64_t{1} << 31;  ///< registers times blocks: bounds memory and time

/// `.maxnreg` says it directly; `.maxntid` and `.minnctapersm` promise that so many threads fit on an SM. A function
/// must fit every kernel of its module, because any of them may call it.
unsigned register_limit(const ptx::Module& module, const ptx::Function& function, unsigned most) {
  unsigned limit = most;
  for (const ptx::Function& kernel : module.functions) {
    if (!kernel.is_entry || (function.is_entry && &kernel != &function)) continue;
    if (kernel.maxnreg) limit = std::min(limit, std::max(*kernel.maxnreg, kFewestRegisters));
    std::uint64_t threads = 1;
    for (const std::uint32_t extent : kernel.maxntid[0] != 0 ? kernel.maxntid : kernel.reqntid) {
      threads = std::min<std::uint64_t>(threads * std::max(extent, 1u), 1024);
    }
    const std::uint64_t warps =
        (threads + kWarpSize - 1) / kWarpSize * std::clamp(kernel.minnctapersm.value_or(1), 1u, 32u);
    const auto share = static_cast<unsigned>(kRegistersPerSm / (warps * kWarpSize) / 8 * 8);
    limit = std::min(limit, std::max(share, kFewestRegisters));
  }
  return std::min(limit, most);
}

struct CompiledFunction {
  MachineFunction machine;
  Allocation allocation;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  std::vector<std::uint32_t> callees;  ///< FunctionIds
  bool calls_indirectly = false;
};

CompiledFunction compile_function(const ptx::Module& module, const ModuleLayout& layout, ptx::FunctionId id,
                                  const CompileOptions& options, Diagnostics& diagnostics) {
  const ptx::Function& source = module.functions[id];
  CompiledFunction out;
  if (const std::uint64_t bytes = parameter_bytes(module, source); source.is_entry && bytes > kMostParameterBytes) {
    diagnostics.error(source.place, fmt::format("kernel '{}' has {} bytes of parameters; at most {} are possible",
                                                source.name, bytes, kMostParameterBytes));
    return out;
  }
  LinearCode linear = Lowerer(module, layout, id, diagnostics).run();
  if (!diagnostics.ok()) return out;
  MachineFunction& f = out.machine;
  f = build_blocks(std::move(linear));
  if (f.registers.size() * f.blocks.size() > kMostLivenessBits) {
    diagnostics.error(source.place, fmt::format("'{}' is too large: {} registers in {} basic blocks", source.name,
                                                f.registers.size(), f.blocks.size()));
    return out;
  }
  f.register_limit = register_limit(module, source, options.register_limit);
  f.free_registers = options.free_registers;
  f.latency_warps = options.latency_warps;
  f.lane_registers = options.lane_registers;
  f.branching_divisions = options.branching_divisions;
  f.banks = options.banks;
  f.apart_by_offset = options.fold_offsets;

  propagate_copies(f);
  remove_dead_code(f);
  narrow_addresses(f);
  propagate_copies(f);
  remove_dead_code(f);
  if (options.unroll > 1) unroll_loops(f, options.unroll);
  if (options.predicate != 0) predicate_short_branches(f, options.predicate);
  if (options.fold_offsets) fold_offsets(f);
  if (options.combine_loads) combine_loads(f);
  save_around_calls(f);
  if (options.schedule) schedule(f);
  out.allocation = allocate_registers(f);
  if (!out.allocation.ok) {
    diagnostics.error(source.place, fmt::format("'{}' does not fit in {} registers, not even with spilling",
                                                source.name, f.register_limit));
    return out;
  }
  mark_soft_definitions(f);
  for (const Block& block : f.blocks) {
    for (const isa::Instruction& i : block.code) {
      if (i.op == Opcode::call) out.callees.push_back(i.target);
      if (i.op == Opcode::callx) out.calls_indirectly = true;
      if (options.executes && !options.executes(i)) {
        diagnostics.error({i.line, 1},
                          fmt::format("the machine has no '{}': types and modifiers do not fit", isa::disassemble(i)));
      }
    }
  }
  return out;
}

/// Live 32-bit registers before each instruction of a block, appended in order.
void append_live_counts(const Block& block, const BitSet& live_out, std::vector<unsigned>& counts) {
  std::vector<unsigned> reversed;
  BitSet alive = live_out;
  const auto count_general = [&] {
    unsigned n = 0;
    alive.for_each([&](std::size_t r) { n += r < kFirstPredicate ? 1 : 0; });
    return n;
  };
  for (std::size_t n = block.code.size(); n-- > 0;) {
    const isa::Instruction& i = block.code[n];
    if (!is_partial(i) && !i.soft_definition) {
      for (const Operand& d : i.dst) for_each_physical(d, [&](std::size_t r) { alive.erase(r); });
    }
    for (const Operand& s : i.src) for_each_physical(s, [&](std::size_t r) { alive.insert(r); });
    if (i.guard.exists()) alive.insert(kFirstPredicate + i.guard.predicate);
    reversed.push_back(count_general());
  }
  counts.insert(counts.end(), reversed.rbegin(), reversed.rend());
}

/// Puts a function's blocks behind the program's code: branch targets, reconvergence points, frame offsets.
void place(CompiledFunction& function, Program& program) {
  MachineFunction& f = function.machine;
  const DominatorTree post = post_dominators(f);
  const Liveness live = live_physical(f);
  std::vector<std::uint32_t> start;
  auto pc = static_cast<std::uint32_t>(program.code.size());
  function.begin = pc;
  for (const Block& block : f.blocks) {
    start.push_back(pc);
    pc += static_cast<std::uint32_t>(block.code.size());
  }
  start.push_back(isa::kNoPc);  // the exit
  const auto first_table = static_cast<std::uint32_t>(program.branch_tables.size());
  for (const auto& table : f.branch_tables) {
    auto& placed = program.branch_tables.emplace_back();
    for (const std::uint32_t block : table) placed.push_back(start[block]);
  }
  const std::uint64_t frame = align_up(f.frame_bytes + f.spill_bytes, 16);
  for (std::uint32_t b = 0; b < f.blocks.size(); ++b) {
    if (!f.blocks[b].code.empty()) program.block_starts.push_back(start[b]);
    append_live_counts(f.blocks[b], live.out[b], program.live);
    for (isa::Instruction i : f.blocks[b].code) {
      if (i.op == Opcode::bra || i.op == Opcode::brx) {
        const std::uint32_t meet = post.parent(b);
        i.reconvergence = meet == kNoBlock ? isa::kNoPc : start[meet];
        i.target = i.op == Opcode::bra ? start[i.target] : first_table + i.target;
      }
      if (counts_from_frame_end(i)) {
        if (i.op == Opcode::ld || i.op == Opcode::st) i.offset += static_cast<std::int64_t>(frame);
        if (i.op == Opcode::mov) i.src[0].value += frame;
        if (i.op == Opcode::iadd || i.op == Opcode::isub) i.src[1].value += frame;
        i.immediate = 0;
      }
      program.code.push_back(i);
    }
  }
  function.end = static_cast<std::uint32_t>(program.code.size());
}

/// Calls and function addresses, once every function has its place.
void resolve_functions(const std::vector<CompiledFunction>& functions, Program& program) {
  for (isa::Instruction& i : program.code) {
    if (i.op == Opcode::call) i.target = functions[i.target].begin;
    for (Operand& s : i.src) {
      const bool immediate = s.kind == Operand::Kind::immediate || s.kind == Operand::Kind::immediate_wide;
      if (immediate && s.index != 0) {
        s.value = kCodeBase + std::uint64_t{functions[s.index - 1].begin} * isa::kInstructionBytes;
        s.index = 0;
      }
    }
  }
}

void build_data_image(const ptx::Module& module, const ModuleLayout& layout, const CompileOptions& options,
                      const std::vector<CompiledFunction>& functions, Program& program, Diagnostics& diagnostics) {
  const auto reserve = [&](std::uint64_t bytes) {
    if (program.data_image.size() < bytes) program.data_image.resize(bytes, 0);
  };
  for (std::size_t v = 0; v < module.variables.size(); ++v) {
    const ptx::Variable& variable = module.variables[v];
    if (layout.address[v] == kUnplaced || variable.space == ptx::Space::shared) continue;
    const std::uint64_t offset = layout.address[v] - options.data_address;
    if (!variable.initial.empty()) {
      reserve(offset + variable.initial.size());
      std::copy(variable.initial.begin(), variable.initial.end(),
                program.data_image.begin() + static_cast<std::ptrdiff_t>(offset));
    }
    for (const ptx::Relocation& relocation : variable.relocations) {
      if (relocation.is_function && !module.functions[relocation.symbol].has_body) {
        diagnostics.error(
            variable.place,
            fmt::format("'{}' holds the address of '{}', which is declared but not defined in this module",
                        variable.name, module.functions[relocation.symbol].name));
        continue;
      }
      std::uint64_t value = relocation.is_function
                                ? kCodeBase + std::uint64_t{functions[relocation.symbol].begin} * isa::kInstructionBytes
                                : layout.address[relocation.symbol];
      value += static_cast<std::uint64_t>(relocation.addend);
      if (relocation.mask != ~std::uint64_t{0} && relocation.mask != 0) {
        value = (value & relocation.mask) >> std::countr_zero(relocation.mask);
      }
      reserve(offset + relocation.offset + relocation.size);
      for (unsigned byte = 0; byte < relocation.size; ++byte) {
        program.data_image[offset + relocation.offset + byte] = static_cast<std::uint8_t>(value >> (8 * byte));
      }
    }
  }
}

/// What a kernel needs includes what it may call; an indirect call may reach any function.
std::set<std::uint32_t> reachable(const std::vector<CompiledFunction>& functions, const ptx::Module& module,
                                  std::uint32_t from) {
  std::set<std::uint32_t> found;
  std::vector<std::uint32_t> pending{from};
  while (!pending.empty()) {
    const std::uint32_t f = pending.back();
    pending.pop_back();
    if (!found.insert(f).second) continue;
    for (const std::uint32_t callee : functions[f].callees) pending.push_back(callee);
    if (!functions[f].calls_indirectly) continue;
    for (std::uint32_t g = 0; g < functions.size(); ++g) {
      if (!module.functions[g].is_entry && module.functions[g].has_body) pending.push_back(g);
    }
  }
  return found;
}

/// Functions that cannot be compiled become ones that trap, so that those beside them can be used.
void replace_by_traps(const ptx::Module& module, const ModuleLayout& layout, const CompileOptions& options,
                      const std::map<std::uint32_t, std::string>& failures, std::vector<CompiledFunction>& functions) {
  ptx::Module patched = module;
  ptx::Instruction trap;
  trap.opcode = "trap";
  for (const auto& [id, text] : failures) {
    ptx::Function& function = patched.functions[id];
    trap.place = function.place;
    function.body = {trap};
    if (function.is_entry) function.parameters.clear();  // they may be what is wrong with it
    function.labels.clear();
    function.target_lists.clear();
    Diagnostics ignored(module.name);
    functions[id] = compile_function(patched, layout, id, options, ignored);
  }
}

/// Why a kernel cannot run: what is wrong with it or with what it calls by name. Empty if nothing is.
std::string failure_of(const std::vector<CompiledFunction>& functions,
                       const std::map<std::uint32_t, std::string>& failures, std::uint32_t kernel) {
  std::set<std::uint32_t> seen;
  std::vector<std::uint32_t> pending{kernel};
  while (!pending.empty()) {
    const std::uint32_t f = pending.back();
    pending.pop_back();
    if (!seen.insert(f).second) continue;
    if (const auto found = failures.find(f); found != failures.end()) return found->second;
    for (const std::uint32_t callee : functions[f].callees) pending.push_back(callee);
  }
  return {};
}

KernelCode describe_kernel(const ptx::Module& module, const ModuleLayout& layout,
                           const std::vector<CompiledFunction>& functions, std::uint32_t id) {
  const ptx::Function& source = module.functions[id];
  const CompiledFunction& own = functions[id];
  KernelCode kernel;
  kernel.name = source.name;
  kernel.entry = own.begin;
  kernel.end = own.end;
  for (const std::uint32_t f : reachable(functions, module, id)) {
    kernel.registers = std::max(kernel.registers, functions[f].allocation.registers);
    kernel.predicates = std::max(kernel.predicates, functions[f].allocation.predicates);
  }
  kernel.registers = std::max(kernel.registers, 1u);
  kernel.static_shared = layout.static_shared[id];
  kernel.frame_bytes = static_cast<std::uint32_t>(align_up(own.machine.frame_bytes + own.machine.spill_bytes, 16));
  kernel.spill_bytes = static_cast<std::uint32_t>(own.machine.spill_bytes);
  kernel.uses_stack = own.machine.makes_calls;
  kernel.parameters = kernel_parameters(module, source);
  if (!kernel.parameters.empty())
    kernel.parameter_bytes = kernel.parameters.back().offset + kernel.parameters.back().size;
  std::copy(std::begin(source.maxntid), std::end(source.maxntid), kernel.max_threads);
  std::copy(std::begin(source.reqntid), std::end(source.reqntid), kernel.required_threads);
  return kernel;
}

}  // namespace

const KernelCode* Program::find_kernel(std::string_view kernel) const {
  for (const KernelCode& k : kernels) {
    if (k.name == kernel) return &k;
  }
  return nullptr;
}

const CodeRange* Program::function_at(std::uint32_t pc) const {
  for (const CodeRange& range : functions) {
    if (pc >= range.begin && pc < range.end) return &range;
  }
  return nullptr;
}

std::string Program::source_place(std::uint32_t pc) const {
  const isa::Instruction& instruction = code[pc];
  if (instruction.source_line == 0) return "";
  if (instruction.source_file >= source_files.size() || source_files[instruction.source_file].empty())
    return fmt::format("source line {}", instruction.source_line);
  const std::string& file = source_files[instruction.source_file];
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), instruction.source_line);
}

std::string Program::place(std::uint32_t pc) const {
  const std::string source = source_place(pc);
  return fmt::format("{}:{}{}", name, code[pc].line, source.empty() ? "" : fmt::format(" ({})", source));
}

Program compile(const ptx::Module& module, const CompileOptions& options, Diagnostics& diagnostics) {
  Program program;
  program.name = module.name;
  program.source_files = module.source_files;
  const ModuleLayout layout = lay_out(module, options.data_address, options.managed_alignment);
  if (layout.data_bytes > kMostDataBytes) {
    diagnostics.error({}, fmt::format("the module's variables need {} bytes; at most {} are possible",
                                      layout.data_bytes, kMostDataBytes));
    return program;
  }
  std::vector<CompiledFunction> functions(module.functions.size());
  std::map<std::uint32_t, std::string> failures;
  for (std::uint32_t id = 0; id < module.functions.size(); ++id) {
    if (!module.functions[id].has_body) continue;
    Diagnostics own(diagnostics.input_name());
    functions[id] = compile_function(module, layout, id, options, options.keep_going ? own : diagnostics);
    if (!own.ok()) failures[id] = own.text();
  }
  if (!diagnostics.ok()) return program;
  if (!failures.empty()) replace_by_traps(module, layout, options, failures, functions);
  for (std::uint32_t id = 0; id < module.functions.size(); ++id) {
    if (!module.functions[id].has_body) continue;
    place(functions[id], program);
    program.functions.push_back({module.functions[id].name, functions[id].begin, functions[id].end});
    if (!module.functions[id].is_entry) program.callable.push_back(functions[id].begin);
  }
  resolve_functions(functions, program);
  build_data_image(module, layout, options, functions, program, diagnostics);
  program.data = layout.data;
  program.managed_offset = layout.managed_offset;
  program.managed_bytes = layout.managed_bytes;
  for (std::uint32_t id = 0; id < module.functions.size(); ++id) {
    if (module.functions[id].is_entry && module.functions[id].has_body) {
      if (const std::string failure = failure_of(functions, failures, id); !failure.empty()) {
        program.broken[module.functions[id].name] = failure;
        continue;
      }
      program.kernels.push_back(describe_kernel(module, layout, functions, id));
    }
  }
  return program;
}

}  // namespace heddle::compile
