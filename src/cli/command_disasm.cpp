// heddle disasm: the machine code of a PTX file or of the PTX in a program, with what the compiler knows about it.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <span>

#include "base/files.h"
#include "base/kernel_name.h"
#include "cli/commands.h"
#include "cli/region_listing.h"
#include "compile/program.h"
#include "compile/regions/regions.h"
#include "fatbin/elf_program.h"
#include "runtime/compile_for.h"
#include "session/machine_options.h"
#include "workloads/workload.h"

namespace heddle::cli {
namespace {

struct DisasmOptions {
  std::string file;
  std::string kernel;
  std::string cfg;
  std::string gpu;  ///< empty: as for none in particular
  unsigned registers = 255;
  unsigned banks = 0;
  bool no_schedule = false;
  bool regions = false;
  bool ptx = false;
};

bool is_selected(const DisasmOptions& options, const compile::CodeRange& range) {
  return options.kernel.empty() || range.name == options.kernel || kernel_name(range.name) == options.kernel ||
         short_kernel_name(range.name) == options.kernel;
}

void print_kernel_head(const compile::KernelCode& kernel) {
  fmt::print("kernel {}: {} registers, {} predicates, {} bytes shared, {} bytes local ({} of them spills)\n",
             kernel_name(kernel.name), kernel.registers, kernel.predicates, kernel.static_shared, kernel.frame_bytes,
             kernel.spill_bytes);
  for (const compile::Parameter& parameter : kernel.parameters) {
    fmt::print("  c[0][{:#05x}]  {} bytes  {}\n", compile::kParameterBase + parameter.offset, parameter.size,
               parameter.name);
  }
}

/// `regions` is nullptr if they are not to be shown.
void print_code(const compile::Program& program, const compile::CodeRange& range, const isa::RegionCode* regions) {
  fmt::print("  address  line  live  instruction\n");
  for (std::uint32_t pc = range.begin; pc < range.end; ++pc) {
    const isa::Instruction& instruction = program.code[pc];
    if (std::binary_search(program.block_starts.begin(), program.block_starts.end(), pc) && pc != range.begin)
      fmt::print("\n");
    if (regions != nullptr && regions->at(pc).begin == pc) fmt::print("{}", region_head(*regions, pc));
    std::string note;
    const bool branches = instruction.op == isa::Opcode::bra || instruction.op == isa::Opcode::brx;
    const bool diverges = branches && !(instruction.op == isa::Opcode::bra && !instruction.guard.exists());
    if (diverges) {
      note = instruction.reconvergence == isa::kNoPc
                 ? "  // reconverges at the exit"
                 : fmt::format("  // reconverges at {:#06x}", instruction.reconvergence * isa::kInstructionBytes);
    }
    if (const std::string place = program.source_place(pc); !place.empty()) note += "  // " + place;
    if (instruction.soft_definition) note += "  // soft definition";
    if (regions != nullptr) note += last_use_note(*regions, pc);
    fmt::print("  {:#06x} {:>6} {:>5}  {}{}\n", pc * isa::kInstructionBytes, instruction.line, program.live[pc],
               isa::disassemble(instruction), note);
  }
}

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

/// Blocks as boxes, edges as control flow, dotted edges to reconvergence points.
void write_cfg(const compile::Program& program, const DisasmOptions& options) {
  std::ofstream out(options.cfg);
  if (!out) throw UserError(fmt::format("cannot write '{}'", options.cfg));
  out << "digraph cfg {\n  node [shape=box, fontname=monospace, fontsize=9];\n";
  for (const compile::CodeRange& range : program.functions) {
    if (!is_selected(options, range)) continue;
    std::vector<std::uint32_t> starts;
    for (const std::uint32_t s : program.block_starts) {
      if (s >= range.begin && s < range.end) starts.push_back(s);
    }
    out << fmt::format("  subgraph \"cluster_{}\" {{ label=\"{}\";\n", range.name, range.name);
    for (std::size_t b = 0; b < starts.size(); ++b) {
      const std::uint32_t end = b + 1 < starts.size() ? starts[b + 1] : range.end;
      std::string label;
      for (std::uint32_t pc = starts[b]; pc < end; ++pc)
        label += fmt::format("{:#06x}  {}\\l", pc * isa::kInstructionBytes, escape(isa::disassemble(program.code[pc])));
      out << fmt::format("    b{} [label=\"{}\"];\n", starts[b], label);
      const isa::Instruction& last = program.code[end - 1];
      bool falls = true;
      if (last.op == isa::Opcode::bra) {
        out << fmt::format("    b{} -> b{};\n", starts[b], last.target);
        falls = last.guard.exists();
        if (falls && last.reconvergence != isa::kNoPc)
          out << fmt::format("    b{} -> b{} [style=dotted, constraint=false];\n", starts[b], last.reconvergence);
      } else if (last.op == isa::Opcode::brx) {
        for (const std::uint32_t target : program.branch_tables[last.target])
          out << fmt::format("    b{} -> b{};\n", starts[b], target);
        falls = last.guard.exists();
      } else if (last.op == isa::Opcode::exit || last.op == isa::Opcode::ret || last.op == isa::Opcode::trap) {
        falls = last.guard.exists();
      }
      if (falls && end < range.end) out << fmt::format("    b{} -> b{};\n", starts[b], end);
    }
    out << "  }\n";
  }
  out << "}\n";
  out.close();
  if (!out) throw UserError(fmt::format("cannot write '{}'", options.cfg));
}

/// One module of a program: what was compiled, and its text.
compile::Program compile_text(const DisasmOptions& options, const std::string& text, const std::string& name,
                              bool in_program) {
  Diagnostics diagnostics(name);
  ptx::Module module = ptx::parse(text, diagnostics);
  diagnostics.throw_if_errors();
  module.name = name;
  compile::CompileOptions compile_options;
  compile_options.register_limit = options.registers;
  if (!options.gpu.empty()) {
    session::MachineOptions machine;
    machine.gpu = options.gpu;
    compile_options = runtime::compile_for(*session::load_machine(machine), options.registers);
  }
  if (options.banks != 0) compile_options.banks = options.banks;
  compile_options.schedule = !options.no_schedule;
  compile_options.keep_going = in_program;  // it may have kernels that it never runs
  compile::Program program = compile::compile(module, compile_options, diagnostics);
  diagnostics.throw_if_errors();
  return program;
}

/// Prints what is asked for of a module; the result is whether there was any.
bool print_program(const DisasmOptions& options, const compile::Program& program, bool first) {
  isa::RegionCode regions;
  if (options.regions) regions = compile::make_regions(program, {});
  bool found = false;
  for (const compile::CodeRange& range : program.functions) {
    if (!is_selected(options, range)) continue;
    if (const auto broken = program.broken.find(range.name); broken != program.broken.end()) {
      fmt::print("{}kernel {} cannot be run:\n{}\n", found || !first ? "\n" : "", kernel_name(range.name),
                 broken->second);
      found = true;
      continue;
    }
    if (found || !first) fmt::print("\n");
    found = true;
    if (const compile::KernelCode* kernel = program.find_kernel(range.name)) {
      print_kernel_head(*kernel);
    } else {
      fmt::print("function {}\n", kernel_name(range.name));
    }
    print_code(program, range, options.regions ? &regions : nullptr);
    if (options.regions) fmt::print("{}", region_summary(regions, range.begin, range.end));
  }
  return found;
}

bool is_elf(const std::string& file) {
  return file.starts_with(
      "\x7f"
      "ELF");
}

/// The PTX of a file: all of it, or of each part of a compiled program what a new GPU would take.
std::vector<std::string> texts_of(const std::string& name, const std::string& file) {
  if (!is_elf(file)) return {file};
  const fatbin::ElfProgram program = fatbin::inspect_program(std::as_bytes(std::span(file)));
  fatbin::ProgramPtx code = fatbin::ptx_of(program, ~0u);
  if (code.modules.empty() && !code.machine_code.empty())
    throw UserError(fmt::format("'{}' holds machine code alone ({}). Rebuild it with PTX: nvcc -arch=compute_75 ...",
                                name, code.machine_code));
  if (code.modules.empty()) throw UserError(fmt::format("'{}' is a program without GPU code", name));
  return std::move(code.modules);
}

int disasm(const DisasmOptions& options) {
  const workloads::Workload* workload = workloads::find(options.file);
  const std::string file = workload != nullptr ? std::string(workload->ptx()) : read_file(options.file);
  const std::vector<std::string> texts = texts_of(options.file, file);
  const bool in_program = workload == nullptr && is_elf(file);
  std::string known;
  bool found = false;
  for (std::size_t t = 0; t < texts.size(); ++t) {
    if (options.ptx) {
      fmt::print("{}", texts[t]);
      continue;
    }
    const std::string name = texts.size() == 1 ? options.file : fmt::format("{} (part {})", options.file, t + 1);
    const compile::Program program = compile_text(options, texts[t], name, in_program);
    for (const compile::CodeRange& range : program.functions)
      known += (known.empty() ? "" : ", ") + kernel_name(range.name);
    const bool printed = print_program(options, program, !found);
    if (printed && !options.cfg.empty()) write_cfg(program, options);
    found = found || printed;
  }
  if (!found && !options.kernel.empty())
    throw UserError(
        fmt::format("'{}' has no kernel or function '{}' (it has: {})", options.file, options.kernel, known));
  return kSuccess;
}

}  // namespace

void add_disasm(CLI::App& app, Action& action) {
  auto options = std::make_shared<DisasmOptions>();
  CLI::App* command =
      app.add_subcommand("disasm", "Compile PTX, of a file or inside a program, and show the machine code");
  command->add_option("file", options->file, "A PTX file, a compiled CUDA program, or the name of a bundled workload")
      ->required();
  command->add_option("--kernel", options->kernel, "Only this kernel or function");
  command->add_option("--cfg", options->cfg, "Also write the control-flow graph to this file, for Graphviz");
  command->add_option("--gpu", options->gpu, "Compile as for this GPU: a preset (see: heddle gpus) or a .toml file");
  command->add_option("--registers", options->registers, "Most registers per thread")
      ->capture_default_str()
      ->check(CLI::Range(8, 255));
  command
      ->add_option("--banks", options->banks,
                   "Number registers so that those used together lie in different ones of so many banks")
      ->check(CLI::Range(2, 64));
  command->add_flag("--no-schedule", options->no_schedule, "Keep the order of the PTX");
  command->add_flag("--ptx", options->ptx, "Show the PTX that a GPU would be given, not the machine code");
  command->add_flag("--regions", options->regions,
                    "Show the regions that RegLess runs, what each preloads, and last uses");
  command->callback([options, &action] { action = [options] { return disasm(*options); }; });
}

}  // namespace heddle::cli
