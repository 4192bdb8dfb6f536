// Kernels and functions: signature, attributes, body. A declaration and its definition are one function.
#include <fmt/format.h>

#include "ptx/constant.h"
#include "ptx/parser.h"

namespace heddle::ptx {
namespace {

struct Signature {
  Function function;  ///< attributes; the rest is filled in when the signature is accepted
  std::vector<Variable> returns;
  std::vector<Variable> parameters;
};

/// `256, 1, 1` after .maxntid and its like; what is left out is 1.
bool parse_extents(TokenStream& tokens, std::uint32_t (&extents)[3]) {
  tokens.advance();
  for (std::uint32_t& extent : extents) extent = 1;
  for (int i = 0; i < 3; ++i) {
    const auto value = parse_integer_literal(tokens, 1, UINT32_MAX, "an extent");
    if (!value) return false;
    extents[i] = static_cast<std::uint32_t>(*value);
    if (i == 2 || !tokens.accept(TokenKind::comma)) break;
  }
  return true;
}

template <typename Value>
bool parse_number(TokenStream& tokens, Value& result) {
  tokens.advance();
  const auto value = parse_integer_literal(tokens, 0, UINT32_MAX, "a number");
  if (value) result = static_cast<std::uint32_t>(*value);
  return value.has_value();
}

/// What stands between the signature of a function and its body.
bool parse_attributes(Context& context, Function& function) {
  TokenStream& tokens = context.tokens;
  while (tokens.at(TokenKind::directive)) {
    const std::string_view word = tokens.current().text;
    std::uint32_t ignored = 0;
    bool found = true;
    bool good = true;
    if (word == "maxntid")
      good = parse_extents(tokens, function.maxntid);
    else if (word == "reqntid")
      good = parse_extents(tokens, function.reqntid);
    else if (word == "reqnctapercluster")
      good = parse_extents(tokens, function.reqnctapercluster);
    else if (word == "minnctapersm")
      good = parse_number(tokens, function.minnctapersm);
    else if (word == "maxnctapersm")
      good = parse_number(tokens, ignored);  // deprecated; means minnctapersm's limit
    else if (word == "maxnreg")
      good = parse_number(tokens, function.maxnreg);
    else if (word == "maxclusterrank")
      good = parse_number(tokens, function.maxclusterrank);
    else if (word == "explicitcluster")
      function.explicit_cluster = tokens.accept_directive(word);
    else if (word == "blocksareclusters")
      function.blocks_are_clusters = tokens.accept_directive(word);
    else if (word == "pragma")
      good = parse_pragma(context);
    else
      good = parse_function_attribute(context, function.noreturn, found);
    if (!good) return false;
    if (!found) {
      if (!function.is_entry && starts_module_statement(tokens)) return true;
      return tokens.unexpected("'{', ';' or an attribute of the function");
    }
  }
  return true;
}

bool parse_unified_attribute(TokenStream& tokens) {
  if (!tokens.accept_directive("attribute")) return true;
  if (!tokens.expect(TokenKind::left_paren, "after .attribute")) return false;
  if (!tokens.accept_directive("unified")) return tokens.unexpected("the attribute .unified");
  return tokens.expect(TokenKind::left_paren, "after .unified") && parse_integer_constant(tokens) &&
         tokens.expect(TokenKind::comma, "between the halves of a unified identifier") &&
         parse_integer_constant(tokens) && tokens.expect(TokenKind::right_paren, "after a unified identifier") &&
         tokens.expect(TokenKind::right_paren, "after the attributes");
}

bool parse_signature(Context& context, Signature& signature, Token& name) {
  TokenStream& tokens = context.tokens;
  if (!parse_unified_attribute(tokens)) return false;
  if (!signature.function.is_entry && tokens.at(TokenKind::left_paren) &&
      !parse_parameters(context, signature.returns, false)) {
    return false;
  }
  name = tokens.current();
  if (!tokens.expect(TokenKind::identifier, "of a function")) return false;
  signature.function.name = name.text;
  signature.function.place = name.place;
  if (tokens.at(TokenKind::left_paren) && !parse_parameters(context, signature.parameters, false)) return false;
  return parse_attributes(context, signature.function);
}

bool agree(const Context& context, const std::vector<SymbolId>& known, const std::vector<Variable>& given) {
  if (known.size() != given.size()) return false;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const Variable& other = context.module.variables[known[i]];
    if (other.space != given[i].space || other.type != given[i].type || other.vector != given[i].vector ||
        other.size != given[i].size) {
      return false;
    }
  }
  return true;
}

/// Takes over the variables of a signature, in the places of an earlier declaration's where there is one.
void adopt(Context& context, FunctionId id, std::vector<Variable>& given, std::vector<SymbolId>& symbols,
           std::vector<RegisterId>& register_ids) {
  Function& function = context.module.functions[id];
  symbols.resize(given.size(), kNoId);
  register_ids.assign(given.size(), kNoId);
  for (std::size_t i = 0; i < given.size(); ++i) {
    given[i].owner = id;
    if (given[i].space == Space::reg) {
      register_ids[i] = static_cast<RegisterId>(function.registers.size());
      function.registers.push_back({given[i].name, given[i].type, given[i].vector});
    }
    if (symbols[i] == kNoId) {
      symbols[i] = static_cast<SymbolId>(context.module.variables.size());
      context.module.variables.emplace_back();
    }
    context.module.variables[symbols[i]] = std::move(given[i]);
  }
}

/// The function that this signature declares: a known one or a new one; nothing, with a message, on a contradiction.
std::optional<FunctionId> function_for(Context& context, const Token& name, Signature& signature) {
  auto& functions = context.module.functions;
  const Declaration* known = context.names.find_in_current_scope(context.names.intern(name.text));
  if (known == nullptr || known->kind != Declaration::Kind::function) {
    const auto id = static_cast<FunctionId>(functions.size());
    if (!context.declare(name, Declaration::Kind::function, id)) return std::nullopt;
    functions.push_back(std::move(signature.function));
    return id;
  }
  const FunctionId id = known->index;
  Function& function = functions[id];
  if (function.is_entry != signature.function.is_entry || !agree(context, function.returns, signature.returns) ||
      !agree(context, function.parameters, signature.parameters)) {
    context.tokens.error(name.place, fmt::format("the signature of {} differs from the one in line {}",
                                                 quote(name.text), known->place.line));
    return std::nullopt;
  }
  if (function.has_body) return id;
  const bool noreturn = function.noreturn;
  signature.function.returns = std::move(function.returns);
  signature.function.parameters = std::move(function.parameters);
  function = std::move(signature.function);
  function.noreturn = function.noreturn || noreturn;
  return id;
}

void declare_parameters(Context& context, const std::vector<SymbolId>& symbols,
                        const std::vector<RegisterId>& registers) {
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const Variable& variable = context.module.variables[symbols[i]];
    const bool is_register = registers[i] != kNoId;
    // The table keeps views into the text; the name of a variable may move with it.
    const std::string_view name = context.made_names.emplace_back(variable.name);
    context.declare({TokenKind::identifier, name, variable.place, nullptr},
                    is_register ? Declaration::Kind::reg : Declaration::Kind::variable,
                    is_register ? registers[i] : symbols[i]);
  }
}

