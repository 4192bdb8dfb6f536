#include "compile/regions/spans.h"

#include <algorithm>

namespace heddle::compile {

BlockValues::BlockValues(const MachineFunction& function, const WarpLiveness& liveness, std::uint32_t block)
    : code_(function.blocks[block].code), liveness_(liveness), block_(block), live_(liveness.inside(block)) {}

std::vector<ValueSpan> BlockValues::spans(std::size_t begin, std::size_t end) const {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<ValueSpan> found;
  std::array<std::size_t, kGeneralRegisters> open;
  open.fill(kNone);
  const auto start = [&](std::size_t r, std::size_t first, bool input) -> ValueSpan& {
    open[r] = found.size();
    ValueSpan& span = found.emplace_back();
    span.reg = static_cast<std::uint8_t>(r);
    span.input = input;
    span.first = first;
    return span;
  };
  for (std::size_t n = begin; n < end; ++n) {
    for (const isa::Operand& s : code_[n].src) {
      for_each_general(s, [&](std::size_t r) {
        ValueSpan& span = open[r] != kNone ? found[open[r]] : start(r, begin, true);
        span.last = n;
        span.at_write = false;
      });
    }
    for (const isa::Operand& d : code_[n].dst) {
      for_each_general(d, [&](std::size_t r) {
        const Definition kind = liveness_.definition(block_, n, r);
        const bool goes_on = kind != Definition::hard && open[r] != kNone;
        const bool comes_in = kind == Definition::soft || (kind == Definition::guarded && live_[begin].contains(r));
        ValueSpan& span = goes_on                                ? found[open[r]]
                          : kind != Definition::hard && comes_in ? start(r, begin, true)
                                                                 : start(r, n, false);
        span.last = n;
        span.written = true;
        span.at_write = true;
      });
    }
  }
  for (std::size_t r = 0; r < kGeneralRegisters; ++r) {
    if (open[r] != kNone) found[open[r]].lives = lives_at(end, r);
  }
  return found;
}

BlockValues::Room BlockValues::room(const std::vector<ValueSpan>& spans, std::size_t begin, std::size_t end) {
  const std::size_t length = end - begin;
  std::array<std::vector<int>, isa::kRegionBanks> change;  // at each instruction, against the one before
  for (auto& bank : change) bank.assign(length + 1, 0);
  std::array<std::size_t, kGeneralRegisters> covered{};  // up to here another value of the register has a line
  for (const ValueSpan& span : spans) {
    const std::size_t from = std::max(span.input ? 0 : span.first - begin, covered[span.reg]);
    // What is written and goes on, or is never read, may land late.
    const bool to_the_end = span.at_write || (span.written && span.lives);
    const std::size_t to = to_the_end ? length : span.last - begin + 1;
    if (from >= to) continue;
    covered[span.reg] = to;
    std::vector<int>& bank = change[span.reg % isa::kRegionBanks];
    ++bank[from];
    --bank[to];
  }
  Room room;
  std::array<int, isa::kRegionBanks> now{};
  for (std::size_t n = 0; n < length; ++n) {
    unsigned total = 0;
    for (unsigned b = 0; b < isa::kRegionBanks; ++b) {
      now[b] += change[b][n];
      const auto here = static_cast<unsigned>(now[b]);
      room.banks[b] = std::max(room.banks[b], here);
      total += here;
    }
    room.live = std::max(room.live, total);
  }
  return room;
}

std::vector<unsigned> BlockValues::crossings(std::size_t begin, std::size_t end) const {
  std::vector<unsigned> sum(end - begin + 1, 0);
  // The first part, from front to back: a register comes in if it is used before it is wholly written.
  BitSet first_in(kGeneralRegisters);
  BitSet first_written(kGeneralRegisters);
  BitSet whole(kGeneralRegisters);
  for (std::size_t n = begin; n < end; ++n) {
    for (const isa::Operand& s : code_[n].src) {
      for_each_general(s, [&](std::size_t r) {
        if (!whole.contains(r)) first_in.insert(r);
      });
    }
    for (const isa::Operand& d : code_[n].dst) {
      for_each_general(d, [&](std::size_t r) {
        const Definition kind = liveness_.definition(block_, n, r);
        const bool partial = kind == Definition::soft || (kind == Definition::guarded && live_[begin].contains(r));
        if (partial && !whole.contains(r)) first_in.insert(r);
        if (!partial) whole.insert(r);
        first_written.insert(r);
      });
    }
    unsigned out = 0;
    first_written.for_each([&](std::size_t r) { out += lives_at(n + 1, r) ? 1 : 0; });
    sum[n + 1 - begin] += static_cast<unsigned>(first_in.count()) + out;
  }
  // The second part, from back to front.
  BitSet second_in(kGeneralRegisters);
  BitSet second_written(kGeneralRegisters);
  for (std::size_t n = end; n-- > begin;) {
    for (const isa::Operand& d : code_[n].dst) {
      for_each_general(d, [&](std::size_t r) {
        const Definition kind = liveness_.definition(block_, n, r);
        if (kind == Definition::hard) second_in.erase(r);
        if (kind == Definition::soft || (kind == Definition::guarded && live_[n].contains(r))) second_in.insert(r);
        second_written.insert(r);
      });
    }
    for (const isa::Operand& s : code_[n].src) for_each_general(s, [&](std::size_t r) { second_in.insert(r); });
    unsigned out = 0;
    second_written.for_each([&](std::size_t r) { out += lives_at(end, r) ? 1 : 0; });
    sum[n - begin] += static_cast<unsigned>(second_in.count()) + out;
  }
  return sum;
}

}  // namespace heddle::compile
