// Metadata instructions of regions (RegLess, section 4.5.4).
//
// A word is an instruction of 64 bits: ten of opcode and 54 of payload. The start word has three bits for the lines
// needed in each bank and three entries of ten bits: a register and what to do with it. Further words have five such
// entries. Flag words stand before the nine slots that they describe; a slot has two bits for each of three registers,
// last use and erase. A short region has one compact word: two entries and four slots.
#include <algorithm>

#include "compile/regions/regions.h"

namespace heddle::compile {
namespace {

constexpr unsigned kOpcodeBits = 10;
constexpr unsigned kEntryBits = 10;
constexpr unsigned kBankBits = 3;
constexpr unsigned kStartEntries = 3;
constexpr unsigned kFurtherEntries = 5;
constexpr unsigned kSlotsPerWord = 9;
constexpr unsigned kSlotRegisters = 3;
constexpr unsigned kCompactEntries = 2;
constexpr unsigned kCompactSlots = 4;

enum class MetadataWord : std::uint8_t { start = 1, further, flags, compact };

/// Fills a word from its lowest bit on.
class WordWriter {
 public:
  explicit WordWriter(MetadataWord kind) : word_(static_cast<std::uint64_t>(kind)), at_(kOpcodeBits) {}
  void put(std::uint64_t value, unsigned bits) {
    word_ |= value << at_;
    at_ += bits;
  }
  void put(const isa::PreparedRegister& entry) {
    put(entry.reg, kEntryBits - 2);
    put(static_cast<std::uint64_t>(entry.what), 2);
  }
  [[nodiscard]] std::uint64_t word() const { return word_; }

 private:
  std::uint64_t word_;
  unsigned at_;
};

/// The different general registers of an instruction, sources first.
std::vector<std::uint8_t> registers_of(const isa::Instruction& i) {
  std::vector<std::uint8_t> found;
  const auto add = [&](std::size_t r) {
    const auto reg = static_cast<std::uint8_t>(r);
    if (std::find(found.begin(), found.end(), reg) == found.end()) found.push_back(reg);
  };
  for (const isa::Operand& s : i.src) for_each_general(s, add);
  for (const isa::Operand& d : i.dst) for_each_general(d, add);
  return found;
}

unsigned slots_of(const isa::Instruction& i) {
  const auto registers = static_cast<unsigned>(registers_of(i).size());
  return std::max(1u, (registers + kSlotRegisters - 1) / kSlotRegisters);
}

constexpr unsigned divide_up(unsigned n, unsigned by) { return (n + by - 1) / by; }

void put_slots(WordWriter& word, const isa::RegionCode& code, std::uint32_t pc, const isa::Instruction& i,
               unsigned slot) {
  const std::vector<std::uint8_t> registers = registers_of(i);
  for (unsigned k = slot * kSlotRegisters; k < (slot + 1) * kSlotRegisters; ++k) {
    std::uint64_t bits = 0;
    for (const isa::LastUse& use : code.last_uses_at(pc)) {
      if (k < registers.size() && registers[k] == use.reg) bits = 1u | (use.erase ? 2u : 0u);
    }
    word.put(bits, 2);
  }
}

}  // namespace

std::vector<std::uint64_t> encode_region(const isa::RegionCode& code, const isa::Region& region,
                                         const std::vector<isa::Instruction>& instructions) {
  std::vector<std::uint64_t> words;
  const unsigned in_first = region.compact ? kCompactEntries : kStartEntries;
  WordWriter first(region.compact ? MetadataWord::compact : MetadataWord::start);
  if (!region.compact) {
    for (const std::uint8_t need : region.need) first.put(need, kBankBits);
  }
  for (unsigned n = 0; n < in_first; ++n)
    first.put(n < region.list.size() ? region.list[n] : isa::PreparedRegister{0, isa::Prepare{}});
  const auto put_all_slots = [&](WordWriter word, unsigned per_word) {
    unsigned used = 0;
    for (std::uint32_t pc = region.begin; pc < region.end; ++pc) {
      for (unsigned slot = 0; slot < slots_of(instructions[pc]); ++slot) {
        if (used == per_word) {
          words.push_back(word.word());
          word = WordWriter(MetadataWord::flags);
          used = 0;
        }
        put_slots(word, code, pc, instructions[pc], slot);
        ++used;
      }
    }
    words.push_back(word.word());
  };
  if (region.compact) {
    put_all_slots(first, kCompactSlots);
    return words;
  }
  words.push_back(first.word());
  for (std::size_t n = kStartEntries; n < region.list.size(); n += kFurtherEntries) {
    WordWriter further(MetadataWord::further);
    for (std::size_t k = n; k < std::min<std::size_t>(n + kFurtherEntries, region.list.size()); ++k)
      further.put(region.list[k]);
    words.push_back(further.word());
  }
  put_all_slots(WordWriter(MetadataWord::flags), kSlotsPerWord);
  return words;
}

void place_metadata(isa::RegionCode& code, const std::vector<isa::Instruction>& instructions) {
  code.place.assign(instructions.size(), 0);
  std::uint32_t at = 0;
  for (isa::Region& region : code.regions) {
    unsigned slots = 0;
    for (std::uint32_t pc = region.begin; pc < region.end; ++pc) slots += slots_of(instructions[pc]);
    const auto entries = static_cast<unsigned>(region.list.size());
    region.compact = entries <= kCompactEntries && slots <= kCompactSlots;
    const unsigned further = entries > kStartEntries ? divide_up(entries - kStartEntries, kFurtherEntries) : 0;
    region.start_words = static_cast<std::uint16_t>(region.compact ? 1 : 1 + further);
    region.flag_words = static_cast<std::uint16_t>(region.compact ? 0 : divide_up(slots, kSlotsPerWord));
    code.place[region.begin] = at;
    at += region.start_words;
    unsigned used = region.compact ? 0 : kSlotsPerWord;  // of the last flag word
    for (std::uint32_t pc = region.begin; pc < region.end; ++pc) {
      for (unsigned slot = 0; slot < slots_of(instructions[pc]) && !region.compact; ++slot) {
        if (used == kSlotsPerWord) {
          ++at;
          used = 0;
        }
        ++used;
      }
      if (pc != region.begin) code.place[pc] = at;
      ++at;
    }
  }
  code.size = at;
}

}  // namespace heddle::compile
