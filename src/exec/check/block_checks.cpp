#include "exec/check/block_checks.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "exec/interpreter.h"

namespace heddle::exec {
namespace {

constexpr unsigned kWord = 4;

bool is_strong(const CheckedAccess& access) {
  const isa::Instruction& i = *access.op.instruction;
  return access.kind == AccessKind::atomic || i.is_volatile || i.scope != isa::Scope::none;
}

/// One lane's data of a store, element by element.
std::array<std::uint8_t, 16> stored_bytes(const CheckedAccess& access, unsigned lane) {
  const isa::Instruction& i = *access.op.instruction;
  const unsigned size = isa::size_of(i.type);
  std::array<std::uint8_t, 16> bytes{};
  for (unsigned e = 0; e < i.vector && (e + 1) * size <= bytes.size(); ++e) {
    const std::uint64_t value = access.interpreter.source_value(access.op, access.home, e + 1, lane, size);
    std::memcpy(&bytes[std::size_t{e} * size], &value, size);
  }
  return bytes;
}

}  // namespace

BlockChecks::BlockChecks(ProgramChecks& checks, const ThreadBlock& block) : checks_(checks), block_(block) {}

void BlockChecks::start() {
  const std::size_t bytes = block_.shared.size();
  written_.assign(bytes, false);
  if (!checks_.kinds().race) return;
  words_.assign((bytes + kWord - 1) / kWord, {});
  for (unsigned w = 0; w < kMostWarpsOfBlock; ++w) {
    clocks_[w] = {};
    clocks_[w].at[w] = 1;
  }
  barriers_.fill({});
  ended_ = {};
  handed_on_.clear();
  instruction_ = 0;
}

void BlockChecks::access(const CheckedAccess& access, LaneMask lanes) {
  ++instruction_;
  const unsigned warp = access.home.index;
  const bool strong = is_strong(access);
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    std::uint64_t address = access.memory.address[lane];
    if (access.memory.space == isa::Space::generic) address -= kSharedWindow;
    const unsigned bytes = access.memory.bytes;
    // What is outside, or not aligned, ends the program by itself.
    if (address >= block_.shared.size() || bytes > block_.shared.size() - address || address % bytes != 0) continue;
    const LaneAccess one{
        access,
        lane,
        address,
        {clocks_[warp].at[warp], access.slot.path.pc, static_cast<std::uint16_t>(warp * kWarpSize + lane), 0, strong}};
    const bool silent = access.kind == AccessKind::write && !strong && is_silent(one);
    check_written(one);
    if (!checks_.kinds().race || silent) continue;
    if (strong) {
      synchronise(warp, address / kWord, access.kind != AccessKind::write, false);
      for (std::uint64_t word = address / kWord; word * kWord < address + bytes; ++word) check_word(one, word);
      synchronise(warp, address / kWord, false, access.kind != AccessKind::read);
      continue;
    }
    for (std::uint64_t word = address / kWord; word * kWord < address + bytes; ++word) check_word(one, word);
  }
}

void BlockChecks::check_written(const LaneAccess& one) {
  const unsigned bytes = one.access.memory.bytes;
  bool all = true;
  for (std::uint64_t b = one.address; b < one.address + bytes; ++b) {
    all = all && written_[b];
    written_[b] = true;  // a read: said once for each byte
  }
  if (all || one.access.kind == AccessKind::write || !checks_.kinds().memory) return;
  Finding finding;
  finding.kind = FindingKind::uninitialised;
  finding.place = ProgramChecks::place_of(one.access.slot, one.lane);
  finding.access = ProgramChecks::describe(one.access.kind, bytes);
  finding.address = one.address;
  finding.detail = fmt::format("no thread of the block has written it; it is in the block's {} bytes of shared memory",
                               block_.shared.size());
  checks_.findings().add(std::move(finding));
}

void BlockChecks::check_word(const LaneAccess& one, std::uint64_t index) {
  LaneAccess lane = one;
  for (unsigned b = 0; b < kWord; ++b) {
    const std::uint64_t at = index * kWord + b;
    if (at >= one.address && at < one.address + one.access.memory.bytes)
      lane.touch.bytes = static_cast<std::uint8_t>(lane.touch.bytes | 1u << b);
  }
  Word& word = words_[index];
  if (one.access.kind == AccessKind::read) {
    read(lane, word);
  } else {
    write(lane, word);
  }
}

void BlockChecks::read(const LaneAccess& lane, Word& word) {
  const unsigned warp = lane.touch.thread / kWarpSize;
  if ((word.write.bytes & lane.touch.bytes) != 0 && !in_order(warp, word.write) &&
      !(word.write.strong && lane.touch.strong)) {
    report_race(lane, word.write, "written by");
    word.write = {};
  }
  // In place of an earlier one of this warp, or of one that is no news to it.
  for (Touch& before : word.reads) {
    const bool same_warp = before.moment != 0 && before.thread / kWarpSize == warp;
    if (same_warp && before.moment == lane.touch.moment) {
      before.bytes |= lane.touch.bytes;
      return;
    }
    if (same_warp || before.moment == 0 || in_order(warp, before)) {
      before = lane.touch;
      return;
    }
  }
}

