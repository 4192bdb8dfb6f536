// What stands at the level of a module: its header, variables, functions; and where reading goes on after an error.
#include "ptx/module.h"

#include <fmt/format.h>

#include <charconv>

#include "ptx/constant.h"
#include "ptx/nearest.h"
#include "ptx/parser.h"

namespace heddle::ptx {
namespace {

// What a statement at module level can begin with; also where reading resumes after an error.
constexpr std::string_view kModuleDirectives[] = {
    "version", "target", "address_size", "file", "loc",    "section", "pragma", "alias", "visible", "extern",
    "weak",    "common", "entry",        "func", "global", "const",   "shared", "local", "tex"};

/// `.version 9.0`
bool parse_version(Context& context) {
  TokenStream& tokens = context.tokens;
  tokens.advance();
  const std::string_view text = tokens.current().text;
  const std::size_t dot = text.find('.');
  const auto number = [](std::string_view digits, std::uint32_t& value) {
    const auto [rest, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return problem == std::errc() && rest == digits.data() + digits.size();
  };
  if (!tokens.at(TokenKind::real) || dot == std::string_view::npos ||
      !number(text.substr(0, dot), context.module.version_major) ||
      !number(text.substr(dot + 1), context.module.version_minor)) {
    return tokens.unexpected("a version such as 8.0");
  }
  tokens.advance();
  return true;
}

/// `.target sm_80, debug`
bool parse_target(Context& context) {
  TokenStream& tokens = context.tokens;
  tokens.advance();
  do {
    const Token word = tokens.current();
    if (!tokens.expect(TokenKind::identifier, "of a target such as sm_80")) return false;
    if (word.text.substr(0, 3) == "sm_" || word.text.substr(0, 8) == "compute_") {
      context.module.target = word.text;
    } else {
      context.module.target_options.emplace_back(word.text);
    }
  } while (tokens.accept(TokenKind::comma));
  return true;
}

bool parse_address_size(Context& context) {
  TokenStream& tokens = context.tokens;
  tokens.advance();
  const SourcePlace place = tokens.place();
  const auto size = parse_integer_literal(tokens, 32, 64, "the address size");
  if (!size) return false;
  if (*size != 32 && *size != 64)
    return tokens.error(place, fmt::format("the address size must be 32 or 64, not {}", *size));
  context.module.address_size = static_cast<std::uint32_t>(*size);
  return true;
}

/// `.alias name, function;`
bool parse_alias(Context& context) {
  TokenStream& tokens = context.tokens;
  tokens.advance();
  FunctionId functions[2] = {kNoId, kNoId};
  for (int i = 0; i < 2; ++i) {
    if (i == 1 && !tokens.expect(TokenKind::comma, "between the names of .alias")) return false;
    const Token name = tokens.current();
    if (!tokens.expect(TokenKind::identifier, "of a function")) return false;
    const Declaration* found = context.names.find(context.names.intern(name.text));
    if (found == nullptr || found->kind != Declaration::Kind::function) {
      return tokens.error(name.place, fmt::format("no function {} is declared before this{}", quote(name.text),
                                                  context.hint(name.text)));
    }
    functions[i] = found->index;
    if (context.module.functions[found->index].has_body != (i == 1)) {
      return tokens.error(name.place, i == 0 ? "an alias must be a declared function without a body"
                                             : "an alias must name a function that is defined before it");
    }
  }
  context.aliases.emplace_back(functions[0], functions[1]);
  return tokens.expect(TokenKind::semicolon, "after .alias");
}

/// Makes everything that refers to an alias refer to the function itself.
void resolve_aliases(Context& context) {
  if (context.aliases.empty()) return;
  Module& module = context.module;
  std::vector<FunctionId> target(module.functions.size());
  for (FunctionId id = 0; id < target.size(); ++id) target[id] = id;
  for (const auto& [alias, function] : context.aliases) target[alias] = function;
  const auto visit = [&](auto& self, Operand& operand) -> void {
    if (operand.kind == Operand::Kind::function) operand.index = target[operand.index];
    for (Operand& element : operand.elements) self(self, element);
  };
  for (Function& function : module.functions) {
    for (Instruction& instruction : function.body) {
      for (Operand& operand : instruction.operands) visit(visit, operand);
    }
    for (TargetList& list : function.target_lists) {
      for (FunctionId& id : list.functions) id = target[id];
    }
  }
  for (Variable& variable : module.variables) {
    for (Relocation& relocation : variable.relocations) {
      if (relocation.is_function) relocation.symbol = target[relocation.symbol];
    }
  }
}

bool unknown_directive(TokenStream& tokens) {
  NearestName nearest(tokens.current().text);
  for (const std::string_view word : kModuleDirectives) nearest.consider(word);
  return tokens.error(tokens.place(),
                      fmt::format("{} is no directive of a module{}",
                                  quote("." + std::string(tokens.current().text.substr(0, 64))), nearest.hint()));
}

/// The rest of a broken variable, whose braces say nothing about where it ends.
void skip_declaration(TokenStream& tokens) {
  while (!tokens.at(TokenKind::end) && !starts_module_statement(tokens) && !tokens.accept(TokenKind::semicolon)) {
    tokens.advance();
  }
}

bool parse_declaration(Context& context) {
  TokenStream& tokens = context.tokens;
  Linkage linkage = Linkage::none;
  if (tokens.accept_directive("visible"))
    linkage = Linkage::visible;
  else if (tokens.accept_directive("extern"))
    linkage = Linkage::extern_;
  else if (tokens.accept_directive("weak"))
    linkage = Linkage::weak;
  else if (tokens.accept_directive("common"))
    linkage = Linkage::common;
  if (tokens.at_directive("entry") || tokens.at_directive("func")) return parse_function(context, linkage);
  if (tokens.at(TokenKind::directive)) {
    const auto space = space_from_name(tokens.current().text);
    if (space && *space != Space::reg && *space != Space::param) {
      if (!parse_variables(context, linkage)) skip_declaration(tokens);
      return true;
    }
    if (linkage == Linkage::none && !space) return unknown_directive(tokens);
  }
  return tokens.unexpected(linkage == Linkage::none ? "a directive of a module such as .entry or .global"
                                                    : "a function or variable after its linkage");
}

bool parse_module_statement(Context& context) {
  TokenStream& tokens = context.tokens;
  if (!tokens.at(TokenKind::directive)) return tokens.unexpected("a directive such as .entry or .global");
  const std::string_view word = tokens.current().text;
  if (word == "version") return parse_version(context);
  if (word == "target") return parse_target(context);
  if (word == "address_size") return parse_address_size(context);
  if (word == "file") return parse_file(context);
  if (word == "loc") return parse_location(context);
  if (word == "section") return skip_section(context);
  if (word == "pragma") return parse_pragma(context);
  if (word == "alias") return parse_alias(context);
  return parse_declaration(context);
}

/// After an error: to the next directive that begins something, outside of braces, or behind a `;` or `}`.
void resume(TokenStream& tokens, SourcePlace began) {
  if (tokens.place() == began) tokens.advance();
  while (!tokens.at(TokenKind::end) && !starts_module_statement(tokens)) {
    if (tokens.accept(TokenKind::semicolon) || tokens.accept(TokenKind::right_brace)) return;
    if (tokens.accept(TokenKind::left_brace)) {
      tokens.skip_braces();
      return;
    }
    tokens.advance();
  }
}

}  // namespace

bool starts_module_statement(const TokenStream& tokens) {
  if (!tokens.at(TokenKind::directive)) return false;
  for (const std::string_view word : kModuleDirectives) {
    if (tokens.current().text == word) return true;
  }
  return false;
}

Module parse(std::string_view text, Diagnostics& diagnostics) {
  // Fat binaries pad PTX with zero bytes.
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  Context context(text, diagnostics);
  context.module.name = diagnostics.input_name();
  TokenStream& tokens = context.tokens;
  if (!tokens.at_directive("version")) tokens.unexpected(".version at the beginning of a module");
  while (!tokens.at(TokenKind::end)) {
    const SourcePlace began = tokens.place();
    if (!parse_module_statement(context)) resume(tokens, began);
  }
  if (context.module.target.empty() && diagnostics.ok())
    tokens.error({1, 1}, "the module has no .target such as sm_80");
  resolve_aliases(context);
  return std::move(context.module);
}

}  // namespace heddle::ptx
