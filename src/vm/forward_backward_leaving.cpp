// Entries of the forward-backward table on their way out (Yoon et al., section 4.1, eviction and shootdown): what is
// under way ends, the L2 gives up its lines, then the L1s are told.
#include <bit>
#include <map>
#include <utility>

#include "vm/forward_backward.h"

namespace heddle::vm {

using memory::LineTag;
using sim::Cycle;

void ForwardBackward::close(std::uint32_t index, Cycle now) {
  FbtEntry& entry = table_.at(index);
  if (entry.state == FbtState::open) {
    entry.state = FbtState::draining;
    ++going_;
    entry.asks_names = setup_.tells_synonyms && entry.synonym;
  }
  // Those of the page that wait for a walk are served as long as the entry is there.
  std::vector<IommuPipeline::Job> back;
  pipeline_.take_back(entry.space, entry.page, back);
  for (const IommuPipeline::Job& job : back) {
    if (page_of(jobs_[job.token].message.line) == entry.page) {
      pass_port({.job = job.token, .by_page = true}, now);
    } else {
      translate(job.token, now);  // of a larger page, another part of it
    }
  }
  advance(index, now);
}

void ForwardBackward::advance(std::uint32_t index, Cycle now) {
  FbtEntry& entry = table_.at(index);
  // A slice has told SMs of a synonym when it has sent its accesses on: what is sent to them now comes after that.
  if (entry.state == FbtState::draining && entry.asks_names && entry.holds == 0) {
    entry.asks_names = false;
    entry.names = setup_.index;
    forget_names(entry.space, entry.page, granule_, index, now);
  }
  const bool named = entry.asks_names || entry.names != 0;
  if (entry.state == FbtState::draining && entry.holds == 0 && entry.replays == 0 && !named)
    entry.state = FbtState::locked;
  if (entry.state == FbtState::locked && entry.fetches == 0) give_up_lines(index, now);
}

void ForwardBackward::give_up_lines(std::uint32_t index, Cycle now) {
  FbtEntry& entry = table_.at(index);
  entry.state = FbtState::leaving;
  const LineTag page(memory::VirtLine{entry.page.address()}, entry.space);
  if (counts_) {
    if (entry.lines == 0) return tell_l1s(index, now);
    ++counters_.sweeps;
    counters_.invalidated += entry.lines;
    for (std::size_t slice = 0; slice < setup_.slices->slices(); ++slice) {
      command(static_cast<std::uint16_t>(slice),
              {.kind = Command::Kind::sweep, .line = page, .bits = kPageBits + order_of(granule_)}, now);
    }
    return;
  }
  std::map<std::uint32_t, std::uint32_t> by_slice;
  for (std::uint32_t left = entry.lines; left != 0; left &= left - 1) {
    const auto line = static_cast<unsigned>(std::countr_zero(left));
    const LineTag tag(memory::VirtLine{entry.page.address() + std::uint64_t{line} * setup_.line_bytes}, entry.space);
    by_slice[setup_.map.slice(tag)] |= 1u << line;
  }
  counters_.invalidated += static_cast<unsigned>(std::popcount(entry.lines));
  entry.answers = static_cast<std::uint32_t>(by_slice.size());
  for (const auto& [slice, lines] : by_slice) {
    command(static_cast<std::uint16_t>(slice),
            {.kind = Command::Kind::invalidate, .line = page, .bits = lines, .token = index}, now);
  }
  if (by_slice.empty()) tell_l1s(index, now);
}

void ForwardBackward::forget_names(SpaceId space, VirtPage page, PageSize size, std::uint32_t id, Cycle now) {
  memory::Probe probe;
  probe.kind = memory::Probe::Kind::names;
  probe.page_bits = static_cast<std::uint8_t>(kPageBits + order_of(size));
  probe.line = LineTag(memory::VirtLine{page.address()}, space);
  probe.answer_to = &setup_.slices->probe_answers();
  probe.id = id;
  probe.asker = setup_.index;
  probe.arrival = now + setup_.network.parameters().latency;
  for (unsigned sm = 0; sm < setup_.index; ++sm) setup_.network.probes(sm).send(probe);
}

void ForwardBackward::tell_l1s(std::uint32_t index, Cycle now) {
  FbtEntry& entry = table_.at(index);
  entry.state = FbtState::notified;
  set_lines(index, 0);
  entry.answers = setup_.index;
  counters_.page_probes += setup_.index;
  memory::Probe probe;
  probe.kind = memory::Probe::Kind::page;
  probe.page_bits = static_cast<std::uint8_t>(kPageBits + order_of(granule_));
  probe.line = LineTag(memory::VirtLine{entry.page.address()}, entry.space);
  probe.answer_to = &setup_.slices->probe_answers();
  probe.id = index;
  probe.asker = setup_.index;
  probe.arrival = now + setup_.network.parameters().latency;
  for (unsigned sm = 0; sm < setup_.index; ++sm) setup_.network.probes(sm).send(probe);
}

void ForwardBackward::remove_entry(std::uint32_t index) {
  if (setup_.checker != nullptr) {
    const FbtEntry& entry = table_.at(index);
    for (std::uint64_t i = 0; i < pages_in(granule_); ++i)
      setup_.checker->leads_no_more(entry.space, entry.page.number + i);
  }
  table_.remove(index);
}

void ForwardBackward::free_entry(std::uint32_t index, Cycle now) {
  const FbtEntry gone = table_.at(index);
  --going_;
  remove_entry(index);
  for (const LineTag line : std::exchange(sent_away_, {})) {
    if (!is_held(line)) let_go(line.space(), page_of(line), granule_, now);
  }
  if (!is_held(LineTag(memory::VirtLine{gone.page.address()}, gone.space)))
    let_go(gone.space, gone.page, granule_, now);
  settle(index, now);
  probe_held(now);
  const auto found = waiting_.find(index);
  if (found == waiting_.end()) return;
  const std::vector<std::uint32_t> jobs = std::move(found->second);
  waiting_.erase(found);
  for (const std::uint32_t job : jobs) translate(job, now);
}

void ForwardBackward::flush() {
  flushed_ = ++shootdowns_;
  pipeline_.flush();
  for (std::uint32_t index = 0; index < table_.size(); ++index) {
    FbtEntry& entry = table_.at(index);
    if (entry.state != FbtState::open) continue;
    if (!entry.quiet() || (setup_.tells_synonyms && entry.synonym)) {
      close(index, clock_);
      continue;
    }
    const LineTag page(memory::VirtLine{entry.page.address()}, entry.space);
    std::uint32_t left = entry.lines;
    if (counts_) {
      const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << kPageBytes / setup_.line_bytes) - 1);
      for (std::uint64_t at = 0; at < granule_bytes_; at += kPageBytes) {
        const LineTag part(memory::VirtLine{entry.page.address() + at}, entry.space);
        left -= static_cast<unsigned>(std::popcount(setup_.drop_page(part, all, {entry.frame.address() + at})));
      }
    } else {
      left = static_cast<unsigned>(std::popcount(left & ~setup_.drop_page(page, left, {entry.frame.address()})));
    }
    if (left != 0) dropped_[key(page)] = {entry.frame, left};
    set_lines(index, 0);
    remove_entry(index);
    settle(index, clock_);
  }
  wake_by(clock_);
}

}  // namespace heddle::vm
