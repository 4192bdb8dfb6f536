// A PTX module as the parser delivers it: names resolved, syntax gone, semantics untouched.
//
// The parser resolves every name by PTX's scoping rules (blocks nest, inner names hide outer ones), so that nothing
// after it ever looks at a scope: registers, variables, functions and labels are indices. What an instruction's
// modifiers mean is not decided here: they stay as written, in order, each with its place, for `compile` to interpret
// or to refuse with a message that points at them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace heddle::ptx {

// clang-format off
enum class ScalarType : std::uint8_t {
  none,
  b8, b16, b32, b64, b128,
  u8, u16, u32, u64,
  s8, s16, s32, s64,
  f16, f16x2, bf16, bf16x2, tf32, f32, f64, f32x2,
  e4m3, e5m2, e4m3x2, e5m2x2,
  u16x2, s16x2,
  pred,
  texref, samplerref, surfref,
};
// clang-format on

/// Size of one value in bytes; 0 for none; pred and opaque references count as declared in memory (1 and 8).
[[nodiscard]] unsigned size_of(ScalarType type);
/// The type as PTX writes it, without the dot.
[[nodiscard]] std::string_view name_of(ScalarType type);
/// The type named by `text` (without the dot), or none.
[[nodiscard]] ScalarType type_from_name(std::string_view text);

enum class Space : std::uint8_t { none, reg, const_, global, local, param, shared, tex };
[[nodiscard]] std::string_view name_of(Space space);

enum class Linkage : std::uint8_t { none, extern_, visible, weak, common };

using RegisterId = std::uint32_t;  ///< index into Function::registers
using SymbolId = std::uint32_t;    ///< index into Module::variables
using FunctionId = std::uint32_t;  ///< index into Module::functions
using LabelId = std::uint32_t;     ///< index into Function::labels
inline constexpr std::uint32_t kNoId = 0xffffffffu;

/// A virtual register that some instruction names. `.reg .b32 %r<100>` creates only those of its 100 that are used.
struct Register {
  std::string name;
  ScalarType type = ScalarType::none;
  std::uint8_t vector = 1;  ///< 2 or 4 for `.reg .v2/.v4`; component c of a use is in Operand::component
};

/// An address that the loader must put into an initialised variable.
struct Relocation {
  std::uint64_t offset = 0;      ///< byte offset in the variable
  std::uint8_t size = 8;         ///< bytes to write
  std::uint32_t symbol = kNoId;  ///< SymbolId, or FunctionId when is_function
  bool is_function = false;
  bool generic = false;  ///< `generic(symbol)`
  std::int64_t addend = 0;
  std::uint64_t mask = ~std::uint64_t{0};  ///< `0xFF00(symbol)` masks, as the manual defines them
};

struct Variable {
  std::string name;
  Space space = Space::none;
  ScalarType type = ScalarType::none;
  std::uint8_t vector = 1;                ///< `.v2`, `.v4`
  std::uint32_t align = 0;                ///< bytes; natural alignment already filled in
  std::vector<std::uint64_t> dimensions;  ///< as written; an empty first `[]` is 0
  std::uint64_t size = 0;                 ///< bytes; 0 for `[]` of unknown extent (extern shared)
  Linkage linkage = Linkage::none;
  std::vector<std::uint8_t> initial;  ///< explicit initial bytes; shorter than size: rest is zero
  std::vector<Relocation> relocations;
  std::uint32_t owner = kNoId;  ///< FunctionId for parameters and variables of a body
  bool managed = false;         ///< `.attribute(.managed)`
  SourcePlace place;
};

// clang-format off
enum class SpecialRegister : std::uint8_t {
  tid, ntid, ctaid, nctaid, laneid, warpid, nwarpid, smid, nsmid, gridid,
  lanemask_eq, lanemask_le, lanemask_lt, lanemask_ge, lanemask_gt,
  clock, clock_hi, clock64, globaltimer, globaltimer_lo, globaltimer_hi,
  pm, envreg, total_smem_size, dynamic_smem_size, aggr_smem_size, reserved_smem_offset,
  clusterid, nclusterid, cluster_ctaid, cluster_nctaid, cluster_ctarank, cluster_nctarank, is_explicit_cluster,
};
// clang-format on

