// Calls, and the labelled directives that indirect calls and branches refer to.
#include <fmt/format.h>

#include "ptx/constant.h"
#include "ptx/parser.h"

namespace heddle::ptx {
namespace {

/// `(a, b)`; the list may be empty.
bool parse_list(Context& context, Operand& list) {
  TokenStream& tokens = context.tokens;
  list.kind = Operand::Kind::list;
  list.place = tokens.place();
  if (!tokens.expect(TokenKind::left_paren, "before the operands of a call")) return false;
  if (tokens.accept(TokenKind::right_paren)) return true;
  do {
    if (!parse_operand(context, list.elements.emplace_back())) return false;
  } while (tokens.accept(TokenKind::comma));
  return tokens.expect(TokenKind::right_paren, "after the operands of a call");
}

Operand empty_list(SourcePlace place) {
  Operand list;
  list.kind = Operand::Kind::list;
  list.place = place;
  return list;
}

bool parse_callee(Context& context, Operand& callee) {
  TokenStream& tokens = context.tokens;
  const Token name = tokens.current();
  if (!tokens.expect(TokenKind::identifier, "of a function, or a register, to call")) return false;
  callee.place = name.place;
  const Declaration* found = context.find(context.names.intern(name.text));
  if (found == nullptr) {
    return tokens.error(name.place, fmt::format("no function {} is declared before this call{}", quote(name.text),
                                                context.hint(name.text)));
  }
  if (found->kind != Declaration::Kind::function && found->kind != Declaration::Kind::reg) {
    return tokens.error(name.place, fmt::format("{} is neither a function nor a register", quote(name.text)));
  }
  callee.kind = found->kind == Declaration::Kind::function ? Operand::Kind::function : Operand::Kind::reg;
  callee.index = found->index;
  return true;
}

/// `_ (.param .u32 _) .noreturn;` after `.callprototype`, perhaps with results before the `_`.
bool parse_prototype(Context& context, const Token& name) {
  TokenStream& tokens = context.tokens;
  Prototype prototype;
  prototype.name = name.text;
  if (tokens.at(TokenKind::left_paren) && !parse_parameters(context, prototype.returns, true)) return false;
  if (!tokens.at(TokenKind::identifier) || tokens.current().text != "_") return tokens.unexpected("'_' in a prototype");
  tokens.advance();
  if (tokens.at(TokenKind::left_paren) && !parse_parameters(context, prototype.parameters, true)) return false;
  for (bool found = true; found;) {
    if (!parse_function_attribute(context, prototype.noreturn, found)) return false;
  }
  auto& prototypes = context.current_function().prototypes;
  const auto index = static_cast<std::uint32_t>(prototypes.size());
  if (!context.declare(name, Declaration::Kind::prototype, index)) return false;
  context.labels.define(context.names.intern(name.text), {Operand::Kind::prototype, index});
  prototypes.push_back(std::move(prototype));
  return tokens.expect(TokenKind::semicolon, "after a prototype");
}

/// `L1, L2, N<4>` after `.branchtargets`. The labels are numbers of references until `resolve_labels`.
bool parse_branch_targets(Context& context, TargetList& list) {
  TokenStream& tokens = context.tokens;
  do {
    const Token label = tokens.current();
    if (!tokens.expect(TokenKind::identifier, "of a label")) return false;
    if (!tokens.accept(TokenKind::less)) {
      list.labels.push_back(context.labels.refer(context.names.intern(label.text), label.place));
      continue;
    }
    const auto count = parse_integer_literal(tokens, 0, UINT32_MAX, "the number of labels");
    if (!count || !tokens.expect(TokenKind::greater, "after the number of labels")) return false;
    if (!context.expand(label.place, *count)) return false;
    for (std::uint64_t i = 0; i < *count; ++i) {
      const std::string& member = context.made_names.emplace_back(fmt::format("{}{}", label.text, i));
      list.labels.push_back(context.labels.refer(context.names.intern(member), label.place));
    }
  } while (tokens.accept(TokenKind::comma));
  return true;
}

bool parse_call_targets(Context& context, TargetList& list) {
  TokenStream& tokens = context.tokens;
  do {
    Operand callee;
    if (!parse_callee(context, callee)) return false;
    if (callee.kind != Operand::Kind::function) return tokens.error(callee.place, "a call target must be a function");
    list.functions.push_back(callee.index);
  } while (tokens.accept(TokenKind::comma));
  return true;
}

bool parse_targets(Context& context, const Token& name, bool is_branch) {
  TargetList list;
  list.name = name.text;
  auto& lists = context.current_function().target_lists;
  const auto index = static_cast<std::uint32_t>(lists.size());
  if (!context.declare(name, Declaration::Kind::targets, index)) return false;
  context.labels.define(context.names.intern(name.text), {Operand::Kind::targets, index});
  const bool good = is_branch ? parse_branch_targets(context, list) : parse_call_targets(context, list);
  lists.push_back(std::move(list));
  return good && context.tokens.expect(TokenKind::semicolon, "after a list of targets");
}

}  // namespace

bool parse_call_operands(Context& context, Instruction& call) {
  TokenStream& tokens = context.tokens;
  Operand returns = empty_list(tokens.place());
  if (tokens.at(TokenKind::left_paren)) {
    if (!parse_list(context, returns)) return false;
    if (!tokens.expect(TokenKind::comma, "between the results and the function of a call")) return false;
  }
  call.operands.push_back(std::move(returns));
  if (!parse_callee(context, call.operands.emplace_back())) return false;
  const bool is_indirect = call.operands.back().kind == Operand::Kind::reg;
  Operand arguments = empty_list(tokens.place());
  bool more = tokens.accept(TokenKind::comma);
  if (more && tokens.at(TokenKind::left_paren)) {
    if (!parse_list(context, arguments)) return false;
    more = tokens.accept(TokenKind::comma);
  }
  call.operands.push_back(std::move(arguments));
  if (more) return parse_label_operand(context, call.operands.emplace_back());
  return !is_indirect || tokens.unexpected("',' and the prototype or targets of an indirect call");
}

bool parse_labelled_directive(Context& context, const Token& name) {
  TokenStream& tokens = context.tokens;
  if (tokens.accept_directive("callprototype")) return parse_prototype(context, name);
  if (tokens.accept_directive("branchtargets")) return parse_targets(context, name, true);
  tokens.advance();  // .calltargets
  return parse_targets(context, name, false);
}

}  // namespace heddle::ptx
