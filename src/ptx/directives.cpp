// Directives that generate no code: source files and lines, pragmas, debug sections.
#include <fmt/format.h>

#include "ptx/constant.h"
#include "ptx/parser.h"

namespace heddle::ptx {

/// `.file 1 "name" [, timestamp, size]`
bool parse_file(Context& context) {
  TokenStream& tokens = context.tokens;
  tokens.advance();
  // An index beyond the length of the text cannot be one of a list that the text spells out.
  const auto index = parse_integer_literal(tokens, 0, context.text_size, "the index of a source file");
  if (!index) return false;
  const Token name = tokens.current();
  if (!tokens.expect(TokenKind::string, "with the name of the source file")) return false;
  auto& files = context.module.source_files;
  if (files.size() <= *index) files.resize(*index + 1);
  files[*index] = name.text;
  while (tokens.accept(TokenKind::comma)) {
    if (!parse_integer_literal(tokens, 0, UINT64_MAX, "the time stamp or size of a source file")) return false;
  }
  return true;
}

/// `.loc 1 23 5 [, function_name label [+ 4]] [, inlined_at 1 40 3]`: the inner place is the one kept.
bool parse_location(Context& context) {
  TokenStream& tokens = context.tokens;
  tokens.advance();
  const auto number = [&](std::string_view what) { return parse_integer_literal(tokens, 0, UINT32_MAX, what); };
  const auto file = number("the source file of .loc");
  const auto line = file ? number("the line of .loc") : std::nullopt;
  if (!line || !number("the column of .loc")) return false;
  while (tokens.accept(TokenKind::comma)) {
    const Token word = tokens.current();
    if (!tokens.expect(TokenKind::identifier, "such as function_name or inlined_at")) return false;
    if (word.text == "function_name") {
      if (!tokens.expect(TokenKind::identifier, "of a label after function_name")) return false;
      if (tokens.accept(TokenKind::plus) && !number("the offset of function_name")) return false;
    } else if (word.text == "inlined_at") {
      for (int i = 0; i < 3; ++i) {
        if (!number("a number of inlined_at")) return false;
      }
    } else {
      return tokens.error(word.place, fmt::format("expected function_name or inlined_at, found {}", quote(word.text)));
    }
  }
  context.source_file = static_cast<std::uint32_t>(*file);
  context.source_line = static_cast<std::uint32_t>(*line);
  return true;
}

/// `.pragma "text", "text";`: advice to another compiler, read and dropped.
bool parse_pragma(Context& context) {
  TokenStream& tokens = context.tokens;
  tokens.advance();
  do {
    if (!tokens.expect(TokenKind::string, "after .pragma")) return false;
  } while (tokens.accept(TokenKind::comma));
  return tokens.expect(TokenKind::semicolon, "after .pragma");
}

/// `.section .debug_info { ... }`: contents are balanced braces, nothing more is asked of them.
bool skip_section(Context& context) {
  TokenStream& tokens = context.tokens;
  const SourcePlace place = tokens.place();
  tokens.advance();
  if (!tokens.at(TokenKind::directive) && !tokens.at(TokenKind::identifier) && !tokens.at(TokenKind::string)) {
    return tokens.unexpected("the name of a section");
  }
  tokens.advance();
  if (!tokens.expect(TokenKind::left_brace, "after the name of a section")) return false;
  return tokens.skip_braces() || tokens.error(place, "this section has no closing '}'");
}

}  // namespace heddle::ptx
