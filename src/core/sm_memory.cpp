// The load/store unit: coalescing, shared memory, the L1 and its misses, stores, atomics.
#include <algorithm>
#include <bit>
#include <cstring>

#include "core/addresses.h"
#include "core/request_names.h"
#include "core/sm.h"

namespace heddle::core {

using exec::OpKind;
using isa::Space;
using memory::Request;
using memory::RequestKind;
using sim::Cycle;

namespace {

/// A generic access is to global memory, to shared or to local, lane by lane.
LaneMask lanes_in(const exec::MemoryAccess& access, Space space) {
  if (access.space == space) return access.lanes;
  if (access.space != Space::generic && !(access.space == Space::constant && space == Space::global)) return 0;
  LaneMask lanes = 0;
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = access.address[lane];
    const bool inside = space == Space::global   ? address >= exec::kGlobalBase
                        : space == Space::shared ? address - exec::kSharedWindow < exec::kWindowBytes
                                                 : address - exec::kLocalWindow < exec::kWindowBytes;
    if (inside) lanes |= LaneMask{1} << lane;
  }
  return lanes;
}

bool goes_around_l1(const isa::Instruction& i) {
  return i.cache == isa::CacheOp::cg || i.cache == isa::CacheOp::cv || i.is_volatile;
}

}  // namespace

void Sm::issue_memory(Context& context, unsigned w, const exec::Op& op, std::uint32_t pc, Cycle now) {
  const isa::Instruction& i = *op.instruction;
  const exec::MemoryAccess& access = interpreter_->last_access();
  const TimedOp& timed = context.kernel->timed->at(pc);
  const bool loads = op.kind == OpKind::load || op.kind == OpKind::texture;
  const bool moves_data = loads || op.kind == OpKind::store || op.kind == OpKind::atomic;
  if (!moves_data) {
    // Shuffles go through the same exchange network as shared memory; prefetches have no effect.
    if (timed.writes.empty()) return;
    context.pending.unite(timed.writes);
    events_.add(now, now + p_.shared_latency, {EventKind::result, static_cast<std::uint8_t>(w), pc});
    return;
  }
  if (access.lanes == 0) return;
  const LaneMask shared = lanes_in(access, Space::shared);
  const LaneMask local = lanes_in(access, Space::local);
  const LaneMask global = lanes_in(access, Space::global);
  const bool parameter = access.space == Space::param || (shared | local | global) == 0;

  const std::uint32_t index = memory_pool_.take();
  MemoryInstruction& m = memory_pool_.at(index);
  m.op = &op;
  m.pc = pc;
  m.warp = w;
  m.issued_at = now;
  m.atomic_lanes = 0;
  if (parameter || access.space == Space::constant) {
    m.kind = MemoryKind::constant;
    coalesce(access, access.lanes, constant_line_bytes_, m.lines);
    if (access.space != Space::constant) {
      const std::uint64_t base = kParameterBase + code_window(context.kernel->code_id);
      for (LineAccess& line : m.lines) line.line += base;
    }
  } else if (global == 0 && local == 0) {
    m.kind = MemoryKind::shared;
    m.shared_cycles = shared_memory_cycles(access, shared, p_.shared_banks);
    ++statistics_.shared_accesses;
    statistics_.shared_conflicts += m.shared_cycles - 1;
  } else {
    m.kind = loads ? MemoryKind::load : op.kind == OpKind::store ? MemoryKind::store : MemoryKind::atomic;
    ++statistics_.memory_instructions;
    ++context.share->memory_instructions;
    m.cached = local != 0 || (p_.l1.enabled && !goes_around_l1(i));
    m.local = local != 0;
    if (global != 0) coalesce(access, global, p_.l1.line_bytes, m.lines);
    if (local != 0) {
      const std::uint64_t warps = std::uint64_t{setup_.index} * p_.warps + w;
      const std::uint64_t bytes =
          (std::uint64_t{context.kernel->launch->config.local_bytes} + 255) / 256 * 256 * kWarpSize;
      coalesce_local(access, local, kLocalBase + warps * bytes, p_.l1.line_bytes, m.lines);
    }
    statistics_.line_requests += m.lines.size();
    statistics_.page_requests += count_pages(m.lines);
    if (context.kernel->observer != nullptr && global != 0) (*context.kernel->observer)(setup_.index, access, global);
    context.share->line_requests += m.lines.size();
    m.waiting = static_cast<std::uint32_t>(m.lines.size());
    if (m.kind == MemoryKind::atomic) {
      m.atomic_lanes = global;
      m.packet.instruction = &i;
      m.packet.memory = context.kernel->launch->environment.memory;
      m.packet.bytes = isa::size_of(i.type);
      m.packet.address = access.address;
      for (LaneMask left = global; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        m.packet.operand[lane] = interpreter_->source_value(op, *context.warp, 1, lane, m.packet.bytes);
        m.packet.second[lane] =
            op.sources > 2 ? interpreter_->source_value(op, *context.warp, 2, lane, m.packet.bytes) : 0;
      }
      for (const LineAccess& line : m.lines) context.atomic_filter |= atomic_filter_bit(line.line / p_.l1.line_bytes);
      ++context.atomics;
    } else if (m.kind == MemoryKind::store) {
      context.stores += m.waiting;
    } else {
      ++context.long_loads;
      if (context.long_loads == 1) schedulers_[w % p_.schedulers]->long_latency(static_cast<int>(w), true);
    }
  }
  if (!timed.writes.empty()) {
    context.pending.unite(timed.writes);
    context.pending_memory.unite(timed.writes);
  }
  memory_queue_.push_back(index);
}

