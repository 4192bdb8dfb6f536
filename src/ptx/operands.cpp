// Operands of instructions: registers, constants, addresses, vectors, pairs.
#include <fmt/format.h>

#include "ptx/constant.h"
#include "ptx/parser.h"
#include "ptx/special_registers.h"

namespace heddle::ptx {
namespace {

int component_from_name(std::string_view text) {
  if (text.size() != 1) return -1;
  if (const auto found = std::string_view("xyzw").find(text[0]); found != std::string_view::npos)
    return static_cast<int>(found);
  if (const auto found = std::string_view("rgba").find(text[0]); found != std::string_view::npos)
    return static_cast<int>(found);
  return -1;
}

/// `.x` after a register with `width` components.
bool parse_component(TokenStream& tokens, Operand& operand, int width, std::string_view name) {
  if (!tokens.at(TokenKind::directive)) return true;
  const int component = component_from_name(tokens.current().text);
  if (component < 0) {
    return tokens.error(tokens.place(), fmt::format("{} is no component; expected .x, .y, .z or .w",
                                                    quote("." + std::string(tokens.current().text.substr(0, 64)))));
  }
  if (width == 1)
    return tokens.error(tokens.place(), fmt::format("{} is not a vector and has no components", quote(name)));
  if (component >= width) {
    return tokens.error(tokens.place(), fmt::format("{} has only {} components", quote(name), width));
  }
  operand.component = static_cast<std::int8_t>(component);
  tokens.advance();
  return true;
}

/// `+ 4`, `+ -8`, `- 8` after a name; nothing is an offset of zero.
bool parse_offset(Context& context, Operand& operand) {
  TokenStream& tokens = context.tokens;
  if (!tokens.at(TokenKind::plus) && !tokens.at(TokenKind::minus)) return true;
  tokens.accept(TokenKind::plus);
  if (tokens.at(TokenKind::identifier) && tokens.current().text != "WARP_SZ") {
    return tokens.error(tokens.place(),
                        fmt::format("only a constant can be added here, not {}", quote(tokens.current().text)));
  }
  const auto offset = parse_integer_constant(tokens);
  if (!offset) return false;
  operand.offset = *offset;
  return true;
}

bool unknown_name(Context& context, const Token& name) {
  return context.tokens.error(
      name.place, fmt::format("nothing named {} is declared here{}", quote(name.text), context.hint(name.text)));
}

void refer_to_label(Context& context, const Token& name, Operand& operand) {
  operand.kind = Operand::Kind::label;
  operand.index = context.labels.refer(context.names.intern(name.text), name.place);
  const auto instruction = static_cast<std::uint32_t>(context.current_function().body.size());
  if (context.unresolved.empty() || context.unresolved.back() != instruction) context.unresolved.push_back(instruction);
}

bool parse_register(Context& context, const Declaration& found, const Token& name, Operand& operand) {
  operand.index = found.index;
  if (found.kind == Declaration::Kind::special) {
    const SpecialRegisterName& special = special_registers()[found.index];
    operand.kind = Operand::Kind::special;
    operand.special = special.which;
    operand.index = kNoId;
    operand.bits = special.number;
    return parse_component(context.tokens, operand, special.is_vector ? 4 : 1, name.text);
  }
  operand.kind = Operand::Kind::reg;
  return parse_component(context.tokens, operand, context.current_function().registers[found.index].vector, name.text);
}

/// `array[constant]`: the address of an element.
bool parse_subscript(Context& context, Operand& operand) {
  TokenStream& tokens = context.tokens;
  const Variable& variable = context.module.variables[operand.index];
  std::uint64_t stride = std::uint64_t{size_of(variable.type)} * variable.vector;
  for (std::size_t i = 1; i < variable.dimensions.size(); ++i) stride *= variable.dimensions[i];
  tokens.advance();
  const auto subscript = parse_integer_constant(tokens);
  if (!subscript) return false;
  operand.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(*subscript) * stride);
  return tokens.expect(TokenKind::right_bracket, "after the subscript");
}

bool parse_name(Context& context, Operand& operand) {
  TokenStream& tokens = context.tokens;
  const Token name = tokens.current();
  tokens.advance();
  if (name.text == "_") {
    operand.kind = Operand::Kind::sink;
    return true;
  }
  const Declaration* found = context.find(context.names.intern(name.text));
  if (found == nullptr && name.text.front() == '%') return unknown_name(context, name);
  if (found == nullptr) {
    refer_to_label(context, name, operand);  // perhaps one that comes later
    return true;
  }
  switch (found->kind) {
    case Declaration::Kind::reg:
    case Declaration::Kind::special:
      return parse_register(context, *found, name, operand);
    case Declaration::Kind::variable:
      operand.kind = Operand::Kind::variable;
      operand.index = found->index;
      return tokens.at(TokenKind::left_bracket) ? parse_subscript(context, operand) : parse_offset(context, operand);
    case Declaration::Kind::function:
      operand.kind = Operand::Kind::function;
      operand.index = found->index;
      return true;
    default:
      refer_to_label(context, name, operand);
      return true;
  }
}

bool parse_number(Context& context, Operand& operand) {
  TokenStream& tokens = context.tokens;
  const auto value = parse_constant(tokens);
  if (!value) return false;
  operand.bits = value->bits;
  operand.kind = value->kind == Constant::Kind::real32   ? Operand::Kind::real32
                 : value->kind == Constant::Kind::real64 ? Operand::Kind::real64
                                                         : Operand::Kind::integer;
  return true;
}

/// One operand without braces or brackets.
bool parse_scalar(Context& context, Operand& operand) {
  TokenStream& tokens = context.tokens;
  operand.place = tokens.place();
  if (tokens.at(TokenKind::bang) || tokens.at(TokenKind::minus)) {
    const Token next = tokens.peek();
    if (next.kind == TokenKind::identifier && next.text != "WARP_SZ") {
      if (tokens.at(TokenKind::minus)) return tokens.error(operand.place, "PTX cannot negate an operand; use neg");
      tokens.advance();
      operand.negated = true;
      if (!parse_name(context, operand)) return false;
      return operand.kind == Operand::Kind::reg || tokens.error(operand.place, "'!' takes a predicate register");
    }
  }
  if (starts_constant(tokens)) return parse_number(context, operand);
  if (tokens.at(TokenKind::identifier)) return parse_name(context, operand);
  return tokens.unexpected("an operand");
}

/// `{a, b, _, c}`
bool parse_vector(Context& context, Operand& operand) {
  TokenStream& tokens = context.tokens;
  operand.kind = Operand::Kind::vector;
  operand.place = tokens.place();
  tokens.advance();
  do {
    if (!parse_scalar(context, operand.elements.emplace_back())) return false;
  } while (tokens.accept(TokenKind::comma));
  return tokens.expect(TokenKind::right_brace, "after the elements of a vector");
}

/// What may stand first in brackets.
bool parse_base(Context& context, Operand& operand) {
  TokenStream& tokens = context.tokens;
  if (!tokens.at(TokenKind::identifier) || tokens.current().text == "WARP_SZ") {
    if (!starts_constant(tokens)) return tokens.unexpected("an address");
    const auto value = parse_integer_constant(tokens);
    if (!value) return false;
    operand.base = Operand::Base::constant;
    operand.offset = *value;
    return true;
  }
  const Token name = tokens.current();
  tokens.advance();
  const Declaration* found = context.find(context.names.intern(name.text));
  if (found == nullptr) return unknown_name(context, name);
  if (found->kind == Declaration::Kind::variable) {
    operand.base = Operand::Base::variable;
    operand.index = found->index;
  } else if (found->kind == Declaration::Kind::reg) {
    operand.base = Operand::Base::reg;
    if (!parse_register(context, *found, name, operand)) return false;
    operand.kind = Operand::Kind::address;
  } else {
    return tokens.error(
        name.place, fmt::format("{} is neither a register nor a variable and cannot be an address", quote(name.text)));
  }
  return parse_offset(context, operand);
}

/// `[base + offset]`, `[texture, {x, y}]`, `[texture, sampler, {x, y}]`
bool parse_address(Context& context, Operand& operand) {
  TokenStream& tokens = context.tokens;
  operand.kind = Operand::Kind::address;
  operand.place = tokens.place();
  tokens.advance();
  if (!parse_base(context, operand)) return false;
  while (tokens.at(TokenKind::comma)) {
    tokens.advance();
    if (operand.elements.size() == 2) return tokens.unexpected("']' after the coordinates");
    Operand& element = operand.elements.emplace_back();
    if (!(tokens.at(TokenKind::left_brace) ? parse_vector(context, element) : parse_scalar(context, element)))
      return false;
  }
  if (operand.elements.size() == 2) std::swap(operand.elements[0], operand.elements[1]);
  if (!operand.elements.empty() && operand.elements[0].kind != Operand::Kind::vector) {
    if (operand.elements[0].kind != Operand::Kind::reg) {
      return tokens.error(operand.elements[0].place, "coordinates must be a register or a vector in braces");
    }
    Operand coordinates;
    coordinates.kind = Operand::Kind::vector;
    coordinates.place = operand.elements[0].place;
    coordinates.elements.push_back(std::move(operand.elements[0]));
    operand.elements[0] = std::move(coordinates);
  }
  return tokens.expect(TokenKind::right_bracket, "after an address");
}

}  // namespace

