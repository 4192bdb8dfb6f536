#include "core/profiler.h"

#include <bit>
#include <numeric>

namespace heddle::core {

std::uint64_t InstructionProfile::all_slots() const {
  return std::accumulate(slots.begin(), slots.end(), std::uint64_t{0});
}

void InstructionProfile::add(const InstructionProfile& other) {
  for (std::size_t s = 0; s < slots.size(); ++s) slots[s] += other.slots[s];
  executions += other.executions;
  threads += other.threads;
  accesses += other.accesses;
  lines += other.lines;
  pages += other.pages;
  l1_reads += other.l1_reads;
  l1_hits += other.l1_hits;
  tlb_lookups += other.tlb_lookups;
  tlb_hits += other.tlb_hits;
  loads += other.loads;
  load_latency += other.load_latency;
  shared_conflicts += other.shared_conflicts;
}

void Profile::add(const Profile& other) {
  for (const auto& [kernel, instructions] : other.kernels) {
    for (const auto& [pc, counts] : instructions) kernels[kernel][pc].add(counts);
  }
  for (std::size_t s = 0; s < unplaced.size(); ++s) unplaced[s] += other.unplaced[s];
}

void Profiler::started(unsigned warp, const KernelInstance& kernel) {
  const Profile::KernelKey key{kernel.code_id, kernel.name};
  Table* table = nullptr;
  for (Table& each : tables_) {
    if (each.kernel == key) table = &each;
  }
  if (table == nullptr) {
    table = &tables_.emplace_back();
    table->kernel = key;
    table->index.assign(kernel.timed->size(), kUnseen);
  }
  contexts_[warp] = {};
  contexts_[warp].table = table;
}

InstructionProfile& Profiler::at(unsigned warp, std::uint32_t pc) {
  Table& table = *contexts_[warp].table;
  std::uint32_t& index = table.index[pc];
  if (index == kUnseen) {
    index = static_cast<std::uint32_t>(table.counts.size());
    table.counts.emplace_back();
    table.instruction.push_back(pc);
  }
  return table.counts[index];
}

void Profiler::issued(unsigned warp, std::uint32_t pc, const RegisterSet& writes, unsigned lanes) {
  Context& context = contexts_[warp];
  InstructionProfile& counts = at(warp, pc);
  ++counts.executions;
  counts.threads += lanes;
  context.last = &counts;
  ++order_;
  for (std::size_t word = 0; word < writes.words.size(); ++word) {
    for (std::uint64_t left = writes.words[word]; left != 0; left &= left - 1)
      context.writers[word * 64 + static_cast<std::size_t>(std::countr_zero(left))] = {&counts, order_};
  }
  const unsigned scheduler = warp % schedulers_;
  latest_[scheduler] = &counts;
  if (issued_[scheduler] == nullptr) issued_[scheduler] = &counts;
}

void Profiler::took_slot(unsigned scheduler) {
  blamed_[scheduler].clear();
  InstructionProfile* const who = issued_[scheduler] != nullptr ? issued_[scheduler] : latest_[scheduler];
  if (who != nullptr) blamed_[scheduler].push_back(who);
  issued_[scheduler] = nullptr;
}

void Profiler::blame_writer(unsigned scheduler, unsigned warp, const RegisterSet& waited) {
  const Context& context = contexts_[warp];
  const Writer* first = nullptr;
  for (std::size_t word = 0; word < waited.words.size(); ++word) {
    for (std::uint64_t left = waited.words[word]; left != 0; left &= left - 1) {
      const Writer& writer = context.writers[word * 64 + static_cast<std::size_t>(std::countr_zero(left))];
      if (writer.at != nullptr && (first == nullptr || writer.order < first->order)) first = &writer;
    }
  }
  if (first != nullptr) blamed_[scheduler].push_back(first->at);
}

void Profiler::blame_last(unsigned scheduler, unsigned warp) {
  if (contexts_[warp].last != nullptr) blamed_[scheduler].push_back(contexts_[warp].last);
}

void Profiler::passed(unsigned scheduler, Slot slot, sim::Cycle cycles) {
  const auto reason = static_cast<std::size_t>(slot);
  const std::vector<InstructionProfile*>& blamed = blamed_[scheduler];
  if (blamed.empty()) {
    unplaced_[reason] += cycles;
    return;
  }
  const std::uint64_t each = cycles / blamed.size();
  const std::uint64_t rest = cycles % blamed.size();
  for (std::size_t i = 0; i < blamed.size(); ++i)
    blamed[(i + turn_[scheduler]) % blamed.size()]->slots[reason] += each + (i < rest ? 1 : 0);
  turn_[scheduler] += rest;
}

void Profiler::accessed(unsigned warp, std::uint32_t pc, std::size_t lines, unsigned pages) {
  InstructionProfile& counts = at(warp, pc);
  ++counts.accesses;
  counts.lines += lines;
  counts.pages += pages;
}

void Profiler::looked_up_l1(const MemoryInstruction& instruction, bool hit) {
  InstructionProfile& counts = at(instruction.warp, instruction.pc);
  ++counts.l1_reads;
  if (hit) ++counts.l1_hits;
}

void Profiler::loaded(unsigned warp, std::uint32_t pc, sim::Cycle latency) {
  InstructionProfile& counts = at(warp, pc);
  ++counts.loads;
  counts.load_latency += latency;
}

void Profiler::tlb(const TlbLookup& lookup) {
  const MemoryInstruction& instruction = instructions_->at(lookup.instruction);
  InstructionProfile& counts = at(instruction.warp, instruction.pc);
  ++counts.tlb_lookups;
  if (lookup.hit) ++counts.tlb_hits;
}

void Profiler::add_to(Profile& profile) const {
  for (const Table& table : tables_) {
    auto& kernel = profile.kernels[table.kernel];
    for (std::size_t i = 0; i < table.counts.size(); ++i) kernel[table.instruction[i]].add(table.counts[i]);
  }
  for (std::size_t s = 0; s < unplaced_.size(); ++s) profile.unplaced[s] += unplaced_[s];
}

}  // namespace heddle::core
