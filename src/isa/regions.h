// Regions of machine code: stretches inside a basic block whose registers are brought together before they run
// (RegLess: Kloosterman, "Data Resource Management in Throughput Processors", 2018, chapter 4).
//
// The compiler makes them (compile/regions/regions.h) and operand storage that stages registers follows them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace heddle::isa {

/// Banks for which a region states its needs (section 4.5.2).
inline constexpr unsigned kRegionBanks = 8;

/// What is to be done with a register before a region runs.
enum class Prepare : std::uint8_t {
  preload = 1,
  preload_last,  ///< its value dies here: the copy in memory goes as well
  invalidate,    ///< it is dead: all copies go
};
struct PreparedRegister {
  std::uint8_t reg = 0;
  Prepare what = Prepare::preload;
};

/// The last use of a value in its region.
struct LastUse {
  std::uint8_t reg = 0;
  bool erase = false;     ///< the value is dead; otherwise it may be evicted
  bool at_write = false;  ///< holds when the instruction's result is written; otherwise when the register is read
};

/// Why a region ends where it does.
enum class RegionEnd : std::uint8_t { block, meeting, load, registers };

struct Region {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;                          ///< after its last instruction
  std::array<std::uint8_t, kRegionBanks> need{};  ///< lines of each bank that warp 0 needs
  std::uint16_t live = 0;                         ///< most registers live at once
  std::uint16_t inputs = 0;                       ///< values that come in
  std::uint16_t outputs = 0;                      ///< values that are written and go on
  std::uint16_t interior = 0;                     ///< values that are born and die here
  std::uint16_t start_words = 0;                  ///< metadata instructions before it runs
  std::uint16_t flag_words = 0;                   ///< further ones, among its instructions
  bool compact = false;                           ///< one metadata instruction has everything
  RegionEnd ends = RegionEnd::block;
  std::vector<PreparedRegister> list;

  [[nodiscard]] std::uint32_t size() const { return end - begin; }
};

/// Where the registers of an instruction are, in a hierarchy of register files that the compiler fills (Gebhart et al.,
/// MICRO 2011): the main file, a file of a few operands, and the last result.
struct OperandLevels {
  std::uint8_t main_reads = 0;
  std::array<std::uint8_t, 12> main_registers{};  ///< those that are read from the main file
  std::uint8_t operand_reads = 0;
  std::uint8_t last_reads = 0;
  std::uint8_t main_writes = 0;
  std::uint8_t operand_writes = 0;
  std::uint8_t last_writes = 0;
};

/// The regions of a program's code.
struct RegionCode {
  struct Function {
    std::uint32_t begin = 0;  ///< its first region
    std::uint32_t end = 0;
  };
  std::vector<Region> regions;            ///< in the order of the code
  std::vector<Function> functions;        ///< likewise
  std::vector<std::uint32_t> region_of;   ///< by instruction
  std::vector<std::uint32_t> first_last;  ///< by instruction: its first entry of last_uses; one more at the end
  std::vector<LastUse> last_uses;
  /// By instruction: where it lies in the code with metadata instructions, counted in instructions. The first of a
  /// region lies where the region's metadata begins.
  std::vector<std::uint32_t> place;
  std::uint32_t size = 0;             ///< instructions with metadata
  std::vector<OperandLevels> levels;  ///< by instruction; empty if nobody asked for them

  [[nodiscard]] const Region& at(std::uint32_t pc) const { return regions[region_of[pc]]; }
  [[nodiscard]] std::span<const LastUse> last_uses_at(std::uint32_t pc) const {
    return {last_uses.data() + first_last[pc], last_uses.data() + first_last[pc + 1]};
  }
};

}  // namespace heddle::isa
