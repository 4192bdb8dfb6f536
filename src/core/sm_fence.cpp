// Fences: what they wait for, and when they end.
//
// On an H200 a fence for the GPU asks the memory system itself: it takes as long after a load whose data has come as
// after a store that is on its way, longer where the SM has accessed the far half of the L2, and less where it has
// accessed nothing since its last fence. A fence for the block waits for nothing. (validation/h200/probes4.txt)
//
// Not modelled: that many warps which store and fence together wait for each other longer than `interval`; that loads
// with acquire semantics empty the L1 as well.
#include <algorithm>
#include <bit>

#include "core/addresses.h"
#include "core/sm.h"
#include "memory/halves.h"

namespace heddle::core {

using sim::Cycle;

void Sm::begin_fence(Context& context, isa::Scope scope, Cycle now) {
  context.fenced = true;
  context.flush = 0;
  context.fence_flushes = scope != isa::Scope::cta;
  context.fence_system = scope == isa::Scope::system;
  context.fence_until = 0;
  if (p_.fence.rounds()) {
    Cycle latency = p_.fence.block_latency;
    Cycle from = now;
    if (context.fence_flushes) {
      latency = !touched_ ? p_.fence.idle_latency : p_.fence.latency + (touched_far_ ? p_.fence.far_latency : 0);
      if (context.fence_system) latency = p_.fence.system_latency;
      from = std::max(now, fences_from_);
      fences_from_ = from + p_.fence.interval;
      touched_ = touched_far_ = false;
    }
    context.fence_at = from + latency;
  }
  if (context.fence_flushes && p_.fence.empties_l1) memory_.l1().drop_clean();
}

void Sm::touch_memory(const Context& context, const exec::MemoryAccess& access) {
  touched_ = true;
  if (p_.fence.far_latency == 0 || touched_far_) return;
  // The first and the last lane stand for all.
  for (const int lane : {std::countr_zero(access.lanes), 31 - std::countl_zero(access.lanes)}) {
    const auto line = untranslated({access.address[static_cast<unsigned>(lane)]}, context.kernel->application);
    if (memory::home_half(line.address) != memory::half_of_sm(setup_.index, setup_.network.sms())) touched_far_ = true;
  }
}

bool Sm::fence_done(Context& context, unsigned w, Cycle now) {
  if (context.fence_until != 0) return context.fence_until <= now;
  const bool rounds = p_.fence.rounds();
  if ((!rounds || context.fence_flushes) && !stores_answered(context, w)) return false;
  const unsigned after = context.fence_system ? p_.fence.system_latency : context.fence_flushes ? p_.fence.latency : 0u;
  const Cycle until = rounds ? context.fence_at : now + after;
  if (until <= now) return true;
  context.fence_until = until;
  events_.add(now, context.fence_until, {EventKind::fence_ended, static_cast<std::uint8_t>(w), 0});
  return false;
}

bool Sm::stores_answered(Context& context, unsigned w) {
  if (context.stores != 0 || context.atomics != 0) return false;
  if (!context.warp->parts.empty() && records_write(context)) return false;
  if (!context.fence_flushes || memory_.l1().clean()) return true;
  if (context.flush == 0) {
    context.flush = memory_.l1().flush();
    flush_waiters_ |= WarpSet{1} << w;
  }
  return memory_.l1().flushed(context.flush);
}

}  // namespace heddle::core