bool parse_body(Context& context, FunctionId id) {
  context.function = id;
  context.source_file = context.source_line = 0;
  context.current_function().has_body = true;
  context.names.open_scope();
  context.labels.open_scope();
  declare_parameters(context, context.current_function().returns, context.current_function().return_registers);
  declare_parameters(context, context.current_function().parameters, context.current_function().parameter_registers);
  const bool closed = parse_block(context);
  context.labels.close_scope();
  resolve_labels(context);
  context.close_scope();
  context.labels.clear();
  context.function = kNoId;
  return closed;
}

}  // namespace

bool parse_function_attribute(Context& context, bool& noreturn, bool& found) {
  TokenStream& tokens = context.tokens;
  found = true;
  if (tokens.accept_directive("noreturn")) {
    noreturn = true;
    return true;
  }
  if (tokens.at_directive("abi_preserve") || tokens.at_directive("abi_preserve_control")) {
    std::uint32_t ignored = 0;  // a promise about physical registers, which callers here need not know
    return parse_number(tokens, ignored);
  }
  found = false;
  return true;
}

bool parse_function(Context& context, Linkage linkage) {
  TokenStream& tokens = context.tokens;
  Signature signature;
  signature.function.is_entry = tokens.at_directive("entry");
  signature.function.linkage = linkage;
  tokens.advance();
  Token name;
  if (!parse_signature(context, signature, name)) return false;
  // The vendor's assembler lets the `;` of a declaration go where the next directive shows that there is no body.
  const bool lacks_semicolon = !signature.function.is_entry && starts_module_statement(tokens);
  if (!tokens.at(TokenKind::semicolon) && !tokens.at(TokenKind::left_brace) && !lacks_semicolon) {
    return tokens.unexpected("'{' or ';' after the signature of a function");
  }
  const auto id = function_for(context, name, signature);
  if (!id) return false;
  Function& function = context.module.functions[*id];
  if (!function.has_body) {
    adopt(context, *id, signature.returns, function.returns, function.return_registers);
    adopt(context, *id, signature.parameters, function.parameters, function.parameter_registers);
  } else if (tokens.at(TokenKind::left_brace)) {
    return tokens.error(name.place,
                        fmt::format("{} is defined twice, first in line {}", quote(name.text), function.place.line));
  }
  if (lacks_semicolon || tokens.accept(TokenKind::semicolon)) return true;
  tokens.advance();
  return parse_body(context, *id);
}

}  // namespace heddle::ptx
