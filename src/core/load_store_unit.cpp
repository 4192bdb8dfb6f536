#include "core/load_store_unit.h"

#include <algorithm>
#include <bit>

#include "core/addresses.h"
#include "core/coalescing.h"
#include "core/request_names.h"

namespace heddle::core {

using exec::OpKind;
using isa::Space;
using sim::Cycle;

LoadStoreUnit::LoadStoreUnit(const Setup& setup)
    : setup_(setup),
      p_(setup.parameters),
      statistics_(setup.statistics),
      events_(setup.events),
      outstanding_(setup.applications),
      shared_(p_.shared, p_.shared_banks),
      constant_line_bytes_(std::min(kConstantLine, p_.l1.line_bytes.get())),
      coalescer_(p_.coalescer.make(statistics_, "",
                                   Coalescer::Setup{p_, instructions_, groups_, served_, setup.checker != nullptr})),
      queued_(dynamic_cast<QueuedCoalescer*>(coalescer_.get())),
      observers_({setup.observer, queued_ == nullptr ? nullptr : queued_->observer()}),
      late_(make_late(setup)),
      l1_(p_.l1, statistics_, L1Port(setup.port, late_ ? &*late_ : nullptr), observers_.get(),
          setup.checker == nullptr ? nullptr : std::make_unique<L1Versions>(*setup.checker, setup.sm)),
      synonyms_(p_.mmu.synonyms),
      virtual_(p_.mmu.virtual_l1()),
      constants_({p_.constant_kib * 1024, constant_line_bytes_, p_.l1.line_bytes, p_.constant_mshrs,
                  RequestName::constant, memory::Traffic::constant},
                 setup.port),
      checks_order_(setup.checker != nullptr) {
  if (p_.merge_study) study_.emplace(statistics_);
  if (setup.managed != nullptr) page_waits_.emplace(*setup.managed, groups_);
  if (setup.profile != nullptr) setup.profile->watch(instructions_);
  if (late_) late_->serve(l1_);
  if (p_.mmu.before_l1()) {
    translation_.emplace(TranslationUnit::Setup{
        p_.mmu, *setup.memory, setup.translations, setup.to_shared, setup.per_sm, setup.port, groups_, statistics_,
        setup.sm, p_.l1.line_bytes, setup.observer, setup.applications,
        [this](memory::LineTag line, std::uint32_t units) { return l1_.has(line, units); }, setup.board});
  }
}

std::optional<LateTranslation> LoadStoreUnit::make_late(const Setup& setup) {
  if (!setup.parameters.mmu.kind.is("after-l1")) return std::nullopt;
  return std::optional<LateTranslation>(
      std::in_place,
      LateTranslation::Setup{setup.parameters.mmu, *setup.memory, *setup.translations, setup.to_shared, setup.per_sm,
                             setup.port, setup.statistics, setup.sm, setup.applications, setup.board});
}

memory::LineTag LoadStoreUnit::untranslated_tag(const LineRequest& line, std::uint16_t application) const {
  if (virtual_ && !is_fixed(line.line)) return {line.line, application};
  return memory::LineTag(untranslated(line.line, application));
}

void LoadStoreUnit::tick(Cycle now) {
  if (queued_ != nullptr) queued_->tick(now);
  if (free_at_ > now || stall_ != nullptr) return;
  if (translation_) return tick_translated(now);
  const std::uint32_t group = next_group(now);
  if (group != kNone) access_lines(group, now);
}

/// The coalescer's, or what the first of the queue makes of it.
std::uint32_t LoadStoreUnit::next_group(Cycle now) {
  if (queued_ != nullptr && !queue_.empty() && takes_at_ <= now && groups_.at(queue_.front()).operands_at <= now)
    return take_first(now);
  const std::uint32_t group = coalescer_busy_ ? coalescer_->next(now) : kNone;
  if (group != kNone || queue_.empty() || takes_at_ > now || !coalescer_->can_take()) return group;
  if (groups_.at(queue_.front()).operands_at > now) return kNone;
  return take_first(now);
}

std::uint32_t LoadStoreUnit::take_first(Cycle now) {
  const std::uint32_t index = queue_.front();
  LineGroup& group = groups_.at(index);
  takes_at_ = now + p_.address_interval;
  switch (group.kind) {
    case MemoryKind::shared:
      free_at_ = now + group.shared_cycles;
      events_.add(now, std::max(now + p_.shared_latency + group.shared_later, group.shared_until),
                  {EventKind::line_done, 0, waiter(Waiter::instruction, group.instruction)});
      break;
    case MemoryKind::constant:
      if (!access_constants(group, now)) return kNone;
      free_at_ = now + 1 + group.constant_later;
      break;
    default:
      queue_.pop_front();
      group.stage = Stage::head;
      coalescer_->add(index);
      coalescer_busy_ = true;
      places_ = coalescer_->places();
      return coalescer_->next(now);
  }
  queue_.pop_front();
  groups_.release(index);
  return kNone;
}

bool LoadStoreUnit::access_constants(LineGroup& group, Cycle now) {
  const std::uint32_t index = group.instruction;
  for (; group.next < group.lines.size(); ++group.next) {
    switch (constants_.access(group.lines[group.next].line.address / constant_line_bytes_,
                              waiter(Waiter::instruction, index), group.application)) {
      case ReadOnlyCache::Result::hit:
        continue;
      case ReadOnlyCache::Result::missed:
        ++statistics_.constant_misses[group.application];
        break;
      case ReadOnlyCache::Result::joined:
        break;
      case ReadOnlyCache::Result::full:
        stall(statistics_.stall_constant, group.application);
        return false;
    }
    ++instructions_.at(index).waiting;
  }
  events_.add(now, now + p_.constant_latency + group.constant_later,
              {EventKind::line_done, 0, waiter(Waiter::instruction, index)});
  return true;
}

void LoadStoreUnit::access_lines(std::uint32_t index, Cycle now) {
  LineGroup& group = groups_.at(index);
  std::uint64_t banks = 0;
  unsigned misses = 0;
  bool conflict = false;
  unsigned left = std::min(ports_left(now), group.lines_per_cycle);
  if (left == 0) return wait_for_registers(group);
  for (std::size_t l = group.next; l < group.lines.size() && left != 0; ++l) {
    LineRequest& line = group.lines[l];
    if (line.accessed) continue;
    memory::LineTag tag = untranslated_tag(line, group.application);
    if (!synonyms_.empty()) tag = leading_name(group, tag);
    if (!l1_.take_bank(tag, banks)) {
      conflict = true;  // lines of other banks may go
      continue;
    }
    const std::optional<bool> missed = access_line(group, line, tag, false, now);
    if (!missed) break;
    line.accessed = true;
    --left;
    if (*missed && ++misses == p_.l1.misses) break;
  }
  if (conflict) ++statistics_.stall_bank[group.application];
  while (group.next < group.lines.size() && group.lines[group.next].accessed) ++group.next;
  if (group.next < group.lines.size()) return;
  leave_coalescer();
  groups_.release(index);
}

/// One group looks its pages up while the one before it goes to the L1.
void LoadStoreUnit::tick_translated(Cycle now) {
  Ring<std::uint32_t>& behind = translation_->translated();
  while (!behind.empty() && translation_->outdated(groups_.at(behind.front()))) translation_->look_up_again();
  std::uint32_t index = kNone;
  if (behind.size() <= p_.mmu.tlb.latency) {
    index = translation_->resumed().empty() ? next_group(now) : translation_->resumed().front();
    if (index != kNone && !look_up(index, now)) index = kNone;
  }
  if (!behind.empty()) index = behind.front();
  if (index != kNone) access_translated(index, now);
}

/// Whether lines of the group may go to the L1 although not all its pages have been looked up.
bool LoadStoreUnit::look_up(std::uint32_t index, Cycle now) {
  LineGroup& group = groups_.at(index);
  const Stage from = group.stage;
  const TranslationUnit::Lookup result = translation_->advance(index, now);
  if (result == TranslationUnit::Lookup::stalled && from == Stage::head) return true;
  if (result == TranslationUnit::Lookup::done && !group.looked_up()) return true;
  if (from == Stage::resumed) {
    translation_->resumed().pop_front();
  } else {
    leave_coalescer();
  }
  if (result == TranslationUnit::Lookup::stalled) {
    translation_->starve(index);
    send_away(index, Stage::starved);
  } else if (result == TranslationUnit::Lookup::held) {
    send_away(index, Stage::held);
  } else if (TranslationUnit::has_ready(group)) {
    translation_->pass_on(index);
  } else {
    send_away(index, Stage::walking);
  }
  return false;
}

void LoadStoreUnit::send_away(std::uint32_t index, Stage stage) {
  LineGroup& group = groups_.at(index);
  group.stage = stage;
  if (queued_ == nullptr) away_.add(index, group);  // coalescers with queues keep the order themselves
}

void LoadStoreUnit::access_translated(std::uint32_t index, Cycle now) {
  LineGroup& group = groups_.at(index);
  std::uint64_t banks = 0;
  unsigned left = std::min(ports_left(now), group.lines_per_cycle);
  unsigned misses = 0;
  bool conflict = false;
  if (left == 0) return wait_for_registers(group);
  for (std::size_t l = group.next; l < group.lines.size() && left != 0; ++l) {
    LineRequest& line = group.lines[l];
    if (line.accessed || !TranslationUnit::ready(group, line, now) || must_wait(group, line)) continue;
    const memory::LineTag tag{translation_->physical(group, line)};
    if (!l1_.take_bank(tag, banks)) {
      conflict = true;
      continue;
    }
    const bool walked = line.page != LineRequest::kNoPage && group.pages[line.page].walked;
    const std::optional<bool> missed = access_line(group, line, tag, walked, now);
    if (!missed) return;
    line.accessed = true;
    if (group.overtaken) let_pass(group, line);
    --left;
    if (*missed && ++misses == p_.l1.misses) break;
  }
  if (conflict) ++statistics_.stall_bank[group.application];
  while (group.next < group.lines.size() && group.lines[group.next].accessed) ++group.next;
  if (group.stage == Stage::translated) leave_translated(index);
}

/// Registers had the L1 first in this cycle (OperandStorage::goes_first()).
void LoadStoreUnit::wait_for_registers(const LineGroup& group) { ++statistics_.stall_registers[group.application]; }

void LoadStoreUnit::let_pass(const LineGroup& group, const LineRequest& line) {
  away_.accessed(group, line);
  for (const std::uint32_t waits : ordered_) translation_->pass_on(waits);
  ordered_.clear();
}

void LoadStoreUnit::leave_translated(std::uint32_t index) {
  LineGroup& group = groups_.at(index);
  if (group.next == group.lines.size()) {
    translation_->translated().pop_front();
    if (group.overtaken) away_.ended(index);
    groups_.release(index);
    return;
  }
  if (!TranslationUnit::has_ready(group)) {
    translation_->translated().pop_front();
    send_away(index, Stage::walking);
    return;
  }
  if (away_.empty()) return;
  const bool can_go = std::any_of(group.lines.begin(), group.lines.end(), [&](const LineRequest& line) {
    return TranslationUnit::has_translation(group, line) && !must_wait(group, line);
  });
  if (can_go) return;
  translation_->translated().pop_front();
  send_away(index, Stage::ordered);
  ordered_.push_back(index);
}

void LoadStoreUnit::leave_coalescer() {
  coalescer_->left();
  coalescer_busy_ = !coalescer_->empty();
  places_ = coalescer_->places();
}

std::optional<bool> LoadStoreUnit::access_line(const LineGroup& group, const LineRequest& line, memory::LineTag tag,
                                               bool walked, Cycle now) {
  const std::uint32_t waits = waiter_of(line);
  const L1Access access{.line = tag,
                        .name = checked_name(group, line),
                        .sectors = line.sectors,
                        .waiter = waits,
                        .application = group.application,
                        .bytes = line.bytes,
                        .warp = group.owner(),
                        .around = !group.cached,
                        .local = group.local,
                        .walked = walked,
                        .renamed = !synonyms_.empty() && tag != untranslated_tag(line, group.application),
                        .now = now};
  L1Result result = L1Result::stalled;
  switch (group.kind) {
    case MemoryKind::load:
      result = l1_.load(access);
      if (result == L1Result::hit) events_.add(now, now + p_.l1.latency, {EventKind::line_done, 0, waits});
      break;
    case MemoryKind::store:
      result = l1_.store(access);
      if (result == L1Result::hit) line_done(waits, now);
      break;
    default:
      result = send_atomic(access, line);
      break;
  }
  if (result == L1Result::stalled) stall(*l1_.stalled_by(), group.application);
  if (result != L1Result::hit && result != L1Result::sent) return std::nullopt;
  if (result == L1Result::sent && group.kind != MemoryKind::load) ++changes_;
  take_port(group.application, now);
  if (setup_.profile != nullptr && group.kind == MemoryKind::load && group.cached) [[unlikely]]
    setup_.profile->looked_up_l1(instructions_.at(line.first.instruction), result == L1Result::hit);
  if (queued_ != nullptr) queued_->taken(group, line);
  if (checks_order_) check_order(line);
  return result == L1Result::sent && group.kind == MemoryKind::load;
}

void LoadStoreUnit::check_order(const LineRequest& line) {
  if (line.others == kNone) return order_.taken(line.line, line.first.instruction);
  for (const Served& served : served_.at(line.others)) order_.taken(line.line, served.instruction);
}

void LoadStoreUnit::start_kernel(std::uint16_t application, Cycle now) {
  l1_.start_kernel(application, now);
  if (queued_ != nullptr) queued_->start_kernel(now);
}

memory::VirtLine LoadStoreUnit::checked_name(const LineGroup& group, const LineRequest& line) const {
  if (setup_.checker == nullptr || is_fixed(line.line) || p_.mmu.virtual_l2()) return line.line;
  return {data_.at(group.application)->one_name(line.line.address)};
}

L1Result LoadStoreUnit::send_atomic(const L1Access& access, const LineRequest& line) {
  const L1Result gone = l1_.give_up(access);
  if (gone != L1Result::hit) return gone;
  memory::AtomicPacket* packet = instructions_.at(line.first.instruction).packet;
  memory::Request request;
  request.line = access.line;
  request.sectors = line.sectors;
  request.application = access.application;
  request.warp = access.warp;
  request.bytes = line.bytes;
  request.kind = memory::RequestKind::atomic;
  request.id = request_id(RequestName::atomic, line.first.instruction);
  request.packet = packet;
  request.lanes = line.first.lanes & packet->lanes;
  request.same_word = most_on_one_word(*packet, request.lanes);
  if (L1Versions* versions = l1_.versions(); versions != nullptr)
    request.record =
        versions->write({{access.name, access.application}, access.line, access.sectors, access.now}, false);
  ++statistics_.atomics[access.application];
  l1_.send(request);
  return L1Result::sent;
}

bool LoadStoreUnit::can_take(const memory::Response& response, Cycle now) {
  if (name_of(response.id) != RequestName::miss) return true;
  return l1_.can_fill(index_of(response.id), now) && (queued_ == nullptr || queued_->can_return(now));
}

void LoadStoreUnit::answer(const memory::Response& response, Cycle now) {
  const std::uint32_t index = index_of(response.id);
  if (response.record != 0 && name_of(response.id) != RequestName::miss)
    l1_.versions()->acknowledge(response.sectors, response.record);
  switch (name_of(response.id)) {
    case RequestName::miss:
      l1_.fill(index, response, now, [&](std::uint32_t waits) { line_done(waits, now); });
      break;
    case RequestName::store:
      --changes_;
      line_done(index, now);
      break;
    case RequestName::atomic:
      --changes_;
      instruction_line_done(index, now);
      break;
    case RequestName::writeback:
      l1_.written_back();
      setup_.client.flush_advanced(now);
      break;
    case RequestName::constant:
      constants_.fill(index, [&](std::uint32_t waits, std::uint64_t) {
        events_.add(now, now + p_.constant_latency, {EventKind::line_done, 0, waits});
      });
      break;
    case RequestName::walk:
      translation_->answer(index, response.missed, now);
      break;
    case RequestName::instruction:
    case RequestName::context:
      break;  // not the load/store unit's
  }
}

void LoadStoreUnit::line_done(std::uint32_t waits, Cycle now) {
  const std::uint32_t index = waits & ((1u << kWaiterShift) - 1);
  switch (static_cast<Waiter>(waits >> kWaiterShift)) {
    case Waiter::instruction:
      instruction_line_done(index, now);
      break;
    case Waiter::several:
      write_back(served_.at(index), now);
      served_.release(index);
      break;
    case Waiter::registers:
      setup_.operands.loaded(index, now);
      break;
  }
}

void LoadStoreUnit::write_back(const std::vector<Served>& served, Cycle now) {
  const Cycle first = queued_ == nullptr ? now : queued_->returned(served, now);
  const std::size_t at_once = queued_ == nullptr ? served.size() : queued_->served_per_cycle();
  for (std::size_t i = 0; i < served.size(); ++i) {
    const Cycle at = first + i / at_once;
    if (at == now) {
      instruction_line_done(served[i].instruction, now);
    } else {
      events_.add(now, at, {EventKind::line_done, 0, waiter(Waiter::instruction, served[i].instruction)});
    }
  }
}

void LoadStoreUnit::instruction_line_done(std::uint32_t index, Cycle now) {
  MemoryInstruction& m = instructions_.at(index);
  if (m.is_global()) --outstanding_[m.application];
  if (--m.waiting != 0) return;
  setup_.client.memory_done(m, now);
  if (m.packet != nullptr) packets_.release(m.packet);
  instructions_.release(index);
}

void LoadStoreUnit::flush_step(Cycle now) {
  l1_.flush_step(now);
  if (!l1_.flushing()) setup_.client.flush_advanced(now);
}

}  // namespace heddle::core
