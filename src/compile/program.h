// What compiling a PTX module yields: one code segment with all its functions, and what a launch needs to know.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "isa/instruction.h"
#include "ptx/module.h"

namespace heddle::compile {

/// Byte offset in constant bank 0 where kernel parameters start; below it the launcher keeps what code may read.
inline constexpr std::uint32_t kParameterBase = 0x160;
/// Where a function finds the shared-memory address of the dynamic part (`extern .shared`).
inline constexpr std::uint32_t kDynamicSharedSlot = 0x10;
/// Code addresses (function pointers) start here, kInstructionBytes apart.
inline constexpr std::uint64_t kCodeBase = 0x1000;

struct Parameter {
  std::string name;
  std::uint32_t offset = 0;  ///< from kParameterBase
  std::uint32_t size = 0;
  std::uint32_t align = 1;
};

struct CodeRange {
  std::string name;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

struct KernelCode {
  std::string name;
  std::uint32_t entry = 0;  ///< index of the first instruction
  std::uint32_t end = 0;
  unsigned registers = 0;  ///< per thread, of the kernel and everything it calls
  unsigned predicates = 0;
  std::uint32_t static_shared = 0;
  std::uint32_t frame_bytes = 0;  ///< local memory of the kernel itself
  std::uint32_t spill_bytes = 0;
  bool uses_stack = false;  ///< calls functions: needs a stack beyond its own frame
  std::vector<Parameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t max_threads[3] = {0, 0, 0};       ///< .maxntid; 0: not given
  std::uint32_t required_threads[3] = {0, 0, 0};  ///< .reqntid
};

/// A module-scope variable's place in the module's data segment.
struct DataSymbol {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  bool constant = false;
};

struct Program {
  std::string name;
  std::vector<isa::Instruction> code;
  std::vector<unsigned> live;               ///< live 32-bit registers before each instruction
  std::vector<std::uint32_t> block_starts;  ///< sorted instruction indices where basic blocks begin
  std::vector<std::vector<std::uint32_t>> branch_tables;
  std::vector<KernelCode> kernels;
  std::vector<CodeRange> functions;     ///< kernels and functions, in code order
  std::vector<std::uint32_t> callable;  ///< where functions begin that are no kernels
  std::vector<DataSymbol> data;
  std::uint64_t managed_offset = 0;  ///< of managed variables in the data segment, where they lie apart
  std::uint64_t managed_bytes = 0;
  std::map<std::string, std::string> broken;  ///< with keep_going: kernels that cannot be compiled, and why
  std::vector<std::uint8_t> data_image;       ///< initial contents of the data segment, relocated
  std::vector<std::string> source_files;      ///< what instructions name by number; 0 is none

  [[nodiscard]] const KernelCode* find_kernel(std::string_view kernel) const;
  /// The function that contains an instruction.
  [[nodiscard]] const CodeRange* function_at(std::uint32_t pc) const;
  /// Where an instruction comes from: "saxpy.cu:5", or "" if the program was compiled without -lineinfo.
  [[nodiscard]] std::string source_place(std::uint32_t pc) const;
  /// The same for people, with the line of PTX: "module0.ptx:23 (saxpy.cu:5)".
  [[nodiscard]] std::string place(std::uint32_t pc) const;
};

struct CompileOptions {
  std::uint64_t data_address = 0x10000000;  ///< where the module's data segment will be
  std::uint64_t managed_alignment = 0;      ///< managed variables lie apart, at a multiple of this; 0: among the others
  unsigned register_limit = 255;
  bool schedule = true;
  /// So many registers of a thread cost no occupancy: they are used to start loads early.
  unsigned free_registers = 18;
  /// So many warps are thought to hide latencies, with so many registers of a lane for all of them; 0: registers are
  /// not weighed against latencies.
  unsigned latency_warps = 0;
  unsigned lane_registers = 2048;
  unsigned banks = 0;                ///< registers used together lie in different ones of so many banks; 0: anywhere
  bool branching_divisions = false;  ///< nothing moves across one, and its loop is not unrolled
  unsigned unroll = 1;               ///< most rounds of a small counted loop that are put one after the other
  bool combine_loads = false;        ///< words of shared and constant memory are loaded once, neighbours together
  unsigned predicate = 0;            ///< most instructions that get guards instead of a branch round them
  /// Constants added to addresses go into the offsets of accesses; those at different offsets of one address may change
  /// places.
  bool fold_offsets = false;
  /// Whether the machine that will run the code has this instruction; nothing: it has all.
  std::function<bool(const isa::Instruction&)> executes;
  bool keep_going = false;  ///< what cannot be compiled traps, and kernels that call it are in Program::broken
};

/// Bytes of the module's data segment (.global and .const), so that a loader can place it before compiling.
[[nodiscard]] std::uint64_t data_segment_bytes(const ptx::Module& module, std::uint64_t managed_alignment = 0);

/// Compiles a parsed module. Everything not supported is in `diagnostics`; the program is usable only if it is ok().
[[nodiscard]] Program compile(const ptx::Module& module, const CompileOptions& options, Diagnostics& diagnostics);

}  // namespace heddle::compile
