// Bodies of functions: blocks, labels, instructions.
#include <fmt/format.h>

#include "ptx/parser.h"

namespace heddle::ptx {
namespace {

bool is_module_directive(std::string_view word) {
  return word == "entry" || word == "func" || word == "visible" || word == "extern" || word == "weak" ||
         word == "version" || word == "target" || word == "address_size";
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  for (const std::string_view other : words) {
    if (word == other) return true;
  }
  return false;
}

/// `ld.global.u32 r, a[1]`: where an address is meant, the element of an array is one without brackets.
void make_addresses(Instruction& instruction) {
  if (!is_one_of(instruction.opcode, {"ld", "ldu", "st", "atom", "red", "prefetch", "prefetchu"})) return;
  for (Operand& operand : instruction.operands) {
    if (operand.kind != Operand::Kind::variable) continue;
    operand.kind = Operand::Kind::address;
    operand.base = Operand::Base::variable;
  }
}

bool parse_operands(Context& context, Instruction& instruction) {
  TokenStream& tokens = context.tokens;
  if (tokens.at(TokenKind::semicolon)) return true;
  if (instruction.opcode == "call") return parse_call_operands(context, instruction);
  instruction.operands.reserve(4);
  if (instruction.opcode == "bra") return parse_label_operand(context, instruction.operands.emplace_back());
  do {
    if (!parse_operand(context, instruction.operands.emplace_back())) return false;
  } while (tokens.accept(TokenKind::comma));
  make_addresses(instruction);
  return true;
}

/// Modifiers, operands and the `;` of an instruction whose first word has been read.
bool parse_instruction(Context& context, const Token& opcode, std::optional<Guard> guard) {
  TokenStream& tokens = context.tokens;
  Instruction instruction;
  instruction.place = opcode.place;
  instruction.opcode = opcode.text;
  instruction.guard = guard;
  instruction.source_file = context.source_file;
  instruction.source_line = context.source_line;
  for (; tokens.at(TokenKind::directive); tokens.advance()) {
    if (instruction.modifiers.empty()) instruction.modifiers.reserve(4);
    instruction.modifiers.push_back({std::string(tokens.current().text), tokens.place()});
  }
  if (!parse_operands(context, instruction)) return false;
  if (!tokens.at(TokenKind::semicolon)) {
    return tokens.unexpected(instruction.operands.empty() ? "an operand or ';'" : "',' or ';' after an operand");
  }
  tokens.advance();
  context.current_function().body.push_back(std::move(instruction));
  return true;
}

bool parse_guarded(Context& context) {
  TokenStream& tokens = context.tokens;
  tokens.advance();
  Guard guard;
  guard.negated = tokens.accept(TokenKind::bang);
  const auto predicate = parse_predicate(context);
  if (!predicate) return false;
  guard.reg = *predicate;
  const Token opcode = tokens.current();
  return tokens.expect(TokenKind::identifier, "of an instruction after its predicate") &&
         parse_instruction(context, opcode, guard);
}

bool parse_label(Context& context, const Token& name) {
  TokenStream& tokens = context.tokens;
  if (tokens.at_directive("callprototype") || tokens.at_directive("branchtargets") ||
      tokens.at_directive("calltargets")) {
    return parse_labelled_directive(context, name);
  }
  Function& function = context.current_function();
  const auto index = static_cast<LabelId>(function.labels.size());
  // A second label of the same name must not cost the statement behind it: the message is enough.
  if (!context.declare(name, Declaration::Kind::label, index)) return true;
  context.labels.define(context.names.intern(name.text), {Operand::Kind::label, index});
  function.labels.push_back({std::string(name.text), static_cast<std::uint32_t>(function.body.size()), name.place});
  return true;
}

bool parse_directive(Context& context) {
  TokenStream& tokens = context.tokens;
  const std::string_view word = tokens.current().text;
  if (word == "reg") return parse_registers(context);
  if (space_from_name(word)) return parse_variables(context, Linkage::none);
  if (word == "loc") return parse_location(context);
  if (word == "pragma") return parse_pragma(context);
  if (word == "file") return parse_file(context);
  if (word == "section") return skip_section(context);
  if (is_one_of(word, {"callprototype", "branchtargets", "calltargets"})) {
    return tokens.error(tokens.place(), fmt::format(".{} needs a label before it", word));
  }
  return tokens.unexpected("a statement");
}

bool parse_statement(Context& context) {
  TokenStream& tokens = context.tokens;
  switch (tokens.current().kind) {
    case TokenKind::identifier: {
      const Token word = tokens.current();
      tokens.advance();
      if (tokens.accept(TokenKind::colon)) return parse_label(context, word);
      return parse_instruction(context, word, std::nullopt);
    }
    case TokenKind::at:
      return parse_guarded(context);
    case TokenKind::directive:
      return parse_directive(context);
    default:
      return tokens.unexpected("a statement");
  }
}

bool parse_nested_block(Context& context) {
  TokenStream& tokens = context.tokens;
  tokens.advance();
  const TokenStream::Nesting nesting(tokens);
  if (!nesting.allowed()) return tokens.skip_braces();
  context.names.open_scope();
  context.labels.open_scope();
  const bool closed = parse_block(context);
  context.labels.close_scope();
  context.close_scope();
  return closed;
}

void resolve(Operand& operand, const std::vector<LabelTable::Reference>& references) {
  if (operand.kind == Operand::Kind::label) {
    const LabelTable::Target target = references[operand.index].target;
    if (target.kind != Operand::Kind::none) operand.kind = target.kind;
    operand.index = target.index;
  }
  for (Operand& element : operand.elements) resolve(element, references);
}

}  // namespace

bool parse_block(Context& context) {
  TokenStream& tokens = context.tokens;
  const SourcePlace opened = tokens.place();
  while (!tokens.accept(TokenKind::right_brace)) {
    if (tokens.at(TokenKind::end) || (tokens.at(TokenKind::directive) && is_module_directive(tokens.current().text))) {
      return tokens.unexpected(fmt::format("'}}' for the block that begins in line {}", opened.line));
    }
    if (tokens.at(TokenKind::left_brace)) {
      if (!parse_nested_block(context)) return false;
    } else if (!parse_statement(context)) {
      tokens.skip_statement();
    }
  }
  return true;
}

void resolve_labels(Context& context) {
  const auto& references = context.labels.references();
  for (const LabelTable::Reference& reference : references) {
    if (reference.target.kind != Operand::Kind::none) continue;
    const std::string_view name = context.names.text_of(reference.name);
    context.tokens.error(reference.place, fmt::format("nothing named {} is declared here, and no label{}", quote(name),
                                                      context.hint(name)));
  }
  Function& function = context.current_function();
  for (const std::uint32_t index : context.unresolved) {
    if (index >= function.body.size()) continue;  // it was never completed
    for (Operand& operand : function.body[index].operands) resolve(operand, references);
  }
  context.unresolved.clear();
  for (TargetList& list : function.target_lists) {
    for (LabelId& label : list.labels) {
      const LabelTable::Reference& reference = references[label];
      if (reference.target.kind != Operand::Kind::none && reference.target.kind != Operand::Kind::label) {
        context.tokens.error(reference.place,
                             fmt::format("{} is not a label of code", quote(context.names.text_of(reference.name))));
      }
      label = reference.target.index;
    }
  }
}

}  // namespace heddle::ptx
