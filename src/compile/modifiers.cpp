#include "compile/modifiers.h"

#include <fmt/format.h>

namespace heddle::compile {

using isa::Rounding;
using isa::Scope;
using isa::Space;
using isa::Type;

isa::Type machine_type(ptx::ScalarType type) {
  using ptx::ScalarType;
  switch (type) {
    case ScalarType::b8:
      return Type::b8;
    case ScalarType::b16:
      return Type::b16;
    case ScalarType::b32:
      return Type::b32;
    case ScalarType::b64:
      return Type::b64;
    case ScalarType::u8:
      return Type::u8;
    case ScalarType::u16:
      return Type::u16;
    case ScalarType::u32:
      return Type::u32;
    case ScalarType::u64:
      return Type::u64;
    case ScalarType::s8:
      return Type::s8;
    case ScalarType::s16:
      return Type::s16;
    case ScalarType::s32:
      return Type::s32;
    case ScalarType::s64:
      return Type::s64;
    case ScalarType::f16:
      return Type::f16;
    case ScalarType::f16x2:
      return Type::f16x2;
    case ScalarType::bf16:
      return Type::bf16;
    case ScalarType::bf16x2:
      return Type::bf16x2;
    case ScalarType::f32:
      return Type::f32;
    case ScalarType::f64:
      return Type::f64;
    case ScalarType::u16x2:
      return Type::u16x2;
    case ScalarType::s16x2:
      return Type::s16x2;
    case ScalarType::pred:
      return Type::pred;
    default:
      return Type::none;
  }
}

bool Modifiers::take(std::string_view text) {
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (!taken_[i] && instruction_.modifiers[i].text == text) {
      taken_[i] = true;
      return true;
    }
  }
  return false;
}

bool Modifiers::take_prefix(std::string_view prefix) {
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (!taken_[i] && instruction_.modifiers[i].text.starts_with(prefix)) {
      taken_[i] = true;
      return true;
    }
  }
  return false;
}

bool Modifiers::has(std::string_view text) const {
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (!taken_[i] && instruction_.modifiers[i].text == text) return true;
  }
  return false;
}

isa::Type Modifiers::type() {
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i]) continue;
    const ptx::ScalarType scalar = ptx::type_from_name(instruction_.modifiers[i].text);
    if (scalar == ptx::ScalarType::none) continue;
    taken_[i] = true;
    const Type type = machine_type(scalar);
    if (type == Type::none) {
      diagnostics_.error(
          instruction_.modifiers[i].place,
          fmt::format("'{}': type .{} is not supported", instruction_.mnemonic(), instruction_.modifiers[i].text));
    }
    return type;
  }
  diagnostics_.error(instruction_.place, fmt::format("'{}': a type is missing", instruction_.mnemonic()));
  return Type::none;
}

bool Modifiers::has_type() const {
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (!taken_[i] && ptx::type_from_name(instruction_.modifiers[i].text) != ptx::ScalarType::none) return true;
  }
  return false;
}

std::optional<Rounding> Modifiers::rounding() {
  return take_from<Rounding>({{"rn", Rounding::rn},
                              {"rz", Rounding::rz},
                              {"rm", Rounding::rm},
                              {"rp", Rounding::rp},
                              {"rna", Rounding::rna},
                              {"rni", Rounding::rni},
                              {"rzi", Rounding::rzi},
                              {"rmi", Rounding::rmi},
                              {"rpi", Rounding::rpi},
                              {"approx", Rounding::approx},
                              {"full", Rounding::full}});
}

Scope Modifiers::scope() {
  return take_from<Scope>({{"cta", Scope::cta},
                           {"cluster", Scope::cluster},
                           {"gpu", Scope::gpu},
                           {"gl", Scope::gpu},
                           {"sys", Scope::system}})
      .value_or(Scope::none);
}

std::optional<Space> Modifiers::space() {
  return take_from<Space>({{"global", Space::global},
                           {"shared", Space::shared},
                           {"shared::cta", Space::shared},
                           {"local", Space::local},
                           {"const", Space::constant},
                           {"param", Space::param},
                           {"param::entry", Space::param},
                           {"param::func", Space::param}});
}

unsigned Modifiers::vector() { return take_from<unsigned>({{"v2", 2u}, {"v4", 4u}}).value_or(1u); }

void Modifiers::finish() {
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i]) continue;
    diagnostics_.error(instruction_.modifiers[i].place,
                       fmt::format("'{}': modifier .{} is not supported here", instruction_.mnemonic(),
                                   instruction_.modifiers[i].text));
  }
}

}  // namespace heddle::compile
