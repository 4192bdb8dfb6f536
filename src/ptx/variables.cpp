// Declarations of variables, registers and parameters.
#include <fmt/format.h>

#include <bit>

#include "ptx/constant.h"
#include "ptx/parser.h"

namespace heddle::ptx {
namespace {

constexpr std::uint64_t kLargestAlignment = std::uint64_t{1} << 31;

bool parse_alignment(TokenStream& tokens, std::uint32_t& align) {
  tokens.advance();
  const SourcePlace place = tokens.place();
  const auto value = parse_integer_literal(tokens, 1, kLargestAlignment, "an alignment");
  if (!value) return false;
  if (!std::has_single_bit(*value)) {
    return tokens.error(place, fmt::format("an alignment must be a power of two, not {}", *value));
  }
  align = static_cast<std::uint32_t>(*value);
  return true;
}

/// `.ptr .global .align 4` of a kernel parameter: what it says about the pointer's target is not kept.
bool skip_pointer_attribute(TokenStream& tokens) {
  tokens.advance();
  for (const std::string_view space : {"const", "global", "local", "shared"}) {
    if (tokens.accept_directive(space)) break;
  }
  std::uint32_t ignored = 0;
  return !tokens.at_directive("align") || parse_alignment(tokens, ignored);
}

/// `.attribute(.managed, .unified(1, 2))`.
bool parse_attributes(TokenStream& tokens, Variable& variable) {
  tokens.advance();
  if (!tokens.expect(TokenKind::left_paren, "after .attribute")) return false;
  do {
    if (tokens.accept_directive("managed")) {
      variable.managed = true;
    } else if (tokens.accept_directive("unified")) {
      if (!tokens.expect(TokenKind::left_paren, "after .unified") || !parse_integer_constant(tokens) ||
          !tokens.expect(TokenKind::comma, "between the halves of a unified identifier") ||
          !parse_integer_constant(tokens) || !tokens.expect(TokenKind::right_paren, "after a unified identifier")) {
        return false;
      }
    } else {
      return tokens.unexpected("the attribute .managed or .unified");
    }
  } while (tokens.accept(TokenKind::comma));
  return tokens.expect(TokenKind::right_paren, "after the attributes");
}

/// Alignment, vector, type and attributes, in any order, between the state space and the name.
bool parse_specifiers(Context& context, Variable& variable) {
  TokenStream& tokens = context.tokens;
  while (tokens.at(TokenKind::directive)) {
    const std::string_view word = tokens.current().text;
    if (word == "align") {
      if (!parse_alignment(tokens, variable.align)) return false;
    } else if (word == "v2" || word == "v4") {
      variable.vector = word == "v2" ? 2 : 4;
      tokens.advance();
    } else if (word == "ptr" && variable.space == Space::param) {
      if (!skip_pointer_attribute(tokens)) return false;
    } else if (word == "attribute") {
      if (!parse_attributes(tokens, variable)) return false;
    } else if (const ScalarType type = type_from_name(word); type != ScalarType::none) {
      if (variable.type != ScalarType::none) return tokens.unexpected("a name after the type");
      variable.type = type;
      tokens.advance();
    } else {
      return tokens.unexpected("a type");
    }
  }
  if (variable.type == ScalarType::none) return tokens.unexpected("a type such as .u32");
  if (variable.type == ScalarType::pred && variable.space != Space::reg) {
    return tokens.error(tokens.place(), "a predicate can only be a register");
  }
  if (variable.align == 0) variable.align = size_of(variable.type) * variable.vector;
  return true;
}

bool parse_dimensions(Context& context, Variable& variable) {
  TokenStream& tokens = context.tokens;
  std::uint64_t size = std::uint64_t{size_of(variable.type)} * variable.vector;
  bool is_open = false;
  while (tokens.at(TokenKind::left_bracket)) {
    const SourcePlace place = tokens.place();
    tokens.advance();
    if (variable.dimensions.size() == kMaxNesting) return tokens.error(place, "an array cannot have so many extents");
    std::uint64_t extent = 0;
    if (tokens.at(TokenKind::right_bracket)) {
      if (!variable.dimensions.empty())
        return tokens.error(place, "only the first extent of an array may be left open");
      is_open = true;
    } else {
      const auto value = parse_integer_constant(tokens);
      if (!value) return false;
      if (*value < 0) return tokens.error(place, fmt::format("the extent of an array cannot be {}", *value));
      extent = static_cast<std::uint64_t>(*value);
      if (__builtin_mul_overflow(size, extent, &size) || size > static_cast<std::uint64_t>(INT64_MAX)) {
        return tokens.error(place, "the array is larger than the address space");
      }
    }
    if (!tokens.expect(TokenKind::right_bracket, "after the extent of an array")) return false;
    variable.dimensions.push_back(extent);
  }
  variable.size = is_open ? 0 : size;
  return true;
}

/// `name<count>`: the members are variables of their own.
bool declare_numbered(Context& context, const Token& prefix, const Variable& specifiers, std::uint64_t count) {
  if (!context.expand(prefix.place, count)) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    Variable variable = specifiers;
    variable.name = fmt::format("{}{}", prefix.text, i);
    const Token name{TokenKind::identifier, context.made_names.emplace_back(variable.name), prefix.place, nullptr};
    const auto id = static_cast<SymbolId>(context.module.variables.size());
    if (!context.declare(name, Declaration::Kind::variable, id)) return false;
    context.module.variables.push_back(std::move(variable));
    if (context.function != kNoId) context.current_function().locals.push_back(id);
  }
  return true;
}

/// The symbol that this declaration is about: a new one, or one that it completes (`.extern` before, or after).
std::optional<SymbolId> symbol_for(Context& context, const Token& name, const Variable& variable) {
  if (context.function == kNoId) {
    const Declaration* known = context.names.find_in_current_scope(context.names.intern(name.text));
    if (known != nullptr && known->kind == Declaration::Kind::variable) {
      const Variable& other = context.module.variables[known->index];
      const bool completes = other.linkage == Linkage::extern_ || variable.linkage == Linkage::extern_ ||
                             (other.linkage == Linkage::common && variable.linkage == Linkage::common);
      if (completes && (other.space != variable.space || other.type != variable.type)) {
        context.tokens.error(name.place, fmt::format("{} was declared in line {} with another space or type",
                                                     quote(name.text), known->place.line));
        return std::nullopt;
      }
      if (completes) return known->index;
    }
  }
  const auto id = static_cast<SymbolId>(context.module.variables.size());
  if (!context.declare(name, Declaration::Kind::variable, id)) return std::nullopt;
  context.module.variables.emplace_back();
  if (context.function != kNoId) context.current_function().locals.push_back(id);
  return id;
}

bool parse_declarator(Context& context, const Variable& specifiers) {
  TokenStream& tokens = context.tokens;
  const Token name = tokens.current();
  if (!tokens.expect(TokenKind::identifier, "in a declaration")) return false;
  Variable variable = specifiers;
  variable.name = name.text;
  variable.place = name.place;
  if (tokens.accept(TokenKind::less)) {
    const auto count = parse_integer_literal(tokens, 0, UINT32_MAX, "the number of variables");
    if (!count || !tokens.expect(TokenKind::greater, "after the number of variables")) return false;
    variable.size = std::uint64_t{size_of(variable.type)} * variable.vector;
    return declare_numbered(context, name, variable, *count);
  }
  if (!parse_dimensions(context, variable)) return false;
  const auto symbol = symbol_for(context, name, variable);
  if (!symbol) return false;
  const bool repeats = !context.module.variables[*symbol].name.empty();
  if (tokens.accept(TokenKind::equals)) {
    if (!parse_initialiser(context, variable)) return false;
  } else if (repeats && variable.linkage == Linkage::extern_) {
    return true;  // the definition, or an earlier declaration, says all
  }
  context.module.variables[*symbol] = std::move(variable);
  return true;
}

}  // namespace

