// Names and sizes of PTX types and state spaces, and the printed form of an instruction.
#include <array>

#include "ptx/module.h"

namespace heddle::ptx {
namespace {

struct TypeRow {
  ScalarType type;
  std::string_view name;
  std::uint8_t size;
};

// In the order of the enumeration: the type is the index.
constexpr std::array kTypes = {
    TypeRow{ScalarType::none, "none", 0},
    TypeRow{ScalarType::b8, "b8", 1},
    TypeRow{ScalarType::b16, "b16", 2},
    TypeRow{ScalarType::b32, "b32", 4},
    TypeRow{ScalarType::b64, "b64", 8},
    TypeRow{ScalarType::b128, "b128", 16},
    TypeRow{ScalarType::u8, "u8", 1},
    TypeRow{ScalarType::u16, "u16", 2},
    TypeRow{ScalarType::u32, "u32", 4},
    TypeRow{ScalarType::u64, "u64", 8},
    TypeRow{ScalarType::s8, "s8", 1},
    TypeRow{ScalarType::s16, "s16", 2},
    TypeRow{ScalarType::s32, "s32", 4},
    TypeRow{ScalarType::s64, "s64", 8},
    TypeRow{ScalarType::f16, "f16", 2},
    TypeRow{ScalarType::f16x2, "f16x2", 4},
    TypeRow{ScalarType::bf16, "bf16", 2},
    TypeRow{ScalarType::bf16x2, "bf16x2", 4},
    TypeRow{ScalarType::tf32, "tf32", 4},
    TypeRow{ScalarType::f32, "f32", 4},
    TypeRow{ScalarType::f64, "f64", 8},
    TypeRow{ScalarType::f32x2, "f32x2", 8},
    TypeRow{ScalarType::e4m3, "e4m3", 1},
    TypeRow{ScalarType::e5m2, "e5m2", 1},
    TypeRow{ScalarType::e4m3x2, "e4m3x2", 2},
    TypeRow{ScalarType::e5m2x2, "e5m2x2", 2},
    TypeRow{ScalarType::u16x2, "u16x2", 4},
    TypeRow{ScalarType::s16x2, "s16x2", 4},
    TypeRow{ScalarType::pred, "pred", 1},
    TypeRow{ScalarType::texref, "texref", 8},
    TypeRow{ScalarType::samplerref, "samplerref", 8},
    TypeRow{ScalarType::surfref, "surfref", 8},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (static_cast<std::size_t>(kTypes[i].type) != i) return false;
  }
  return kTypes.size() == static_cast<std::size_t>(ScalarType::surfref) + 1;
}
static_assert(in_order());

constexpr std::array<std::string_view, 8> kSpaces = {"none",  "reg",   "const",  "global",
                                                     "local", "param", "shared", "tex"};

}  // namespace

unsigned size_of(ScalarType type) { return kTypes[static_cast<std::size_t>(type)].size; }
std::string_view name_of(ScalarType type) { return kTypes[static_cast<std::size_t>(type)].name; }
std::string_view name_of(Space space) { return kSpaces[static_cast<std::size_t>(space)]; }

ScalarType type_from_name(std::string_view text) {
  for (std::size_t i = 1; i < kTypes.size(); ++i) {
    if (kTypes[i].name == text) return kTypes[i].type;
  }
  return ScalarType::none;
}

std::string Instruction::mnemonic() const {
  std::string result = opcode;
  for (const Modifier& modifier : modifiers) {
    result += '.';
    result += modifier.text;
  }
  return result;
}

}  // namespace heddle::ptx