void Sm::tick_memory(Cycle now) {
  if (memory_unit_free_at_ > now || memory_stall_ != nullptr) return;
  // Instructions that come back with their translations go first.
  const bool comes_back = translation_ && !translation_->resumed().empty();
  if (comes_back) return access_translated(translation_->resumed(), translation_->resumed().front(), now);
  const std::uint32_t index = memory_queue_.front();
  MemoryInstruction& m = memory_pool_.at(index);
  switch (m.kind) {
    case MemoryKind::shared:
      memory_queue_.pop_front();
      memory_unit_free_at_ = now + std::max(m.shared_cycles, p_.address_interval.get());
      m.waiting = 1;
      events_.add(now, now + p_.shared_latency + m.shared_cycles - 1, {EventKind::line_done, 0, index});
      return;
    case MemoryKind::constant:
      if (!access_constants(index, now)) return;
      memory_queue_.pop_front();
      memory_unit_free_at_ = now + std::max<Cycle>(m.lines.size(), p_.address_interval);
      return;
    default:
      break;
  }
  if (m.next == 0) memory_unit_free_at_ = now + 1;
  if (translation_) {
    access_translated(memory_queue_, index, now);
  } else {
    access_lines(memory_queue_, index, now);
  }
}

void Sm::access_lines(std::deque<std::uint32_t>& queue, std::uint32_t index, Cycle now) {
  MemoryInstruction& m = memory_pool_.at(index);
  // Without translation, applications are kept apart by where their memory lies.
  const std::uint64_t base = std::uint64_t{contexts_[m.warp].kernel->application} << kApplicationShift;
  std::uint64_t banks = 0;
  for (unsigned port = 0; port < p_.l1.ports && m.next < m.lines.size(); ++port) {
    const LineAccess& line = m.lines[m.next];
    if (!l1_.take_bank(line.line, banks)) {
      ++statistics_.stall_bank;
      return;
    }
    if (!access_line(index, line, line.line + base, now)) return;
    ++m.next;
  }
  if (m.next == m.lines.size()) lines_accessed(queue, index, now);
}

void Sm::access_translated(std::deque<std::uint32_t>& queue, std::uint32_t index, Cycle now) {
  MemoryInstruction& m = memory_pool_.at(index);
  const std::uint16_t application = contexts_[m.warp].kernel->application;
  if (!translation_->advance(index, application, now)) {
    queue.pop_front();
    return;
  }
  std::uint64_t banks = 0;
  unsigned used = 0;
  for (std::size_t l = m.next; l < m.lines.size() && used < p_.l1.ports; ++l) {
    LineAccess& line = m.lines[l];
    if (line.accessed || !TranslationUnit::ready(m, line, now)) continue;
    const std::uint64_t address = translation_->physical(m, line, application);
    if (!l1_.take_bank(address, banks)) {
      ++statistics_.stall_bank;
      break;
    }
    if (!access_line(index, line, address, now)) return;
    line.accessed = true;
    ++used;
  }
  while (m.next < m.lines.size() && m.lines[m.next].accessed) ++m.next;
  if (m.next == m.lines.size()) {
    lines_accessed(queue, index, now);
  } else if (!TranslationUnit::waits_at_head(m)) {
    queue.pop_front();
    TranslationUnit::leave(m);
  } else if (used == 0 && translation_->stalled() && &queue != &memory_queue_) {
    // Others that came back may have what they need: they must not wait behind one that does not.
    queue.pop_front();
    queue.push_back(index);
  }
}

void Sm::lines_accessed(std::deque<std::uint32_t>& queue, std::uint32_t index, Cycle now) {
  MemoryInstruction& m = memory_pool_.at(index);
  queue.pop_front();
  memory_unit_free_at_ = std::max(now + 1, m.issued_at + p_.address_interval);
  if (m.kind == MemoryKind::store) memory_pool_.release(index);
}

bool Sm::access_constants(std::uint32_t index, Cycle now) {
  MemoryInstruction& m = memory_pool_.at(index);
  if (m.next == 0) m.waiting = 1;  // for the lookup itself
  for (; m.next < m.lines.size(); ++m.next) {
    switch (
        constants_.access(m.lines[m.next].line / constant_line_bytes_, index, contexts_[m.warp].kernel->application)) {
      case ReadOnlyCache::Result::hit:
        continue;
      case ReadOnlyCache::Result::missed:
        ++statistics_.constant_misses;
        break;
      case ReadOnlyCache::Result::joined:
        break;
      case ReadOnlyCache::Result::full:
        memory_stall_ = &statistics_.stall_constant;
        return false;
    }
    ++m.waiting;
  }
  events_.add(now, now + p_.constant_latency + m.lines.size() - 1, {EventKind::line_done, 0, index});
  return true;
}

