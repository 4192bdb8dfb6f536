#include "gpu/gpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/diagnostics.h"
#include "core/addresses.h"
#include "core/sm.h"
#include "exec/fault.h"
#include "exec/grid.h"
#include "gpu/dispatcher.h"
#include "vm/managed_memory.h"
#include "vm/shared_translation.h"

namespace heddle::gpu {

using sim::Cycle;

Gpu::Gpu(const GpuParameters& parameters, unsigned threads, unsigned applications, bool profiles)
    : parameters_(parameters),
      exchange_(std::max(threads, 1u)),
      checker_(parameters.check_lines ? std::make_unique<memory::LineChecker>() : nullptr),
      map_(parameters.memory, memory::MemorySystem::slices(parameters.memory, parameters.l2), applications),
      board_({parameters.sms, map_.partitions(), applications}, parameters.sharing.epoch),
      network_(parameters.network, exchange_,
               {.sms = parameters.sms,
                .partitions = map_.partitions(),
                .others = parameters.shares_mmu() ? 1u : 0u,
                .core_mhz = parameters.core_mhz}),
      instructions_of_(applications),
      watchdog_(parameters.watchdog) {
  parameters.check();
  make_translation(applications);
  make_managed();
  const Cycle to_shared = parameters.mmu.latency / 2;
  for (unsigned s = 0; s < parameters.sms; ++s) {
    sms_.push_back(std::make_unique<core::Sm>(
        core::Sm::Setup{parameters.sm, map_, network_, statistics_, memory_.get(), translations_.get(), to_shared,
                        static_cast<std::uint16_t>(s), checker_.get(), applications, parameters.mmu.per_sm,
                        parameters.divergence(), &board_, profiles, managed_.get()}));
  }
  memory_system_ = std::make_unique<memory::MemorySystem>(memory::MemorySystem::Setup{
      parameters.memory, parameters.l2, parameters.dram, map_, exchange_, network_, statistics_,
      static_cast<double>(parameters.core_mhz), &memory::perform_atomic, applications, checker_.get(),
      table_network_.get(),
      parameters.shares_mmu() ? std::vector{&network_.sm_bell(parameters.sms)} : std::vector<sim::Bell*>{}, &board_});
  make_mmu(applications);
  std::vector<sim::Shard*> shards;
  for (auto& sm : sms_) shards.push_back(sm.get());
  for (sim::Shard* shard : memory_system_->shards()) shards.push_back(shard);
  if (mmu_) shards.push_back(mmu_.get());
  // Nothing may reach another shard within a quantum.
  quantum_ = std::max<Cycle>(1, network_.shortest());
  if (mmu_) quantum_ = std::min(quantum_, to_shared);
  if (parameters.l2.slices != 0) quantum_ = std::min<Cycle>(quantum_, parameters.l2.miss_latency / 2);
  engine_ = std::make_unique<sim::Engine>(std::move(shards), exchange_, quantum_);
  dispatcher_ = std::make_unique<Dispatcher>(parameters, sms_, applications, quantum_, statistics_);
  counters_.emplace(statistics_);
}

core::Profile Gpu::profile() const {
  core::Profile all;
  for (const auto& sm : sms_) sm->add_profile(all);
  return all;
}

void Gpu::make_translation(unsigned applications) {
  if (!parameters_.translates()) return;
  memory_ = std::make_unique<vm::VirtualMemory>(parameters_.vm, applications, checker_.get());
  if (parameters_.vm.flush_interval != 0) next_flush_ = parameters_.vm.flush_interval;
  if (parameters_.shares_mmu())
    translations_ = std::make_unique<vm::TranslationNetwork>(exchange_, network_, parameters_.sms);
  if (parameters_.sm.mmu.virtual_l2()) {
    table_network_ = std::make_unique<memory::TableNetwork>(exchange_, network_, parameters_.sms, map_.partitions(),
                                                            parameters_.mmu.latency / 2);
  }
  const auto retry = [this](const vm::WalkJob& job, std::uint16_t owner, Cycle now) {
    if (job.write) {
      page_changes_->allow(job, now);
    } else if (mmu_) {
      mmu_->retry(job, now);
    } else {
      sms_[owner]->retry_walk(job, now);
    }
  };
  faults_ = parameters_.vm.faults.handler.make(
      statistics_, "", vm::FaultHandler::Setup{parameters_.vm.faults, statistics_, retry, applications});
}

void Gpu::make_mmu(unsigned applications) {
  if (!translations_) return;
  if (parameters_.l2.slices != 0) mmu_channels_.emplace(memory_system_->channel_port());
  mmu_ = parameters_.mmu.kind.make(
      statistics_, "",
      vm::SharedTranslation::Setup{
          parameters_.mmu, *memory_, *translations_, network_, map_, statistics_,
          static_cast<std::uint16_t>(parameters_.sms.get()), parameters_.l2.line_bytes, applications,
          mmu_channels_ ? &*mmu_channels_ : nullptr, static_cast<std::uint16_t>(parameters_.l2.slices.get()),
          table_network_.get(), checker_.get(),
          [this](memory::LineTag page, std::uint32_t bits, memory::PhysLine frame) {
            return memory_system_->drop_page(page, bits, frame);
          },
          parameters_.sm.mmu.rw_synonyms.is("fault"), &board_, parameters_.sm.mmu.synonyms != 0});
  if (!table_network_) return;
  page_changes_ = std::make_unique<vm::PageChanges>(vm::PageChanges::Setup{
      *memory_, *mmu_, statistics_, checker_.get(), [this](vm::SpaceId space, vm::VirtPage page, vm::VirtPage target) {
        if (const auto& listener = remapped_[space]) listener(page, target);
      }});
}

void Gpu::make_managed() {
  if (!parameters_.managed.migrates) return;
  managed_ = std::make_unique<vm::ManagedMemory>(vm::ManagedMemory::Setup{
      parameters_.managed, statistics_, static_cast<double>(parameters_.core_mhz),
      [this](std::uint64_t bytes) { return parameters_.link.copy_ns(bytes); }, link_,
      [this](vm::SpaceId space, std::uint64_t address, std::uint64_t bytes) {
        host_wrote(space, address, bytes, true);
      },
      [this](vm::SpaceId space, std::uint64_t address, std::uint64_t bytes) { shoot_down(space, address, bytes); }});
}

void Gpu::serve_managed(Cycle end, const std::vector<unsigned>& reporting) {
  if (!managed_->in_use()) return;
  bool told = false;
  for (const unsigned s : reporting) {
    if (s >= sms_.size()) break;
    if (!sms_[s]->page_waits()->reports()) continue;
    sms_[s]->page_waits()->tell(end);
    told = true;
  }
  managed_->advance(end);
  const bool come = managed_->generation() != managed_seen_ || next_remote_ <= end;
  if (!come && !told) return;
  if (come) watchdog_.start(end);  // what has waited for this may go on from now
  managed_seen_ = managed_->generation();
  next_remote_ = sim::kNever;
  for (const auto& sm : sms_) {
    if (sm->page_waits()->empty()) continue;
    if (come) sm->let_pages_go(end);
    next_remote_ = std::min(next_remote_, sm->page_waits()->wakes_at());
  }
}

Cycle Gpu::managed_wakes_at() const { return std::min(managed_->wakes_at(), next_remote_); }

void Gpu::flush_tlbs() {
  if (!memory_) return;
  ++epoch_;
  for (auto& sm : sms_) sm->flush_translations(epoch_);
  if (mmu_) mmu_->flush();
}

void Gpu::flush_space(vm::SpaceId space) {
  if (!memory_) return;
  ++epoch_;
  for (auto& sm : sms_) sm->flush_translations(space, epoch_);
  if (mmu_) mmu_->flush_space(space);
}

void Gpu::flush_page(vm::SpaceId space, vm::VirtPage page) {
  if (!memory_) return;
  ++epoch_;
  for (auto& sm : sms_) sm->flush_translations(space, page, epoch_);
  if (mmu_) mmu_->flush_page(space, page);
}

void Gpu::flush_core(unsigned sm, vm::SpaceId space) {
  if (!memory_) return;
  ++epoch_;
  sms_[sm]->flush_translations(epoch_);
  if (mmu_) mmu_->flush_space(space);
}

void Gpu::change_roots() {
  for (unsigned s = 0; s < sms_.size(); ++s) {
    const auto old = sms_[s]->take_old_root();
    if (!old) continue;
    ++statistics_.root_changes;
    flush_core(s, *old);
  }
}

void Gpu::change_page(const vm::PageChange& wish, std::function<void()> done) {
  page_changes_->ask(wish, std::move(done), now_);
}

void Gpu::shoot_down(vm::SpaceId space, std::uint64_t address, std::uint64_t bytes) {
  if (!memory_) return;
  if (parameters_.vm.shootdown.is("all")) return flush_tlbs();
  if (parameters_.vm.shootdown.is("space")) return flush_space(space);
  const std::uint64_t step = vm::pages_in(parameters_.vm.page_size());
  const vm::VirtPage last = vm::page_of(address + bytes - 1);
  for (vm::VirtPage page = vm::first_page(vm::page_of(address), parameters_.vm.page_size()); page.number <= last.number;
       page.number += step)
    flush_page(space, page);
}

void Gpu::tell_written() {
  for (const std::uint64_t entry : memory_->take_written()) {
    if (mmu_) {
      mmu_->entry_written(entry);
    } else {
      for (auto& sm : sms_) sm->translation()->entry_written(entry);
    }
  }
}

void Gpu::check_table() {
  std::vector<memory::LineTag> l2;
  std::vector<memory::LineTag> l1;
  memory_system_->for_each_virtual([&](memory::LineTag line) { l2.push_back(line); });
  for (const auto& sm : sms_) sm->add_virtual_lines(l1);
  mmu_->check_caches(l2, l1);
}

void Gpu::translate(Cycle end, const std::vector<unsigned>& reporting) {
  for (const unsigned s : reporting) {
    if (s >= sms_.size()) break;
    if (std::vector<core::Touch>* touches = sms_[s]->touches(); touches != nullptr) {
      for (const core::Touch& touch : *touches) memory_->space(touch.space).touch(touch.page, touch.write);
      touches->clear();
    }
    if (sms_[s]->translation() == nullptr) continue;
    core::TranslationUnit& unit = *sms_[s]->translation();
    for (const vm::WalkJob& job : unit.faults())
      faults_->add(memory_->space(job.space->id()), job, static_cast<std::uint16_t>(s), end);
    unit.faults().clear();
    unit.count_located(
        [&](memory::LineTag line, std::uint32_t units) { return memory_system_->has(map_, line, units); });
  }
  if (mmu_) {
    mmu_->rethrow();
    for (const vm::WalkJob& job : mmu_->faults()) faults_->add(memory_->space(job.space->id()), job, 0, end);
    mmu_->faults().clear();
  }
  if (page_changes_) page_changes_->advance(end);
  faults_->advance(end);
  if (end >= next_flush_) {
    flush_tlbs();
    next_flush_ = end + parameters_.vm.flush_interval;
  }
}

Gpu::~Gpu() = default;

core::BlockTrace& Gpu::block_trace(unsigned sm) { return sms_[sm]->block_trace(); }

void Gpu::host_wrote(std::uint16_t application, std::uint64_t address, std::uint64_t bytes, bool copied) {
  if (!parameters_.l2.host_writes || memory_) return;
  // Code lies where it lies.
  const bool is_code = address >= core::kCodeBase;
  const memory::PhysLine first = is_code ? memory::PhysLine{address} : core::untranslated({address}, application);
  memory_system_->host_wrote(map_, first.address, bytes, application, copied);
}

void Gpu::submit(core::KernelInstance& kernel) {
  dispatcher_->submit(kernel);
  ++submissions_;
}

std::size_t Gpu::running() const { return dispatcher_->running(); }

void Gpu::retire(Cycle now) {
  if (dispatcher_->running() != 0) statistics_.cycles += now - counted_until_;
  counted_until_ = now;
  dispatcher_->retire([&](core::KernelInstance& kernel) {
    for (auto& sm : sms_) sm->forget(*kernel.launch, kernel.share);
    kernel.retired = true;
    instructions_of_[kernel.application] += kernel.share.instructions;
    // What its last stores and loads took since its last warp ended is a part of the drain.
    const Cycle waited = kernel.ended_at - std::min(kernel.exited_at, kernel.ended_at);
    kernel.ended_at += parameters_.launch.drain - std::min<Cycle>(waited, parameters_.launch.drain_overlap);
    ++statistics_.kernels;
  });
}

void Gpu::contain(const exec::ProgramFault& fault, Cycle now, WorkSource& source) {
  std::optional<std::uint16_t> application;
  dispatcher_->for_each([&](const core::KernelInstance& kernel) {
    if (kernel.launch->config.grid_id == fault.grid_id) application = kernel.application;
  });
  if (!application) return;
  bool is_new = false;
  dispatcher_->for_each([&](core::KernelInstance& kernel) {
    if (kernel.application != *application || std::find(failed_.begin(), failed_.end(), &kernel) != failed_.end())
      return;
    is_new = true;
    // Blocks that did not start never will, timed or not.
    const std::uint64_t all = kernel.launch->config.grid.count();
    kernel.blocks_done += all - kernel.next_block;
    kernel.next_block = kernel.blocks = all;
    failed_.push_back(&kernel);
    kernel.blocks_done += dispatcher_->forget(kernel);
    for (auto& sm : sms_) sm->stop_launch(kernel.launch->config.grid_id, now);
  });
  if (is_new) source.faulted(*application, fault);
}

void Gpu::drop_failed(Cycle now) {
  for (core::KernelInstance* kernel : failed_) {
    for (auto& sm : sms_) sm->drop_launch(*kernel, now);
  }
  std::erase_if(failed_, [](const core::KernelInstance* kernel) { return kernel->done(); });
  for (unsigned s = 0; s < sms_.size(); ++s) dispatcher_->changed(s);
  drops_at_ = now + quantum_;
}

std::uint64_t Gpu::running_applications() const {
  std::uint64_t running = 0;
  dispatcher_->for_each([&](const core::KernelInstance& kernel) { running |= std::uint64_t{1} << kernel.application; });
  return running;
}

std::uint64_t Gpu::instructions() const {
  std::uint64_t sum = 0;
  for (const auto& sm : sms_) sum += sm->statistics().instructions.value();
  return sum;
}

std::uint64_t Gpu::instructions_of(std::uint16_t application) const {
  std::uint64_t sum = instructions_of_[application];
  dispatcher_->for_each([&](const core::KernelInstance& kernel) {
    if (kernel.application != application) return;
    for (const auto& sm : sms_) sum += sm->instructions_of(*kernel.launch);
  });
  return sum;
}

void Gpu::check_limits() const {
  dispatcher_->for_each([&](const core::KernelInstance& kernel) {
    if (kernel.launch->config.instruction_limit == 0) return;
    std::uint64_t instructions = 0;
    const exec::ThreadBlock* block = nullptr;
    for (const auto& sm : sms_) {
      instructions += sm->instructions_of(*kernel.launch);
      if (block == nullptr) block = sm->block_of(*kernel.launch);
    }
    if (block != nullptr) exec::check_limit(*block, kernel.launch->warp_instructions + instructions);
  });
}

void Gpu::watch(bool on) {
  for (auto& sm : sms_) sm->watch(on);
}

std::optional<exec::EndlessWait> Gpu::only_waits() const {
  exec::EndlessWait waits;
  for (const auto& sm : sms_) {
    if (!sm->add_waiting(waits)) return std::nullopt;
  }
  return waits.warps != 0 ? std::optional(waits) : std::nullopt;
}

std::uint64_t Gpu::work_done() const {
  std::uint64_t sum = 0;
  for (const auto& sm : sms_) {
    const core::SmStatistics& s = sm->statistics();
    sum += s.instructions.value() + s.loads.value() + s.l1_reads.value() + s.stores.value() + s.atomics.value();
  }
  return sum;
}

void Gpu::check_progress(Cycle now) {
  const bool serves_fault = (faults_ && faults_->wakes_at() != sim::kNever) ||
                            (managed_ && (managed_->brings_pages() || next_remote_ != sim::kNever));
  if (!watchdog_.stuck(now, work_done(), dispatcher_->running() == 0 || serves_fault)) return;
  const unsigned flushes = parameters_.vm.flush_interval;
  throw UserError(fmt::format(
      "no progress: at cycle {} no instruction has been issued and no request of a program gone further for "
      "{} cycles (watchdog){}\n{}",
      now, parameters_.watchdog.get(),
      memory_ && flushes != 0
          ? fmt::format("; TLBs are flushed every {} cycles (vm.flush_interval), perhaps before any "
                        "walk can end",
                        flushes)
          : "",
      explain_stall()));
}

std::string Gpu::explain_stall() const {
  for (const auto& sm : sms_) sm->check_deadlock();
  std::string text;
  for (const auto& sm : sms_) {
    if (!sm->idle()) text += sm->describe();
  }
  if (mmu_) text += mmu_->describe();
  return text + memory_system_->describe();
}

void Gpu::serial_step(Cycle end, const std::vector<unsigned>& reporting, WorkSource& source) {
  if (checker_) {
    checker_->judge();
    checker_->set_time(end);
  }
  if (checker_ && table_network_) check_table();
  for (const unsigned s : reporting) {
    if (s >= sms_.size()) break;
    sms_[s]->serial_step(end);
    for (const exec::ProgramFault& fault : sms_[s]->take_faults()) contain(fault, end, source);
    dispatcher_->changed(s);
  }
  if (!failed_.empty()) drop_failed(end);
  if (memory_) translate(end, reporting);
  if (std::exchange(stop_dispatch_, false)) dispatcher_->cut();
  retire(end);
  if (dispatcher_->running() == 0) watchdog_.start(end);
  source.advance(end);
  if (managed_) serve_managed(end, reporting);
  dispatcher_->dispatch(end);
  if (board_.in_use()) board_.publish(end, running_applications());
  next_move_ = dispatcher_->rearrange(end);
  if (parameters_.sm.mmu.one_root) change_roots();
  if (memory_) tell_written();
  // Last, so that atomics find every store of the quantum.
  for (const unsigned s : reporting) {
    if (s >= sms_.size() && s < sms_.size() + memory_system_->slices())
      memory_system_->perform_atomics(s - sms_.size());
  }
}

void Gpu::run(WorkSource& source, const std::function<bool(Cycle)>& go_on) {
  sim::Engine::Hooks hooks;
  hooks.serial = [&](Cycle end, const std::vector<unsigned>& reporting) { serial_step(end, reporting, source); };
  hooks.wakes_at = [&] {
    Cycle next = std::min({source.wakes_at(), next_move_, dispatcher_->wakes_at()});
    if (!failed_.empty()) next = std::min(next, drops_at_);
    if (managed_) next = std::min(next, managed_wakes_at());
    return faults_ ? std::min(next, faults_->wakes_at()) : next;
  };
  hooks.finished = [&](Cycle now) {
    if (sample_every_ != 0 && now - sampled_ >= sample_every_) [[unlikely]] {
      sampled_ = now;
      sample_(now);
    }
    constexpr Cycle kAskEvery = 2000;
    if (now - asked_ >= kAskEvery) {
      asked_ = now;
      check_limits();
      check_progress(now);
      if (go_on && !go_on(now)) throw exec::Stopped();
    }
    return source.finished();
  };
  hooks.explain_stall = [this] { return explain_stall(); };
  counted_until_ = now_;
  source.advance(now_);
  if (source.finished()) return;
  if (managed_) serve_managed(now_, {});
  dispatcher_->dispatch(now_);
  if (parameters_.sm.mmu.one_root) change_roots();
  if (memory_) tell_written();
  now_ = engine_->run(now_, hooks);
}

}  // namespace heddle::gpu
