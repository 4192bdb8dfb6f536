// What the host does beside a virtual L2 (Yoon et al., section 4.1): coherence requests by physical address, which the
// backward side filters, and shootdowns of a page or of everything. Pages change elsewhere (vm/page_changes.h), which
// needs pages held back and shot down.
#include <algorithm>

#include "vm/forward_backward.h"

namespace heddle::vm {

using memory::LineTag;
using sim::Cycle;

void ForwardBackward::take_host(Cycle now) {
  while (host_.next() <= now) {
    HostRequest request;
    request.began = now;
    if (!choose(host_.take(now), request)) continue;
    host_requests_.push_back(request);
    pass_port({.host = true}, now);
  }
}

/// Which line or page is meant: that of an address or, at random, of an entry of the table or of any frame. False if
/// there is none.
bool ForwardBackward::choose(const HostTraffic::Planned& planned, HostRequest& request) {
  constexpr std::uint64_t kAnywhere = 4;  // every fourth line may be one that nobody has
  request.operation = planned.operation;
  if (planned.operation == HostOperation::flush) return true;
  if (!planned.random) {
    const VirtPage page = vm::page_of(planned.address);
    request.change = {.operation = planned.operation, .page = page, .target = vm::page_of(planned.target)};
    if (planned.operation >= HostOperation::move) return true;
    const auto mapping = setup_.memory.space(0).find(page);
    if (!mapping) return false;
    request.page = page;
    request.line = {mapping->frame_of(page).address() +
                    planned.address % kPageBytes / setup_.line_bytes * setup_.line_bytes};
    return true;
  }
  const std::uint64_t offset = planned.number / 64 % (kPageBytes / setup_.line_bytes) * setup_.line_bytes;
  const auto start = static_cast<std::uint32_t>(planned.number / 4096 % table_.size());
  for (std::uint32_t i = 0; i < table_.size(); ++i) {
    const FbtEntry& entry = table_.at((start + i) % static_cast<std::uint32_t>(table_.size()));
    if (entry.state == FbtState::free) continue;
    request.space = entry.space;
    request.page = entry.page;
    request.line = {entry.frame.address() + offset};
    if (planned.operation >= HostOperation::move) {
      const std::uint64_t second = (start + planned.number / 65536) % table_.size();
      const FbtEntry& other = table_.at(static_cast<std::uint32_t>(second));
      request.change = {planned.operation, entry.space, entry.page, other.space, other.page, true, planned.number / 64};
      return planned.operation != HostOperation::remap || other.state != FbtState::free;
    }
    if (planned.number % kAnywhere == 0) {
      const std::uint64_t frames = std::max<std::uint64_t>(setup_.memory.memory().used_frames(), 1);
      request.line = {((start % frames + 1) << kPageBits) + offset};
    }
    return true;
  }
  return false;
}

void ForwardBackward::perform_host(const HostRequest& request, Cycle now) {
  if (request.operation == HostOperation::read || request.operation == HostOperation::write) {
    ++counters_.probes;
    probe_line(request, now);
    return;
  }
  if (request.operation >= HostOperation::move) {
    changes_.push_back(request.change);
    return;
  }
  const std::uint64_t number = next_acknowledgement_++;
  Acknowledgement& acknowledgement = acknowledgements_[number];
  acknowledgement = {request.began, 1, request.space, std::nullopt, request.id};
  ++shootdowns_;
  const auto close_one = [&](std::uint32_t index) {
    ++acknowledgement.entries;
    awaited_[index].push_back(number);
    if (table_.at(index).state == FbtState::open) close(index, now);
  };
  if (request.operation == HostOperation::flush) {
    ++counters_.flushes;
    flushed_ = shootdowns_;
    pipeline_.flush();
    for (std::uint32_t index = 0; index < table_.size(); ++index) {
      if (table_.at(index).state != FbtState::free) close_one(index);
    }
  } else {
    ++counters_.shootdowns;
    shot_[whole_key(request.space, request.page)] = shootdowns_;
    pipeline_.forget(request.space, request.page);
    acknowledgement.page = first_page(request.page, page_size_);
    // A page that is no leading page has nothing cached under its name.
    bool hit = false;
    const std::uint64_t first = acknowledgement.page->number;
    for (std::uint64_t part = 0; part < pages_in(page_size_); part += pages_in(granule_)) {
      const std::uint32_t index = table_.find(request.space, VirtPage{first + part});
      if (index == kNone) continue;
      hit = true;
      close_one(index);
    }
    if (hit) ++counters_.shootdown_hits;
  }
  // What is under way to other names than its own has been translated by what is forgotten now.
  awaited_synonyms_.emplace_back(number, synonyms_.end_generation());
  settle_synonyms(now);
}

void ForwardBackward::settle_synonyms(Cycle now) {
  if (awaited_synonyms_.empty()) return;
  std::vector<std::uint64_t> ended;
  std::erase_if(awaited_synonyms_, [&](const auto& waiting) {
    if (!synonyms_.has_ended(waiting.second)) return false;
    ended.push_back(waiting.first);
    return true;
  });
  for (const std::uint64_t number : ended) {
    const Acknowledgement& waiting = acknowledgements_.at(number);
    if (!setup_.tells_synonyms || !waiting.page) {
      settle_one(number, now);
      continue;
    }
    // Nobody is told of the page's old meaning any more: who has been must forget it.
    const std::uint32_t id = kNamesOfPage | (next_names_++ & ~kNamesOfPage);
    asked_names_[id] = {number, setup_.index};
    forget_names(waiting.space, *waiting.page, page_size_, id, now);
  }
}

void ForwardBackward::settle_one(std::uint64_t number, Cycle now) {
  const auto waiting = acknowledgements_.find(number);
  if (--waiting->second.entries != 0) return;
  const Acknowledgement& done = waiting->second;
  counters_.shootdown_latency += now - done.began;
  if (done.id) acknowledged_.push_back(*done.id);
  if (setup_.checker != nullptr && done.page) {
    for (std::uint64_t i = 0; i < pages_in(page_size_); ++i)
      setup_.checker->forgets(done.space, done.page->number + i, now);
  }
  acknowledgements_.erase(waiting);
}

void ForwardBackward::settle(std::uint32_t index, Cycle now) {
  const auto found = awaited_.find(index);
  if (found == awaited_.end()) return;
  const std::vector<std::uint64_t> numbers = std::move(found->second);
  awaited_.erase(found);
  for (const std::uint64_t number : numbers) settle_one(number, now);
}

/// The host wants a line of physical memory for itself.
void ForwardBackward::probe_line(const HostRequest& request, Cycle now) {
  const PhysFrame frame{request.line.address >> kPageBits >> order_of(granule_) << order_of(granule_)};
  const std::uint32_t index = table_.find(frame);
  const LineTag line = index == kNone ? LineTag{}
                                      : LineTag({table_.at(index).page.address() + offset_of(request.line.address)},
                                                table_.at(index).space);
  // Its fill is under way, another request of the host is, or it is leaving by itself: a little later.
  if (has_leaving(frame)) {
    held_.push_back(request);
    return;
  }
  if (index != kNone && (pending_.contains(line.bits()) || probing_.contains(line.bits()) ||
                         table_.at(index).state >= FbtState::leaving)) {
    held_.push_back(request);
    return;
  }
  if (index == kNone || !may_have(table_.at(index), line)) {
    ++counters_.probes_filtered;
    end_probe(request, now);
    return;
  }
  ++table_.at(index).fetches;
  probing_[line.bits()] = {request, {}};
  command(static_cast<std::uint16_t>(setup_.map.slice(line)), {.kind = Command::Kind::probe, .line = line}, now);
}

/// No cache of the GPU has the line, and memory has what was written: the host's turn.
void ForwardBackward::end_probe(const HostRequest& request, Cycle now) {
  counters_.probe_latency += now - request.began;
  if (request.operation != HostOperation::write || setup_.checker == nullptr) return;
  setup_.checker->host_writes(request.line, (1u << setup_.line_bytes / memory::kSectorUnit) - 1, now);
}

/// Whether lines of the frame may be on their way out that the table has forgotten.
bool ForwardBackward::has_leaving(PhysFrame frame) const {
  return std::any_of(dropped_.begin(), dropped_.end(), [&](const auto& page) { return page.second.frame == frame; });
}

void ForwardBackward::hold(SpaceId space, VirtPage page, Cycle now) {
  kept_back_.insert(whole_key(space, page));
  std::vector<IommuPipeline::Job> back;
  pipeline_.take_back(space, page, back);
  for (const IommuPipeline::Job& job : back) tell_to_wait(job.token, now);
  if (const auto found = denied_.find(whole_key(space, page)); found != denied_.end()) {
    const std::vector<std::uint32_t> jobs = std::move(found->second);
    denied_.erase(found);
    for (const std::uint32_t job : jobs) tell_to_wait(job, now);
  }
}

void ForwardBackward::shoot(SpaceId space, VirtPage page, std::uint64_t id, Cycle now) {
  host_requests_.push_back(
      {.operation = HostOperation::shootdown, .space = space, .page = page, .began = now, .id = id});
  pass_port({.host = true}, now);
  wake_by(now);
}

void ForwardBackward::release(SpaceId space, VirtPage page, Cycle now) {
  kept_back_.erase(whole_key(space, page));
  let_go(space, first_page(page, page_size_), page_size_, now);
  wake_by(now);
}

/// Of pages that the host changes no walk is waited for.
void ForwardBackward::send_back_held(Cycle now, std::size_t first_fault) {
  std::vector<IommuPipeline::Job> back;
  for (std::size_t f = first_fault; f < faults_.size(); ++f) {
    const WalkJob& fault = faults_[f];
    if (!fault.write && kept_back_.contains(whole_key(fault.space->id(), fault.page)))
      pipeline_.take_back(fault.space->id(), fault.page, back);
  }
  for (const IommuPipeline::Job& job : back) tell_to_wait(job.token, now);
}

void ForwardBackward::probe_held(Cycle now) {
  if (held_.empty()) return;
  const std::vector<HostRequest> held = std::move(held_);
  held_.clear();
  for (const HostRequest& request : held) probe_line(request, now);
}

/// The L2 does not have the line any more, and what was dirty of it is in memory.
void ForwardBackward::probed(const Message& message, Cycle now) {
  const auto found = probing_.find(message.line.bits());
  const Probed done = std::move(found->second);
  probing_.erase(found);
  end_probe(done.request, now);
  const std::uint32_t index = find(message.line);
  --table_.at(index).fetches;
  for (const std::uint32_t job : done.jobs) serve(job, index, now);
  probe_held(now);
  advance(index, now);
}

}  // namespace heddle::vm
