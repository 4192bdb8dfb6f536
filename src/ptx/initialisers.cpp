// Initial values of variables: nested braces, numbers, addresses of variables and functions.
//
// An integer too large for its element loses its upper bits, as in the vendor's assembler. Values are laid out as
// bytes; an address leaves zeros and a relocation. Only what the text spells out is stored, up to a bounded amount of
// zeros between explicit values.
#include <fmt/format.h>

#include <bit>

#include "ptx/constant.h"
#include "ptx/parser.h"

namespace heddle::ptx {
namespace {

struct Level {
  std::uint64_t extent;  ///< elements of the next level; 0 when open
  std::uint64_t stride;  ///< scalars in one of them
  bool is_open;
};

struct Layout {
  Variable& variable;
  std::vector<Level> levels;
  std::uint64_t open_count = 0;  ///< elements given to an open first level
};

Layout layout_of(Variable& variable) {
  Layout layout{variable, {}, 0};
  for (const std::uint64_t extent : variable.dimensions) layout.levels.push_back({extent, 1, false});
  if (!layout.levels.empty() && variable.size == 0) layout.levels.front().is_open = variable.dimensions.front() == 0;
  if (variable.vector > 1) layout.levels.push_back({variable.vector, 1, false});
  for (std::size_t i = layout.levels.size(); i-- > 1;) {
    layout.levels[i - 1].stride = layout.levels[i].stride * layout.levels[i].extent;
  }
  return layout;
}

/// Writes the low bytes of `bits` as scalar number `element`.
bool store(Context& context, Variable& variable, std::uint64_t element, std::uint64_t bits, SourcePlace place) {
  const unsigned size = size_of(variable.type);
  std::uint64_t offset = 0;
  if (__builtin_mul_overflow(element, std::uint64_t{size}, &offset) ||
      offset - variable.initial.size() > context.gap_budget) {
    return context.tokens.error(place, "this initialiser spreads over too much memory");
  }
  context.gap_budget -= offset - variable.initial.size();
  variable.initial.resize(offset + size);
  for (unsigned i = 0; i < size && i < 8; ++i)
    variable.initial[offset + i] = static_cast<std::uint8_t>(bits >> (8 * i));
  return true;
}

/// The bits of a constant in an element of `type`, or nothing with a message.
std::optional<std::uint64_t> convert(TokenStream& tokens, const Constant& value, ScalarType type) {
  switch (type) {
    case ScalarType::f32:
      if (value.kind == Constant::Kind::real32) return value.bits;
      if (value.is_real()) return std::bit_cast<std::uint32_t>(static_cast<float>(value.real()));
      break;
    case ScalarType::f64:
      if (value.kind == Constant::Kind::real64) return value.bits;
      if (value.is_real()) return std::bit_cast<std::uint64_t>(value.real());
      break;
    case ScalarType::b32:
      if (value.kind != Constant::Kind::real64) return value.bits;
      break;
    case ScalarType::b64:
      if (value.kind != Constant::Kind::real32) return value.bits;
      break;
    case ScalarType::b8:
    case ScalarType::b16:
    case ScalarType::b128:
    case ScalarType::u8:
    case ScalarType::u16:
    case ScalarType::u32:
    case ScalarType::u64:
    case ScalarType::s8:
    case ScalarType::s16:
    case ScalarType::s32:
    case ScalarType::s64:
      if (!value.is_real()) return value.bits;
      break;
    default:
      tokens.error(value.place, fmt::format("a variable of type .{} cannot be initialised", name_of(type)));
      return std::nullopt;
  }
  tokens.error(value.place, fmt::format("a {} number cannot initialise the type .{}",
                                        value.is_real() ? "floating-point" : "whole", name_of(type)));
  return std::nullopt;
}

/// `symbol`, `generic(symbol)`, either with a constant added.
bool parse_symbol(Context& context, Relocation& relocation) {
  TokenStream& tokens = context.tokens;
  relocation.generic = tokens.at(TokenKind::identifier) && tokens.current().text == "generic" &&
                       tokens.peek().kind == TokenKind::left_paren;
  if (relocation.generic) {
    tokens.advance();
    tokens.advance();
  }
  const Token name = tokens.current();
  if (!tokens.expect(TokenKind::identifier, "of a variable or function")) return false;
  const Declaration* found = context.find(context.names.intern(name.text));
  if (found == nullptr) {
    return tokens.error(name.place, fmt::format("no variable or function {} is declared before this{}",
                                                quote(name.text), context.hint(name.text)));
  }
  if (found->kind != Declaration::Kind::variable && found->kind != Declaration::Kind::function) {
    return tokens.error(name.place, fmt::format("{} is neither a variable nor a function", quote(name.text)));
  }
  relocation.is_function = found->kind == Declaration::Kind::function;
  relocation.symbol = found->index;
  if (relocation.generic && !tokens.expect(TokenKind::right_paren, "after generic(")) return false;
  if (tokens.at(TokenKind::plus) || tokens.at(TokenKind::minus)) {
    tokens.accept(TokenKind::plus);
    const auto addend = parse_integer_constant(tokens);
    if (!addend) return false;
    relocation.addend = *addend;
  }
  return true;
}

bool store_address(Context& context, Layout& layout, std::uint64_t element, Relocation relocation, SourcePlace place) {
  const unsigned size = size_of(layout.variable.type);
  const bool is_masked = relocation.mask != ~std::uint64_t{0};
  if (!is_masked && size != 4 && size != 8) {
    return context.tokens.error(place,
                                fmt::format("an address does not fit the type .{}", name_of(layout.variable.type)));
  }
  if (!store(context, layout.variable, element, 0, place)) return false;
  relocation.offset = element * size;
  relocation.size = static_cast<std::uint8_t>(size);
  layout.variable.relocations.push_back(relocation);
  return true;
}

bool parse_scalar(Context& context, Layout& layout, std::uint64_t element) {
  TokenStream& tokens = context.tokens;
  const SourcePlace place = tokens.place();
  Relocation relocation;
  if (tokens.at(TokenKind::identifier) && tokens.current().text != "WARP_SZ") {
    return parse_symbol(context, relocation) && store_address(context, layout, element, relocation, place);
  }
  if (tokens.at(TokenKind::left_brace)) return tokens.unexpected("a value");
  const auto value = parse_constant(tokens);
  if (!value) return false;
  if (tokens.at(TokenKind::left_paren)) {  // 0xFF(symbol)
    if (value->is_real()) return tokens.error(value->place, "the mask of an address must be an integer");
    tokens.advance();
    relocation.mask = value->bits;
    return parse_symbol(context, relocation) && tokens.expect(TokenKind::right_paren, "after a masked address") &&
           store_address(context, layout, element, relocation, place);
  }
  const auto bits = convert(tokens, *value, layout.variable.type);
  return bits && store(context, layout.variable, element, *bits, place);
}

/// `"text"` for an array of bytes; a terminating zero is added where there is room.
bool parse_string(Context& context, Layout& layout, const Level& level, std::uint64_t element) {
  TokenStream& tokens = context.tokens;
  const Token token = tokens.current();
  std::string bytes;
  for (std::size_t i = 0; i < token.text.size(); ++i) {
    char c = token.text[i];
    if (c == '\\' && i + 1 < token.text.size()) {
      c = token.text[++i];
      if (const auto escape = std::string_view("ntr0").find(c); escape != std::string_view::npos)
        c = "\n\t\r\0"[escape];
    }
    bytes += c;
  }
  if (level.is_open || bytes.size() < level.extent) bytes += '\0';
  if (!level.is_open && bytes.size() > level.extent)
    return tokens.error(token.place, "the string is longer than its array");
  for (const char c : bytes) {
    if (!store(context, layout.variable, element++, static_cast<std::uint8_t>(c), token.place)) return false;
  }
  if (level.is_open) layout.open_count = bytes.size();
  tokens.advance();
  return true;
}

bool parse_level(Context& context, Layout& layout, std::size_t depth, std::uint64_t first) {
  TokenStream& tokens = context.tokens;
  if (depth == layout.levels.size()) return parse_scalar(context, layout, first);
  const TokenStream::Nesting nesting(tokens);
  if (!nesting.allowed()) return false;
  const Level& level = layout.levels[depth];
  if (tokens.at(TokenKind::string) && depth + 1 == layout.levels.size() && size_of(layout.variable.type) == 1) {
    return parse_string(context, layout, level, first);
  }
  if (!tokens.expect(TokenKind::left_brace, "before the values of an array or vector")) return false;
  if (tokens.accept(TokenKind::right_brace)) return true;
  std::uint64_t count = 0;
  do {
    if (!level.is_open && count == level.extent) {
      return tokens.error(tokens.place(), fmt::format("more values than the {} declared", level.extent));
    }
    std::uint64_t element = 0;
    if (__builtin_mul_overflow(count, level.stride, &element)) {
      return tokens.error(tokens.place(), "the array is larger than the address space");
    }
    if (!parse_level(context, layout, depth + 1, first + element)) return false;
    ++count;
  } while (tokens.accept(TokenKind::comma));
  if (level.is_open) layout.open_count = count;
  return tokens.expect(TokenKind::right_brace, "after the values of an array or vector");
}

}  // namespace

bool parse_initialiser(Context& context, Variable& variable) {
  TokenStream& tokens = context.tokens;
  if (variable.space != Space::global && variable.space != Space::const_) {
    return tokens.error(tokens.place(),
                        fmt::format("a variable in .{} cannot be initialised", name_of(variable.space)));
  }
  Layout layout = layout_of(variable);
  if (!parse_level(context, layout, 0, 0)) return false;
  if (!layout.levels.empty() && layout.levels.front().is_open) {
    const std::uint64_t scalar = size_of(variable.type);
    std::uint64_t size = 0;
    if (__builtin_mul_overflow(layout.open_count, layout.levels.front().stride * scalar, &size) ||
        size > static_cast<std::uint64_t>(INT64_MAX)) {
      return tokens.error(variable.place, "the array is larger than the address space");
    }
    variable.size = size;
  }
  return true;
}

}  // namespace heddle::ptx
