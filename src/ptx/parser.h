// The parts of the parser, as they call each other. Each reports its own errors and returns false after one.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ptx/context.h"

namespace heddle::ptx {

// module.cpp
/// Whether the current token is a directive that stands at module level.
[[nodiscard]] bool starts_module_statement(const TokenStream& tokens);

// variables.cpp
[[nodiscard]] std::optional<Space> space_from_name(std::string_view text);
/// `.global .align 8 .u32 a, b[4] = {...};` in a module or a body, from the state space on.
[[nodiscard]] bool parse_variables(Context& context, Linkage linkage);
/// `.reg .b32 a, %r<100>;` in a body.
[[nodiscard]] bool parse_registers(Context& context);
/// `(.param .u64 a, .reg .b32 b)`; parameters of a prototype may be called `_`.
[[nodiscard]] bool parse_parameters(Context& context, std::vector<Variable>& parameters, bool prototype);

// initialisers.cpp
/// What follows the `=` of a declaration: fills in `initial`, `relocations` and the size of an open array.
[[nodiscard]] bool parse_initialiser(Context& context, Variable& variable);

// functions.cpp
[[nodiscard]] bool parse_function(Context& context, Linkage linkage);
/// `.noreturn`, `.abi_preserve 3`: what may stand after a signature; false in `found` if the token is none of them.
[[nodiscard]] bool parse_function_attribute(Context& context, bool& noreturn, bool& found);

// statements.cpp
/// From after the `{` up to and including the `}`.
[[nodiscard]] bool parse_block(Context& context);
/// Puts the labels that references turned out to mean into the operands; reports those that mean nothing.
void resolve_labels(Context& context);

// operands.cpp
[[nodiscard]] bool parse_operand(Context& context, Operand& operand);
/// An operand that always names a label, prototype or target list, whatever else has that name.
[[nodiscard]] bool parse_label_operand(Context& context, Operand& operand);
[[nodiscard]] std::optional<RegisterId> parse_predicate(Context& context);

// calls.cpp
[[nodiscard]] bool parse_call_operands(Context& context, Instruction& call);
/// `.callprototype`, `.branchtargets` or `.calltargets` after the label `name`.
[[nodiscard]] bool parse_labelled_directive(Context& context, const Token& name);

// directives.cpp
[[nodiscard]] bool parse_file(Context& context);
[[nodiscard]] bool parse_location(Context& context);
[[nodiscard]] bool parse_pragma(Context& context);
[[nodiscard]] bool skip_section(Context& context);

}  // namespace heddle::ptx
