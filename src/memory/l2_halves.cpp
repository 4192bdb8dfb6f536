// What an L2 of two halves costs. As seen on an H200 (validation/h200/probes4.txt):
//   - A read of a line whose home is the other half takes `far_latency` more, from there or from DRAM, and leaves a
//     copy of the whole burst in the near half; where the copy is, reads are as fast as of the near half's own lines.
//   - What is stored goes to the home; a copy in the writer's half stays, or comes, and one elsewhere goes. An atomic
//     takes copies away. Either takes `far_latency` more if the home is the other half or a copy has to go.
//   - Each half has half of the capacity, for its own lines and for copies.
// Not modelled: the bandwidth between the halves. Page walks are near everywhere.
#include "memory/l2_slice.h"

namespace heddle::memory {

using sim::Cycle;

namespace {

/// The units of the bursts that these units are in.
std::uint32_t whole_bursts(std::uint32_t units, unsigned burst_bytes) {
  const unsigned group = burst_bytes / kSectorUnit;
  if (group <= 1) return units;
  std::uint32_t wide = 0;
  for (std::uint32_t burst = (1u << group) - 1; burst != 0 && units != 0; burst <<= group) {
    if ((units & burst) != 0) wide |= burst;
    units &= ~burst;
  }
  return wide;
}

}  // namespace

bool L2Slice::drop_copy(LineTag line, unsigned half) {
  CacheLine* copy = tags_.part(half).find(line);
  if (copy == nullptr) return false;
  *copy = {};
  return true;
}

/// nullptr if every place waits for a fill.
CacheLine* L2Slice::keep_copy(LineTag line, unsigned half, Cycle now) {
  CacheTags& tags = tags_.part(half);
  CacheLine* copy = tags.find(line);
  if (copy != nullptr) {
    tags.touch(*copy);
    return copy;
  }
  CacheLine evicted;
  copy = tags.allocate(line, evicted);
  if (copy == nullptr) return nullptr;
  copy->copy = true;
  if (lifetimes_ && evicted.valid != 0 && !evicted.copy) lifetimes_->replaced(evicted.tag.bits(), now);
  write_back(evicted, now);
  return copy;
}

Cycle L2Slice::way_to_half(const Request& request, Cycle now) {
  const std::size_t sms = setup_.network.sms();
  if (request.sm >= sms || request.traffic == Traffic::walk) return 0;
  const unsigned near = half_of_sm(request.sm, sms);
  const unsigned home = home_half(request.line.bits());
  if (request.kind == RequestKind::read) {
    if (near == home) return 0;
    CacheLine* copy = keep_copy(request.line, near, now);
    const bool there = copy != nullptr && !request.missed && (copy->valid & request.sectors) == request.sectors;
    if (copy != nullptr) copy->valid |= whole_bursts(request.sectors, setup_.burst_bytes);
    ++(there ? statistics_.copy_reads : statistics_.far_reads)[request.application];
    return there ? 0 : p_.far_latency;
  }
  const bool keeps = near != home && request.kind == RequestKind::write;
  bool is_far = near != home;
  if (keeps) {
    if (CacheLine* copy = keep_copy(request.line, near, now); copy != nullptr) copy->valid |= request.sectors;
  } else {
    const bool dropped = drop_copy(request.line, 1 - home);
    is_far = is_far || dropped;
  }
  if (is_far) ++statistics_.far_changes[request.application];
  return is_far ? p_.far_latency : 0;
}

}  // namespace heddle::memory
