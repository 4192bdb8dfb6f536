#include "vm/forward_backward.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/diagnostics.h"
#include "memory/line_checker.h"

namespace heddle::vm {

using memory::LineTag;
using sim::Cycle;

ForwardBackward::ForwardBackward(const sim::Context& context, const Setup& setup)
    : SharedTranslation(setup),
      setup_(setup),
      p_(context.parameters<Parameters>()),
      page_size_(setup.memory.parameters().page_size()),
      counts_(p_.large_pages.is("counter")),
      granule_(counts_ ? page_size_ : PageSize::small),
      granule_bytes_(kPageBytes * pages_in(granule_)),
      statistics_(setup.statistics, setup.applications),
      counters_(statistics_),
      pipeline_({setup, p_, statistics_, p_.second_level ? this : nullptr}),
      table_(p_.entries, p_.ways, order_of(granule_)),
      host_(p_.host) {
  if (p_.entries % p_.ways != 0 || !std::has_single_bit(p_.entries / p_.ways)) {
    throw UserError(fmt::format("{}.ways = {}: {} entries must be a power of two of sets of that many", p_.path(),
                                p_.ways.get(), p_.entries.get()));
  }
}

void ForwardBackward::receive() {
  input_.erase(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  wake_by(setup_.slices->messages().collect(input_));
  answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(answer_head_));
  answer_head_ = 0;
  wake_by(setup_.slices->probe_answers().collect(answers_));
  wake_by(pipeline_.collect());
}

void ForwardBackward::run(Cycle begin, Cycle end) {
  if (fault_) return;
  clock_ = std::max(clock_, begin);
  try {
    while (clock_ < end) {
      step(clock_);
      ++clock_;
      wake_ = pipeline_.next(clock_);
      if (head_ < input_.size()) wake_by(std::max(input_[head_].arrival, clock_));
      if (answer_head_ < answers_.size()) wake_by(std::max(answers_[answer_head_].arrival, clock_));
      wake_by(std::max(host_.next(), clock_));
      if (!port_.empty()) wake_by(std::max(port_.front().ready, clock_));
      clock_ = std::min(wake_, end);
    }
  } catch (...) {
    fault_ = std::current_exception();
    wake_ = clock_;
  }
  reports_ = !faults_.empty() || !changes_.empty() || !acknowledged_.empty() || fault_;
}

void ForwardBackward::rethrow() {
  if (fault_) std::rethrow_exception(fault_);
}

void ForwardBackward::step(Cycle now) {
  sample(now);
  for (; answer_head_ < answers_.size() && answers_[answer_head_].arrival <= now; ++answer_head_) {
    const std::uint32_t id = answers_[answer_head_].id;
    if ((id & kNamesOfPage) != 0) {
      const auto asked = asked_names_.find(id);
      if (--asked->second.second != 0) continue;
      settle_one(asked->second.first, now);
      asked_names_.erase(asked);
    } else if (FbtEntry& entry = table_.at(id); entry.names != 0) {
      if (--entry.names == 0) advance(id, now);
    } else if (--entry.answers == 0) {
      free_entry(id, now);
    }
  }
  for (; head_ < input_.size() && input_[head_].arrival <= now; ++head_) take(input_[head_], now);
  if (host_.next() <= now) take_host(now);
  done_.clear();
  const std::size_t faults = faults_.size();
  pipeline_.step(now, done_, faults_);
  for (const IommuPipeline::Result& result : done_) {
    // What the forward side has found needs no second lookup.
    pass_port({.job = result.job.token,
               .frame = result.mapping.frame_of(first_page(result.job.page, granule_)),
               .writable = result.mapping.writable},
              now, result.second_level ? Pass::with_one : Pass::lookup);
  }
  // A page that is on its way out may have lost its mapping already; its own lines may still be asked for.
  for (std::size_t f = faults; f < faults_.size(); ++f) {
    const std::uint32_t index = table_.find(faults_[f].space->id(), first_page(faults_[f].page, granule_));
    if (index != kNone && table_.at(index).state == FbtState::draining) close(index, now);
  }
  if (!kept_back_.empty()) send_back_held(now, faults);
  for (const std::uint32_t token : pipeline_.others()) {
    const auto found = writing_.find(token & ~kWriteBack);
    if (--found->second.first != 0) continue;
    command(found->second.second, {.kind = Command::Kind::credit}, now);
    writing_.erase(found);
  }
  pipeline_.others().clear();
  while (!port_.empty() && port_.front().ready <= now) {
    const Operation operation = port_.front();
    port_.pop_front();
    perform(operation, now);
  }
}

void ForwardBackward::pass_port(Operation operation, Cycle now, Pass pass) {
  const bool takes_turn = pass == Pass::lookup || (pass == Pass::update && p_.updates_take_port);
  const Cycle begins = takes_turn ? std::max(now, port_free_at_) : now;
  if (takes_turn) port_free_at_ = begins + 1;
  ++(pass == Pass::update ? counters_.updates : counters_.lookups);
  operation.ready = begins + (pass == Pass::with_one ? 0u : p_.table_latency.get());
  if (!port_.empty()) operation.ready = std::max(operation.ready, port_[port_.size() - 1].ready);
  port_.push_back(operation);
}

void ForwardBackward::take(const Message& message, Cycle now) {
  if (message.kind != Message::Kind::miss) {
    pass_port({.message = message}, now, Pass::update);
    return;
  }
  std::uint32_t job = 0;
  if (free_jobs_.empty()) {
    job = static_cast<std::uint32_t>(jobs_.size());
    jobs_.emplace_back();
  } else {
    job = free_jobs_.back();
    free_jobs_.pop_back();
  }
  jobs_[job] = {message, now, shootdowns_};
  const std::uint32_t index = find(message.line);
  const bool is_open = index != kNone && table_.at(index).state == FbtState::open;
  const bool is_draining = index != kNone && table_.at(index).state == FbtState::draining;
  if (message.replay || is_draining || (is_open && is_held(message.line))) {
    pass_port({.job = job, .by_page = true}, now);
  } else {
    translate(job, now);
  }
}

void ForwardBackward::translate(std::uint32_t job, Cycle now) {
  const Message& message = jobs_[job].message;
  if (is_held(message.line)) return tell_to_wait(job, now);
  jobs_[job].shootdowns = shootdowns_;
  const VirtPage page = vm::page_of(message.line.virtual_line().address);
  pipeline_.add({page, message.line.space(), message.warp, message.sm, job, jobs_[job].arrived}, now);
}

void ForwardBackward::perform(const Operation& operation, Cycle now) {
  const Message& message = operation.message;
  if (operation.host) {
    const HostRequest request = host_requests_.front();
    host_requests_.pop_front();
    perform_host(request, now);
    return;
  }
  if (operation.job != kNoJob) {
    if (operation.by_page) {
      const std::uint32_t index = find(jobs_[operation.job].message.line);
      if (index == kNone) {
        translate(operation.job, now);
      } else {
        check(operation.job, table_.at(index).frame, table_.at(index).writable, now);
      }
    } else if (is_outdated(jobs_[operation.job])) {
      translate(operation.job, now);
    } else {
      check(operation.job, operation.frame, operation.writable, now);
    }
    return;
  }
  switch (message.kind) {
    case Message::Kind::upgrade: {
      ++counters_.upgrades;
      if (const std::uint32_t index = find(message.line); index != kNone) {
        FbtEntry& entry = table_.at(index);
        entry.written = true;
        judge_synonyms(entry, message.line, true);
      }
      command(message.slice, {.kind = Command::Kind::credit}, now);
      break;
    }
    case Message::Kind::left:
      left(message, now);
      break;
    case Message::Kind::filled:
      filled(message, now);
      break;
    case Message::Kind::forwarded: {
      const std::uint32_t index = find(message.line);
      FbtEntry& entry = table_.at(index);
      --entry.holds;
      entry.replays += static_cast<std::int32_t>(message.count);
      synonyms_.forwarded(message.generation, message.count);
      settle_synonyms(now);
      advance(index, now);
      break;
    }
    case Message::Kind::replayed: {
      const std::uint32_t index = find(message.line);
      --table_.at(index).replays;
      synonyms_.replayed(message.generation);
      settle_synonyms(now);
      advance(index, now);
      break;
    }
    case Message::Kind::invalidated:
      // Whoever counts lines waits for the last of them instead.
      if (--table_.at(message.token).answers == 0) tell_l1s(message.token, now);
      break;
    case Message::Kind::probed:
      probed(message, now);
      break;
    case Message::Kind::miss:
      break;
  }
}

void ForwardBackward::check(std::uint32_t job, PhysFrame frame, bool writable, Cycle now) {
  const Message& message = jobs_[job].message;
  const LineTag line = message.line;
  // A synonym's access has been checked by its own name.
  if (message.write && !writable && !message.replay) return deny(job, now);
  // The page's own entry first: until it is gone, its lines are what the page means.
  std::uint32_t index = find(line);
  if (index == kNone) index = table_.find(frame);
  if (index == kNone) {
    const auto room = table_.room_for(frame, line.space(), page_of(line));
    if (room.place == kNone) {
      make_room(job, room, now);
      return;
    }
    table_.add(room.place, frame, line.space(), page_of(line), writable);
    if (setup_.checker != nullptr) {
      for (std::uint64_t i = 0; i < pages_in(granule_); ++i)
        setup_.checker->leads(line.space(), page_of(line).number + i, frame.number + i);
    }
    ++counters_.allocated;
    index = room.place;
  }
  FbtEntry& entry = table_.at(index);
  const bool is_leading = entry.space == line.space() && entry.page == page_of(line);
  if (entry.state == FbtState::open || (entry.state == FbtState::draining && is_leading)) {
    table_.touch(index);
    if (is_leading) {
      serve(job, index, now);
    } else {
      send_back(job, index, writable, now);
    }
  } else if (entry.state == FbtState::draining) {
    // It would wait for others while it holds what they need.
    send_away(job, now);
  } else {
    wait_for(index, job);
  }
}

void ForwardBackward::make_room(std::uint32_t job, const ForwardBackwardTable::Room& room, Cycle now) {
  if (room.backward == kNone && room.forward == kNone) return send_away(job, now);
  for (const std::uint32_t victim : {room.backward, room.forward}) {
    if (victim == kNone || table_.at(victim).state != FbtState::open) continue;
    ++(victim == room.backward ? counters_.evicted_backward : counters_.evicted_forward);
    close(victim, now);
  }
  const std::uint32_t first = room.backward != kNone ? room.backward : room.forward;
  wait_for(first, job);
}

void ForwardBackward::wait_for(std::uint32_t index, std::uint32_t job) {
  ++counters_.locked;
  waiting_[index].push_back(job);
}

/// The leading page's own miss: memory is asked, or the right to write is given.
void ForwardBackward::serve(std::uint32_t job, std::uint32_t index, Cycle now) {
  const Message& message = jobs_[job].message;
  FbtEntry& entry = table_.at(index);
  if (const auto asked = probing_.find(message.line.bits()); asked != probing_.end()) {
    asked->second.jobs.push_back(job);
    return;
  }
  if (message.write) {
    entry.written = true;
    judge_synonyms(entry, message.line, true);
  }
  ++entry.fetches;
  ++pending_[message.line.bits()];
  if (message.units == 0) {
    command(message.slice, {.kind = Command::Kind::grant, .token = message.token, .read_only = !entry.writable}, now);
  } else {
    const memory::PhysLine at = physical(entry, message.line);
    if (setup_.checker != nullptr) setup_.checker->load(at, message.units, setup_.checker->at(message.record).versions);
    memory::DramRequest request;
    request.token = message.token | memory::kFromTable | (entry.writable ? 0 : memory::kReadOnlyPage);
    request.application = message.line.space();
    request.warp = message.warp;
    request.sm = message.sm;
    (void)setup_.channels->transfer(at, message.units, request, message.slice, now);
  }
  end(job, now);
}

/// A synonym's miss: it is to be done under the leading name.
void ForwardBackward::send_back(std::uint32_t job, std::uint32_t index, bool writable, Cycle now) {
  const Message& message = jobs_[job].message;
  FbtEntry& entry = table_.at(index);
  ++counters_.synonyms;
  if (!counts_ && may_have(entry, message.line)) ++counters_.synonyms_cached;
  entry.synonym = true;
  entry.other_space = message.line.space();
  entry.other = page_of(message.line);
  entry.written = entry.written || message.write;
  judge_synonyms(entry, message.line, false);
  ++entry.holds;
  command(message.slice,
          {.kind = Command::Kind::synonym,
           .line = leading(entry, message.line),
           .token = message.token,
           .generation = synonyms_.send(),
           .tells = setup_.tells_synonyms,
           .read_only = !writable},
          now);
  end(job, now);
}

void ForwardBackward::end(std::uint32_t job, Cycle now) {
  command(jobs_[job].message.slice, {.kind = Command::Kind::credit}, now);
  free_jobs_.push_back(job);
}

void ForwardBackward::judge_synonyms(FbtEntry& entry, LineTag line, bool by_leading) {
  if (!entry.written || !entry.synonym) return;
  ++counters_.rw_synonyms;
  if (!setup_.rw_faults) return;
  const std::uint64_t offset = offset_of(line.virtual_line().address);
  throw UserError(
      fmt::format("read-write synonym: the frame at {:#x} is cached under {:#x} of address space {} (page {:#x}) and "
                  "used under {:#x} "
                  "of address space {} (page {:#x}), and it is written; found at the {} of {:#x} of address space {}; "
                  "sm.mmu.rw_synonyms = replay lets it go on",
                  entry.frame.address(), entry.page.address() + offset, entry.space, entry.page.address(),
                  entry.other.address() + offset, entry.other_space, entry.other.address(),
                  by_leading ? "write" : "access", line.virtual_line().address, line.space()));
}

void ForwardBackward::set_lines(std::uint32_t index, std::uint32_t lines) {
  FbtEntry& entry = table_.at(index);
  if ((entry.lines == 0) != (lines == 0)) resident_ += lines != 0 ? 1 : -std::uint64_t{1};
  entry.lines = lines;
}

void ForwardBackward::left(const Message& message, Cycle now) {
  if (setup_.checker != nullptr) setup_.checker->left(message.line);
  if (const auto dropped = dropped_.find(key(message.line)); dropped != dropped_.end()) {
    // The host has flushed everything while this was on its way.
    write_back(message, dropped->second.frame, now);
    if (--dropped->second.lines == 0) dropped_.erase(dropped);
    probe_held(now);
    return;
  }
  const std::uint32_t index = find(message.line);
  HEDDLE_CHECK(index != kNone, "a line of the virtual L2 has no entry in the forward-backward table");
  const FbtEntry& entry = table_.at(index);
  set_lines(index, counts_ ? entry.lines - 1 : entry.lines & ~bit_of(message.line));
  write_back(message, entry.frame, now);
  if (counts_ && entry.lines == 0 && entry.state == FbtState::leaving) tell_l1s(index, now);
  if (p_.free_empty && entry.lines == 0 && entry.state == FbtState::open && entry.quiet()) close(index, now);
}

/// What was dirty of a line that has left goes to memory.
void ForwardBackward::write_back(const Message& message, PhysFrame frame, Cycle now) {
  if (message.units == 0) {
    command(message.slice, {.kind = Command::Kind::credit}, now);
  } else {
    ++counters_.writebacks;
    const memory::PhysLine at{frame.address() + offset_of(message.line.virtual_line().address)};
    if (setup_.checker != nullptr) {
      setup_.checker->store(at, message.units, setup_.checker->at(message.record).versions);
      setup_.checker->close(message.record);
    }
    next_write_ = (next_write_ + 1) & ~kWriteBack;
    memory::DramRequest request;
    request.token = next_write_ | kWriteBack;
    request.application = message.line.space();
    request.write = true;
    writing_[next_write_] = {setup_.channels->transfer(at, message.units, request, setup_.asker, now), message.slice};
  }
}

void ForwardBackward::filled(const Message& message, Cycle now) {
  const std::uint32_t index = find(message.line);
  HEDDLE_CHECK(index != kNone, "a line came to the virtual L2 without an entry in the forward-backward table");
  FbtEntry& entry = table_.at(index);
  --entry.fetches;
  if (const auto found = pending_.find(message.line.bits()); --found->second == 0) pending_.erase(found);
  if (message.kept && counts_) set_lines(index, entry.lines + (message.is_new ? 1 : 0));
  if (message.kept && !counts_) set_lines(index, entry.lines | bit_of(message.line));
  probe_held(now);
  advance(index, now);
}

void ForwardBackward::command(std::uint16_t slice, Command command, Cycle now) {
  command.arrival = now + setup_.slices->latency();
  setup_.slices->commands(slice).send(command);
}

std::optional<Mapping> ForwardBackward::find(SpaceId space, VirtPage page) {
  const VirtPage first = first_page(page, granule_);
  const std::uint32_t index = table_.find(space, first);
  if (index == kNone || table_.at(index).state != FbtState::open) return std::nullopt;
  return Mapping{first, table_.at(index).frame, granule_, table_.at(index).writable};
}

void ForwardBackward::retry(WalkJob job, Cycle now) {
  if (job.write) {
    const auto found = denied_.find(whole_key(job.space->id(), job.page));
    const std::vector<std::uint32_t> jobs = found == denied_.end() ? std::vector<std::uint32_t>{} : found->second;
    if (found != denied_.end()) denied_.erase(found);
    for (const std::uint32_t each : jobs) translate(each, now);
  } else {
    pipeline_.retry(job, now);
  }
  wake_by(now);
}

void ForwardBackward::sample(Cycle now) {
  const Cycle number = now / p_.window;
  if (number == sampled_at_) return;
  counters_.samples += number - sampled_at_;
  counters_.resident_pages += resident_ * (number - sampled_at_);
  counters_.most_resident.at_least(resident_);
  sampled_at_ = number;
}

std::string ForwardBackward::describe() const {
  std::string text = pipeline_.describe();
  text += fmt::format("forward-backward table: {} operations, {} entries on their way out that somebody waits for\n",
                      port_.size(), waiting_.size());
  text += fmt::format(
      "  {} pages held back, {} with writes that wait for the host, {} lines asked of the L2 for the "
      "host, {} of its requests held, {} shootdowns\n",
      kept_back_.size(), denied_.size(), probing_.size(), held_.size(), acknowledgements_.size());
  for (std::uint32_t index = 0; index < table_.size(); ++index) {
    const FbtEntry& entry = table_.at(index);
    if (entry.state == FbtState::free || entry.state == FbtState::open) continue;
    text += fmt::format("  page {:#x}: state {}, {} fetches, {} holds, {} replays, {} answers to come\n",
                        entry.page.address(), static_cast<int>(entry.state), entry.fetches, entry.holds, entry.replays,
                        entry.answers);
  }
  return text;
}

namespace {

[[maybe_unused]] const bool kForwardBackwardRegistered = SharedTranslations::instance().add<ForwardBackward>(
    "forward-backward", "Behind a virtual L2: an IOMMU with a forward-backward table of the pages that caches hold.");

}  // namespace

}  // namespace heddle::vm