bool parse_operand(Context& context, Operand& operand) {
  TokenStream& tokens = context.tokens;
  if (tokens.at(TokenKind::left_bracket)) return parse_address(context, operand);
  if (!(tokens.at(TokenKind::left_brace) ? parse_vector(context, operand) : parse_scalar(context, operand)))
    return false;
  if (!tokens.at(TokenKind::bar)) return true;
  // d|p, or {r, g, b, a}|p of a texture that may not be resident
  Operand pair;
  pair.kind = Operand::Kind::pair;
  pair.place = operand.place;
  tokens.advance();
  pair.elements.push_back(std::move(operand));
  if (!parse_scalar(context, pair.elements.emplace_back())) return false;
  for (const Operand& element : pair.elements) {
    const bool is_first_vector = element.kind == Operand::Kind::vector && &element == &pair.elements.front();
    if (element.kind != Operand::Kind::reg && element.kind != Operand::Kind::sink && !is_first_vector) {
      return tokens.error(element.place, "both sides of '|' must be registers or '_'");
    }
  }
  operand = std::move(pair);
  return true;
}

bool parse_label_operand(Context& context, Operand& operand) {
  TokenStream& tokens = context.tokens;
  const Token name = tokens.current();
  if (!tokens.expect(TokenKind::identifier, "of a label")) return false;
  operand.place = name.place;
  refer_to_label(context, name, operand);
  return true;
}

std::optional<RegisterId> parse_predicate(Context& context) {
  TokenStream& tokens = context.tokens;
  const Token name = tokens.current();
  if (!tokens.expect(TokenKind::identifier, "of a predicate after '@'")) return std::nullopt;
  const Declaration* found = context.find(context.names.intern(name.text));
  if (found == nullptr) {
    unknown_name(context, name);
    return std::nullopt;
  }
  if (found->kind != Declaration::Kind::reg ||
      context.current_function().registers[found->index].type != ScalarType::pred) {
    tokens.error(name.place, fmt::format("{} is not a predicate register", quote(name.text)));
    return std::nullopt;
  }
  return found->index;
}

}  // namespace heddle::ptx
