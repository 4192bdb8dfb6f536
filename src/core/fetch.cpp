#include "core/fetch.h"

#include <algorithm>

#include "core/addresses.h"

namespace heddle::core {

using sim::Cycle;

namespace {

unsigned line_bytes(const SmParameters& p) { return std::min(kInstructionLine, p.l1.line_bytes.get()); }

}  // namespace

Fetch::Fetch(const SmParameters& p, SmStatistics& statistics, memory::NetworkPort& port)
    : statistics_(statistics),
      line_shift_(static_cast<unsigned>(std::countr_zero(line_bytes(p)))),
      instruction_bytes_(p.instruction_bytes),
      latency_(p.fetch_latency),
      prefetch_(p.instruction_prefetch),
      cache_({p.instruction_kib * 1024, line_bytes(p), p.l1.line_bytes, p.instruction_mshrs, RequestName::instruction,
              memory::Traffic::instruction},
             port) {}

Cycle Fetch::next_line(unsigned warp, std::uint64_t line, Cycle ready_at, Cycle now) {
  Warp& w = warps_[warp];
  const bool prefetched = line == w.line + 1 && w.next_line_ready != sim::kNever;
  w.line = line;
  const Cycle there = prefetched ? w.next_line_ready : ask(line, warp, now);
  w.not_before = ready_at;
  w.waits = there == sim::kNever;
  w.next_line_ready = sim::kNever;
  // Where there was no entry for this line, there is none for the next. A prefetch that finds none is given up; the
  // line is asked for when it is needed.
  if ((again_ >> warp & 1) == 0) {
    w.next_line_ready = ask(line + 1, warp, now);
    again_ &= ~(WarpSet{1} << warp);
  }
  return std::max(ready_at, there);
}

Cycle Fetch::ask(std::uint64_t line, unsigned warp, Cycle now) {
  const Cycle at = std::max(now, port_free_at_);
  port_free_at_ = at + 1;
  const ReadOnlyCache::Result result = cache_.access(line, warp, warps_[warp].application);
  if (cache_.was_prefetched()) prefetch(line + prefetch_, line + prefetch_, warp);
  switch (result) {
    case ReadOnlyCache::Result::hit:
      return at + latency_;
    case ReadOnlyCache::Result::missed:
      ++statistics_.instruction_misses[warps_[warp].application];
      prefetch(line + 1, line + prefetch_, warp);
      break;
    case ReadOnlyCache::Result::joined:
      break;
    case ReadOnlyCache::Result::full:
      again_ |= WarpSet{1} << warp;
      break;
  }
  return sim::kNever;
}

void Fetch::prefetch(std::uint64_t first, std::uint64_t last, unsigned warp) {
  for (std::uint64_t line = first; line <= last && line < warps_[warp].end; ++line) {
    if (cache_.prefetch(line, warps_[warp].application)) ++statistics_.instruction_prefetches[warps_[warp].application];
  }
}

Cycle Fetch::arrived(unsigned warp, std::uint64_t line, Cycle now) {
  Warp& w = warps_[warp];
  if (!w.live) return sim::kNever;
  // Else a branch went elsewhere in the meantime, and the warp does not need the line any more.
  if (w.line == line && w.waits) {
    w.waits = false;
    return std::max(now + latency_, w.not_before);
  }
  if (w.line + 1 == line && w.next_line_ready == sim::kNever) w.next_line_ready = now + latency_;
  return sim::kNever;
}

Cycle Fetch::ask_again(unsigned warp, Cycle now) {
  Warp& w = warps_[warp];
  again_ &= ~(WarpSet{1} << warp);
  const Cycle there = ask(w.line, warp, now);
  if (there == sim::kNever) return sim::kNever;
  w.waits = false;
  return std::max(there, w.not_before);
}

}  // namespace heddle::core
