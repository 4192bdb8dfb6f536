// Constant expressions: PTX evaluates them itself, in 64-bit integers and doubles, with C's operators and precedence.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/token_stream.h"

namespace heddle::ptx {

struct Constant {
  enum class Kind : std::uint8_t { signed64, unsigned64, real64, real32 };
  Kind kind = Kind::signed64;
  std::uint64_t bits = 0;  ///< two's complement or IEEE; exact for `0f...` and `0d...` literals, NaN payloads included
  SourcePlace place;

  [[nodiscard]] bool is_real() const { return kind == Kind::real64 || kind == Kind::real32; }
  [[nodiscard]] double real() const;
};

/// Reads one expression; nothing, with a message, if there is none. Stops before the first token that cannot continue
/// it: a `(` after a literal (the mask of an initialiser) is left for the caller.
[[nodiscard]] std::optional<Constant> parse_constant(TokenStream& tokens);
/// As parse_constant, but a floating-point value is an error.
[[nodiscard]] std::optional<std::int64_t> parse_integer_constant(TokenStream& tokens);
/// An integer literal between `least` and `most`; `what` names it in the message.
[[nodiscard]] std::optional<std::uint64_t> parse_integer_literal(TokenStream& tokens, std::uint64_t least,
                                                                 std::uint64_t most, std::string_view what);
/// Whether the current token can begin a constant expression.
[[nodiscard]] bool starts_constant(const TokenStream& tokens);

}  // namespace heddle::ptx
