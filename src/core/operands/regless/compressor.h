// The compressor of a shard (RegLess, section 4.5.3): five patterns, a bit for each register, a cache of lines.
//
// A register that follows a pattern is kept as one or two bases in a slot of eight bytes; fifteen slots make a line,
// which lies in memory beside the registers. The bit vector says of each register whether its copy in memory is
// compressed, or whole, or whether there is none.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/operands/regless/staging_unit.h"

namespace heddle::core {

enum class ValuePattern : std::uint8_t { constant, stride1, stride4, half_stride1, half_stride4 };

struct CompressedValue {
  ValuePattern pattern = ValuePattern::constant;
  std::array<std::uint32_t, 2> base{};  ///< of the lanes from 0 and, for patterns of half a warp, from 16 on
};

/// The first of the patterns that all 32 lanes follow, in 32-bit arithmetic that wraps around.
[[nodiscard]] std::optional<CompressedValue> compress(const RegisterValue& value);
[[nodiscard]] RegisterValue expand(const CompressedValue& value);

class Compressor {
 public:
  static constexpr unsigned kSlots = 15;  ///< registers of a line

  Compressor(unsigned lines, unsigned warps);

  /// Where the copy of a register is that is not staged.
  enum class Copy : std::uint8_t { none, whole, compressed };
  [[nodiscard]] Copy copy(StagedName name) const { return copies_[index(name)]; }
  void set_copy(StagedName name, Copy copy);

  void put(StagedName name, const CompressedValue& value) { values_[index(name)] = value; }
  [[nodiscard]] RegisterValue get(StagedName name) const { return expand(values_[index(name)]); }

  [[nodiscard]] std::uint32_t line_of(StagedName name) const { return index(name) / kSlots; }

  /// A line of the cache.
  struct Cached {
    std::uint32_t line = 0;
    bool used = false;
    bool dirty = false;
    bool filling = false;
    std::uint64_t touched = 0;
    std::vector<std::uint32_t> waiting;  ///< preloads, by their tags
  };
  /// The line if the cache has it or waits for it; nullptr if not.
  [[nodiscard]] Cached* find(std::uint32_t line);
  /// A place for the line; nullptr if all wait for theirs. The caller writes back what is dirty there.
  [[nodiscard]] Cached* victim();
  void touch(Cached& line) { line.touched = ++clock_; }
  /// Whether memory has anything of the line: registers of it are compressed.
  [[nodiscard]] bool holds_any(std::uint32_t line) const { return compressed_in_[line] != 0; }

 private:
  [[nodiscard]] std::uint32_t index(StagedName name) const { return name.reg * warps_ + name.warp; }

  unsigned warps_;
  std::vector<Copy> copies_;
  std::vector<CompressedValue> values_;
  std::vector<std::uint8_t> compressed_in_;  ///< by line: registers of it that are compressed
  std::vector<Cached> cache_;
  std::uint64_t clock_ = 0;
};

}  // namespace heddle::core
