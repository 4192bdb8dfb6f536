// What the host does beside a virtual L2 (Yoon et al., section 4.1): coherence requests by physical address, which the
// backward side filters, and shootdowns of a page or of everything. Mappings stay as they are.
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
  const std::uint64_t number = next_acknowledgement_++;
  Acknowledgement& acknowledgement = acknowledgements_[number];
  acknowledgement = {request.began, 1};
  ++shootdowns_;
  const auto close_one = [&](std::uint32_t index) {
    ++acknowledgement.entries;
    awaited_[index].push_back(number);
    if (table_.at(index).state == FbtState::open) close(index, now);
  };
  if (request.operation == HostOperation::flush) {
    ++counters_.flushes;
    pipeline_.flush();
    for (std::uint32_t index = 0; index < table_.size(); ++index) {
      if (table_.at(index).state != FbtState::free) close_one(index);
    }
  } else {
    ++counters_.shootdowns;
    pipeline_.forget(request.space, request.page);
    // A page that is no leading page has nothing cached under its name.
    if (const std::uint32_t index = table_.find(request.space, request.page); index != kNone) {
      ++counters_.shootdown_hits;
      close_one(index);
    }
  }
  awaited_[kNone].push_back(number);
  settle(kNone, now);
}

void ForwardBackward::settle(std::uint32_t index, Cycle now) {
  const auto found = awaited_.find(index);
  if (found == awaited_.end()) return;
  const std::vector<std::uint64_t> numbers = std::move(found->second);
  awaited_.erase(found);
  for (const std::uint64_t number : numbers) {
    const auto waiting = acknowledgements_.find(number);
    if (--waiting->second.entries != 0) continue;
    counters_.shootdown_latency += now - waiting->second.began;
    acknowledgements_.erase(waiting);
  }
}

/// The host wants a line of physical memory for itself.
void ForwardBackward::probe_line(const HostRequest& request, Cycle now) {
  const std::uint32_t index = table_.find(PhysFrame{request.line.address >> kPageBits});
  const LineTag line = index == kNone ? LineTag{}
                                      : LineTag({table_.at(index).page.address() + request.line.address % kPageBytes},
                                                table_.at(index).space);
  // Its fill is under way, another request of the host is, or it is leaving by itself: a little later.
  if (index != kNone && (pending_.contains(line.bits()) || probing_.contains(line.bits()) ||
                         table_.at(index).state >= FbtState::leaving)) {
    held_.push_back(request);
    return;
  }
  if (index == kNone || (table_.at(index).lines & bit_of(line)) == 0) {
    ++counters_.probes_filtered;
    counters_.probe_latency += now - request.began;
    return;
  }
  ++table_.at(index).fetches;
  probing_[line.bits()] = {request, {}};
  command(static_cast<std::uint16_t>(setup_.map.slice(line)), {.kind = Command::Kind::probe, .line = line}, now);
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
  counters_.probe_latency += now - done.request.began;
  const std::uint32_t index = find(message.line);
  --table_.at(index).fetches;
  for (const std::uint32_t job : done.jobs) serve(job, index, now);
  probe_held(now);
  advance(index, now);
}

}  // namespace heddle::vm