struct Operand {
  enum class Kind : std::uint8_t {
    none,
    reg,       ///< reg (and component for `.x/.y/.z/.w`)
    special,   ///< special (and component); bits: the number of %envreg and %pm (64 + n for the 64-bit %pmn_64);
               ///< 0..4 for %reserved_smem_offset_ begin, end, cap, 0, 1
    integer,   ///< bits: a 64-bit integer constant (two's complement)
    real32,    ///< bits: IEEE single from `0f...`
    real64,    ///< bits: IEEE double from `0d...` or a decimal literal
    variable,  ///< symbol + offset: the address of a variable used as a value
    function,  ///< function: a call target, or a function's address as a value
    label,     ///< label
    address,   ///< `[base + offset]`: see base_*; for textures and tensors elements[0] is the vector of coordinates (of
               ///< one element if written without braces), elements[1] a separate sampler if there is one
    vector,    ///< elements: `{a, b, ...}`
    pair,      ///< elements[0] | elements[1]: `d|p`; of `tex`, elements[0] may be a vector
    list,      ///< elements: parenthesised arguments of a call
    prototype,  ///< index into Function::prototypes (indirect call)
    targets,    ///< index into Function::target_lists (`.branchtargets`, `.calltargets`)
    sink,       ///< `_`
  };
  enum class Base : std::uint8_t { none, reg, variable, constant };

  Kind kind = Kind::none;
  Base base = Base::none;      ///< of an address
  bool negated = false;        ///< `!p`
  std::int8_t component = -1;  ///< 0..3 for .x .y .z .w (also .r .g .b .a)
  SpecialRegister special = SpecialRegister::tid;
  std::uint32_t index = kNoId;  ///< register, symbol, function, label, prototype or target list
  std::int64_t offset = 0;      ///< of a variable or an address; the whole address for Base::constant
  std::uint64_t bits = 0;       ///< of a constant
  std::vector<Operand> elements;
  SourcePlace place;
};

struct Modifier {
  std::string text;  ///< without the dot; `::` forms stay whole: "shared::cta", "L2::128B"
  SourcePlace place;
};

struct Guard {
  RegisterId reg = kNoId;
  bool negated = false;
};

struct Instruction {
  SourcePlace place;
  std::string opcode;               ///< the first word: "ld", "setp", "bar"
  std::vector<Modifier> modifiers;  ///< in order
  std::optional<Guard> guard;
  std::vector<Operand> operands;  ///< in order as written. `call` is always: list of returns (maybe empty), callee
                                  ///< (function or reg), list of arguments (maybe empty), then prototype or
                                  ///< targets for an indirect call
  std::uint32_t source_file = 0;  ///< from `.loc`; 0: none
  std::uint32_t source_line = 0;

  /// "ld.global.u32": for messages.
  [[nodiscard]] std::string mnemonic() const;
};

struct Label {
  std::string name;
  std::uint32_t position = 0;  ///< index into Function::body of the instruction it stands before; may equal size()
  SourcePlace place;
};

struct Prototype {
  std::string name;
  std::vector<Variable> returns;
  std::vector<Variable> parameters;
  bool noreturn = false;
};

struct TargetList {
  std::string name;
  std::vector<LabelId> labels;        ///< .branchtargets
  std::vector<FunctionId> functions;  ///< .calltargets
};

struct Function {
  std::string name;
  bool is_entry = false;
  bool has_body = false;  ///< false: declaration only
  bool noreturn = false;
  Linkage linkage = Linkage::none;
  SourcePlace place;
  std::vector<SymbolId> returns;  ///< variables of space param or reg, in order
  std::vector<SymbolId> parameters;
  std::vector<RegisterId> return_registers;     ///< for `.func (.reg .b32 r) f(.reg .b32 a)`: parallel to `returns`,
  std::vector<RegisterId> parameter_registers;  ///< kNoId where the parameter is in param space
  std::vector<Register> registers;
  std::vector<Instruction> body;
  std::vector<Label> labels;
  std::vector<Prototype> prototypes;
  std::vector<TargetList> target_lists;
  std::vector<SymbolId> locals;  ///< variables declared in the body: local, shared, param, const, global
  std::optional<std::uint32_t> maxnreg;
  std::optional<std::uint32_t> minnctapersm;
  std::uint32_t maxntid[3] = {0, 0, 0};  ///< 0: not given
  std::uint32_t reqntid[3] = {0, 0, 0};
  std::uint32_t reqnctapercluster[3] = {0, 0, 0};  ///< 0: not given
  std::optional<std::uint32_t> maxclusterrank;
  bool explicit_cluster = false;     ///< `.explicitcluster`
  bool blocks_are_clusters = false;  ///< `.blocksareclusters`
};

struct Module {
  std::string name;  ///< file name, for messages
  std::uint32_t version_major = 0;
  std::uint32_t version_minor = 0;
  std::string target;                       ///< "sm_75"
  std::vector<std::string> target_options;  ///< what else `.target` lists: "debug", "texmode_independent"
  std::uint32_t address_size = 64;
  std::vector<Variable> variables;  ///< module scope and all functions' own, see Variable::owner
  std::vector<Function> functions;
  std::vector<std::string> source_files;  ///< `.file` index -> name; 0 unused
};

/// Parses a whole module. Errors are collected in `diagnostics`, parsing goes on after each; the module is complete
/// only if `diagnostics.ok()`. Never throws on bad input, and uses memory linear in the size of the text.
[[nodiscard]] Module parse(std::string_view text, Diagnostics& diagnostics);

}  // namespace heddle::ptx
