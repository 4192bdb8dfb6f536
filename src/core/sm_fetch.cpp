// Instruction fetch: each warp holds the line it executes and the one after it, which is prefetched.
#include <algorithm>
#include <bit>

#include "core/addresses.h"
#include "core/sm.h"

namespace heddle::core {

using sim::Cycle;

void Sm::fetch(unsigned w, Cycle now) {
  Context& context = contexts_[w];
  const std::uint64_t address = kCodeBase + (context.kernel->code_id << kCodeWindowBits) +
                                std::uint64_t{context.warp->path.pc} * p_.instruction_bytes;
  const std::uint64_t line = address / instruction_line_bytes_;
  if (line == context.fetch_line) return;
  const bool prefetched = line == context.fetch_line + 1 && context.next_line_ready != sim::kNever;
  context.fetch_line = line;
  const Cycle there = prefetched ? context.next_line_ready : fetch_line(line, w, now);
  context.not_before = context.ready_at;
  context.ready_at = std::max(context.ready_at, there);
  context.next_line_ready = sim::kNever;
  if ((fetch_again_ >> w & 1) != 0) return;  // no entry for this line, so none for the next
  context.next_line_ready = fetch_line(line + 1, w, now);
  // A prefetch that found no entry is given up; the line is asked for when it is needed.
  fetch_again_ &= ~(WarpSet{1} << w);
}

Cycle Sm::fetch_line(std::uint64_t line, unsigned w, Cycle now) {
  const Cycle at = std::max(now, fetch_port_free_at_);
  fetch_port_free_at_ = at + 1;
  switch (instructions_.access(line, w, contexts_[w].kernel->application)) {
    case ReadOnlyCache::Result::hit:
      return at + p_.fetch_latency;
    case ReadOnlyCache::Result::missed:
      ++statistics_.instruction_misses;
      break;
    case ReadOnlyCache::Result::joined:
      break;
    case ReadOnlyCache::Result::full:
      fetch_again_ |= WarpSet{1} << w;
      break;
  }
  return sim::kNever;
}

void Sm::take_instructions(unsigned w, std::uint64_t line, Cycle now) {
  Context& context = contexts_[w];
  if (context.warp == nullptr) return;
  // Else a branch went elsewhere in the meantime, and the warp does not need the line any more.
  if (context.fetch_line == line && context.ready_at == sim::kNever) {
    context.ready_at = std::max(now + p_.fetch_latency, context.not_before);
    refresh(w, now);
  } else if (context.fetch_line + 1 == line && context.next_line_ready == sim::kNever) {
    context.next_line_ready = now + p_.fetch_latency;
  }
}

void Sm::retry_fetches(Cycle now) {
  for (WarpSet left = fetch_again_; left != 0 && !instructions_.full(); left &= left - 1) {
    const auto w = static_cast<unsigned>(std::countr_zero(left));
    fetch_again_ &= ~(WarpSet{1} << w);
    Context& context = contexts_[w];
    const Cycle there = fetch_line(context.fetch_line, w, now);
    if (there == sim::kNever) continue;
    context.ready_at = std::max(there, context.not_before);
    refresh(w, now);
  }
}

void Sm::send_waiting_misses() {
  instructions_.send_waiting();
  constants_.send_waiting();
}

}  // namespace heddle::core