bool Sm::access_line(std::uint32_t index, const LineAccess& line, std::uint64_t address, Cycle now) {
  MemoryInstruction& m = memory_pool_.at(index);
  const std::uint16_t application = contexts_[m.warp].kernel->application;
  L1Access access{address, line.sectors, index, application, line.bytes, !m.cached, m.local};
  L1Result result = L1Result::stalled;
  switch (m.kind) {
    case MemoryKind::load:
      result = l1_.load(access);
      if (result == L1Result::hit) events_.add(now, now + p_.l1.latency, {EventKind::line_done, 0, index});
      break;
    case MemoryKind::store:
      access.waiter = m.warp;
      result = l1_.store(access);
      if (result == L1Result::hit) store_done(m.warp, now);
      break;
    default:
      result = send_atomic(index, line, address, application);
      break;
  }
  if (result == L1Result::stalled) memory_stall_ = l1_.stalled_by();
  return result == L1Result::hit || result == L1Result::sent;
}

L1Result Sm::send_atomic(std::uint32_t index, const LineAccess& line, std::uint64_t address,
                         std::uint16_t application) {
  const L1Result gone = l1_.give_up(address);
  if (gone != L1Result::hit) return gone;
  MemoryInstruction& m = memory_pool_.at(index);
  Request request;
  request.line = address;
  request.sectors = line.sectors;
  request.application = application;
  request.bytes = line.bytes;
  request.kind = RequestKind::atomic;
  request.id = request_id(RequestName::atomic, index);
  request.packet = &m.packet;
  request.lanes = line.lanes & m.atomic_lanes;
  ++statistics_.atomics;
  port_.push(request);
  return L1Result::sent;
}

void Sm::take_response(const memory::Response& response, Cycle now) {
  port_.answered();
  memory_stall_ = nullptr;  // what the load/store unit waits for may have come
  const std::uint32_t index = index_of(response.id);
  switch (name_of(response.id)) {
    case RequestName::miss:
      l1_.fill(index, response.sectors, [&](std::uint32_t waiter) { line_done(waiter, now); });
      break;
    case RequestName::store:
      store_done(index, now);
      break;
    case RequestName::atomic:
      line_done(index, now);
      break;
    case RequestName::writeback:
      l1_.written_back();
      if (flush_waiters_ != 0) flush_done(now);
      break;
    case RequestName::instruction:
      instructions_.fill(index, [&](std::uint32_t w, std::uint64_t line) { take_instructions(w, line, now); });
      if (fetch_again_ != 0) retry_fetches(now);
      break;
    case RequestName::constant:
      constants_.fill(index, [&](std::uint32_t waiter, std::uint64_t) {
        events_.add(now, now + p_.constant_latency, {EventKind::line_done, 0, waiter});
      });
      break;
    case RequestName::walk:
      translation_->answer(index, response.missed, now);
      break;
  }
}

void Sm::store_done(unsigned w, Cycle now) {
  Context& context = contexts_[w];
  --context.stores;
  if (context.fenced && context.stores == 0) refresh(w, now);
}

void Sm::flush_done(Cycle now) {
  for (WarpSet left = flush_waiters_; left != 0; left &= left - 1) {
    const auto w = static_cast<unsigned>(std::countr_zero(left));
    if (!l1_.flushed(contexts_[w].flush)) continue;
    flush_waiters_ &= ~(WarpSet{1} << w);
    refresh(w, now);
  }
}

void Sm::line_done(std::uint32_t index, Cycle now) {
  MemoryInstruction& m = memory_pool_.at(index);
  if (--m.waiting == 0) complete(index, now);
}

void Sm::complete(std::uint32_t index, Cycle now) {
  MemoryInstruction& m = memory_pool_.at(index);
  Context& context = contexts_[m.warp];
  const TimedOp& timed = context.kernel->timed->at(m.pc);
  if (m.kind == MemoryKind::atomic) {
    if (m.op->instruction->dst[0].exists()) {
      for (LaneMask left = m.atomic_lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        exec::Interpreter::write_value(*m.op, *context.warp, lane, m.packet.old[lane]);
      }
    }
    if (--context.atomics == 0) context.atomic_filter = 0;
  } else if (m.kind == MemoryKind::load) {
    statistics_.load_latency += now - m.issued_at;
    ++statistics_.loads;
    context.share->load_latency += now - m.issued_at;
    ++context.share->loads;
    if (--context.long_loads == 0) schedulers_[m.warp % p_.schedulers]->long_latency(static_cast<int>(m.warp), false);
  }
  context.pending.subtract(timed.writes);
  context.pending_memory.subtract(timed.writes);
  memory_pool_.release(index);
  refresh(m.warp, now);
}

}  // namespace heddle::core
