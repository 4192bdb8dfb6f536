// The value of a number as PTX writes it.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/constant.h"
#include "ptx/lexer.h"

namespace heddle::ptx {

/// The value of an integer, real, real32 or real64 token; nothing if it does not fit or has a digit of no such base.
[[nodiscard]] std::optional<Constant> value_of_literal(const Token& token);

}  // namespace heddle::ptx