std::optional<Space> space_from_name(std::string_view text) {
  for (const Space space :
       {Space::reg, Space::const_, Space::global, Space::local, Space::param, Space::shared, Space::tex}) {
    if (name_of(space) == text) return space;
  }
  return std::nullopt;
}

bool parse_variables(Context& context, Linkage linkage) {
  TokenStream& tokens = context.tokens;
  Variable specifiers;
  specifiers.space = space_from_name(tokens.current().text).value_or(Space::none);
  specifiers.linkage = linkage;
  specifiers.owner = context.function;
  tokens.advance();
  if (specifiers.space == Space::const_ && tokens.at(TokenKind::left_bracket)) {
    return tokens.error(tokens.place(), "numbered constant banks are not supported");
  }
  if (!parse_specifiers(context, specifiers)) return false;
  do {
    if (!parse_declarator(context, specifiers)) return false;
  } while (tokens.accept(TokenKind::comma));
  return tokens.expect(TokenKind::semicolon, "after a declaration");
}

bool parse_registers(Context& context) {
  TokenStream& tokens = context.tokens;
  Variable specifiers;
  specifiers.space = Space::reg;
  tokens.advance();
  if (!parse_specifiers(context, specifiers)) return false;
  do {
    const Token name = tokens.current();
    if (!tokens.expect(TokenKind::identifier, "of a register")) return false;
    if (tokens.accept(TokenKind::less)) {
      const auto count = parse_integer_literal(tokens, 0, UINT32_MAX, "the number of registers");
      if (!count || !tokens.expect(TokenKind::greater, "after the number of registers")) return false;
      const RegisterRange range{specifiers.type, specifiers.vector, static_cast<std::uint32_t>(*count), name.place};
      if (!context.names.declare_range(context.names.intern(name.text), range)) {
        return tokens.error(name.place, fmt::format("the registers {} are declared twice in this scope",
                                                    quote(std::string(name.text.substr(0, 64)) + "<...>")));
      }
      continue;
    }
    auto& registers = context.current_function().registers;
    if (!context.declare(name, Declaration::Kind::reg, static_cast<std::uint32_t>(registers.size()))) return false;
    registers.push_back({std::string(name.text), specifiers.type, specifiers.vector});
  } while (tokens.accept(TokenKind::comma));
  return tokens.expect(TokenKind::semicolon, "after a declaration");
}

bool parse_parameters(Context& context, std::vector<Variable>& parameters, bool prototype) {
  TokenStream& tokens = context.tokens;
  if (!tokens.expect(TokenKind::left_paren, "before parameters")) return false;
  if (tokens.accept(TokenKind::right_paren)) return true;
  do {
    Variable parameter;
    if (tokens.at_directive("param")) parameter.space = Space::param;
    if (tokens.at_directive("reg")) parameter.space = Space::reg;
    if (parameter.space == Space::none) return tokens.unexpected("a parameter: .param or .reg");
    tokens.advance();
    if (!parse_specifiers(context, parameter)) return false;
    const Token name = tokens.current();
    parameter.name = name.text;
    parameter.place = name.place;
    if (!tokens.expect(TokenKind::identifier, "of a parameter")) return false;
    if (name.text == "_" && !prototype)
      return tokens.error(name.place, "only parameters of a prototype may be called '_'");
    if (!parse_dimensions(context, parameter)) return false;
    parameters.push_back(std::move(parameter));
  } while (tokens.accept(TokenKind::comma));
  return tokens.expect(TokenKind::right_paren, "after the parameters");
}

}  // namespace heddle::ptx