void BlockChecks::write(const LaneAccess& lane, Word& word) {
  const unsigned warp = lane.touch.thread / kWarpSize;
  const auto meets = [&](const Touch& before) {
    return (before.bytes & lane.touch.bytes) != 0 && !in_order(warp, before) && !(before.strong && lane.touch.strong);
  };
  if (meets(word.write)) {
    report_race(lane, word.write, "written by");
  } else if (word.instruction == instruction_ && (word.write.bytes & lane.touch.bytes) != 0 &&
             lane.access.kind == AccessKind::write && word.write.thread / kWarpSize == warp) {
    const unsigned other = word.write.thread % kWarpSize;
    if (lane.access.memory.address[other] == lane.access.memory.address[lane.lane] &&
        stored_bytes(lane.access, other) != stored_bytes(lane.access, lane.lane))
      report_race(lane, word.write, "written by");
  }
  for (const Touch& before : word.reads) {
    if (meets(before)) {
      report_race(lane, before, "read by");
      break;
    }
  }
  word.write = lane.touch;
  word.instruction = instruction_;
  word.reads = {};
}

bool BlockChecks::is_silent(const LaneAccess& lane) const {
  const auto bytes = stored_bytes(lane.access, lane.lane);
  const unsigned count = lane.access.memory.bytes;
  if (count > bytes.size()) return false;
  // What nobody has written is not the same on hardware from one run to the next.
  for (std::uint64_t b = lane.address; b < lane.address + count; ++b) {
    if (!written_[b]) return false;
  }
  return std::memcmp(bytes.data(), block_.shared.data() + lane.address, count) == 0;
}

void BlockChecks::report_race(const LaneAccess& lane, const Touch& before, const char* other_did) {
  Finding finding;
  finding.kind = FindingKind::race;
  finding.place = ProgramChecks::place_of(lane.access.slot, lane.lane);
  finding.access = ProgramChecks::describe(lane.access.kind, lane.access.memory.bytes);
  finding.address = lane.address;
  finding.detail = fmt::format("nothing puts the two in order; it is in the block's {} bytes of shared memory",
                               block_.shared.size());
  finding.other_did = other_did;
  finding.other = finding.place;
  finding.other.pc = before.pc;
  const std::uint32_t* rows =
      &block_.launch.thread_rows[std::size_t{before.thread / kWarpSize} * 3 * kWarpSize + before.thread % kWarpSize];
  finding.other.thread = {rows[0], rows[kWarpSize], rows[2 * kWarpSize]};
  checks_.findings().add(std::move(finding));
}

void BlockChecks::synchronise(unsigned warp, std::uint64_t key, bool acquires, bool releases) {
  if (acquires) {
    if (const auto found = handed_on_.find(key); found != handed_on_.end()) clocks_[warp].join(found->second);
  }
  if (!releases) return;
  handed_on_[key].join(clocks_[warp]);
  ++clocks_[warp].at[warp];
}

void BlockChecks::global_atomic(const CheckedAccess& access, LaneMask lanes) {
  if (!checks_.kinds().race) return;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    synchronise(access.home.index, access.memory.address[lane] / kWord, true, true);
  }
}

void BlockChecks::arrived(Warp& slot, const Op& op, unsigned barrier, LaneMask lanes) {
  if (checks_.kinds().sync && op.instruction->uniform && slot.parts.empty() && lanes != slot.alive) {
    Finding finding;
    finding.kind = FindingKind::divergent_barrier;
    finding.place = ProgramChecks::place_of(slot, static_cast<unsigned>(std::countr_zero(lanes)));
    finding.detail =
        fmt::format("of the lanes {:#010x} of warp {} that have not ended, {:#010x} are not at this barrier",
                    slot.alive, slot.index, slot.alive & ~lanes);
    checks_.findings().add(std::move(finding));
  }
  if (!checks_.kinds().race) return;
  slot.for_each_home(lanes, [&](const Warp& home, LaneMask) {
    barriers_[barrier].join(clocks_[home.index]);
    ++clocks_[home.index].at[home.index];
  });
}

void BlockChecks::released(Warp& slot, unsigned barrier) {
  if (!checks_.kinds().race) return;
  slot.for_each_home(slot.waiting_mask, [&](const Warp& home, LaneMask) {
    clocks_[home.index].join(barriers_[barrier]);
    clocks_[home.index].join(ended_);
  });
}

}  // namespace heddle::exec
