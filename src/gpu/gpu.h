// A whole GPU: SMs, network, memory partitions, and the dispatcher that gives blocks to SMs.
//
// A work source (the runtime's streams) submits kernels; all that are submitted run side by side, up to the limit of
// the machine. The sharing policy says which SM gets whose blocks. Dispatch happens between quanta.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/block_trace.h"
#include "core/kernel.h"
#include "core/profile.h"
#include "exec/fault.h"
#include "exec/waiting.h"
#include "gpu/parameters.h"
#include "gpu/watchdog.h"
#include "memory/line_checker.h"
#include "memory/memory_system.h"
#include "sim/engine.h"
#include "vm/host_link.h"
#include "vm/page_changes.h"
#include "vm/translation_network.h"
#include "vm/virtual_memory.h"

namespace heddle::core {
class Sm;
}
namespace heddle::vm {
class ManagedMemory;
class SharedTranslation;
}  // namespace heddle::vm

namespace heddle::gpu {

class Dispatcher;

struct GpuStatistics : sim::StatisticGroup {
  GpuStatistics() : StatisticGroup("gpu") {}
  sim::Counter cycles{*this, "cycles", "core cycles", "Simulated time, while at least one kernel was running."};
  sim::Counter kernels{*this, "kernels", "kernels", "Kernels run to their end."};
  sim::Counter root_changes{*this, "root_changes", "times", "Times that an SM changed to another page table."};
};

/// Feeds a GPU with kernels while it runs.
class WorkSource {
 public:
  virtual ~WorkSource() = default;
  /// Time has come to `now`, between two quanta: kernels may have ended, more may be submitted.
  virtual void advance(sim::Cycle now) = 0;
  /// The next time at which advance() has something to do although no kernel ended; kNever if none.
  [[nodiscard]] virtual sim::Cycle wakes_at() const = 0;
  /// An application has done something wrong; its kernels end, those of others go on. Only where there are several.
  virtual void faulted(std::uint16_t /*application*/, const exec::ProgramFault& /*fault*/) {}
  /// Whether what the caller waits for has happened.
  [[nodiscard]] virtual bool finished() const = 0;
};

class Gpu {
 public:
  /// `profiles`: counts what every instruction costs.
  Gpu(const GpuParameters& parameters, unsigned threads, unsigned applications = 1, bool profiles = false);
  ~Gpu();
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;

  /// Queues a kernel. It must stay where it is until it has retired.
  void submit(core::KernelInstance& kernel);
  /// Simulates until the source has finished; kernels may then still be running. Throws exec::ProgramFault, and
  /// exec::Stopped when `go_on` returns false (asked every few thousand cycles).
  void run(WorkSource& source, const std::function<bool(sim::Cycle)>& go_on);
  /// Calls `sample` between quanta of run(), about every so many core cycles; 0: no more.
  void sample_every(sim::Cycle cycles, std::function<void(sim::Cycle)> sample) {
    sample_every_ = cycles;
    sample_ = std::move(sample);
  }

  /// From the next quantum on, gives no more blocks of the kernels that are submitted now to SMs: a kernel retires when
  /// those that run have ended, and its next_block says which is the first that did not run.
  void stop_dispatch() { stop_dispatch_ = true; }

  /// An application's address space; nullptr without translation. Change it only between runs or from a work source.
  [[nodiscard]] vm::AddressSpace* address_space(vm::SpaceId application) {
    return memory_ ? &memory_->space(application) : nullptr;
  }
  /// What the host does after it has changed translations: every TLB forgets what it knows, and walks that are under
  /// way are done again. Only between runs or from a work source.
  void flush_tlbs();
  /// The same for one address space, and for a page of it.
  void flush_space(vm::SpaceId space);
  void flush_page(vm::SpaceId space, vm::VirtPage page);
  /// One SM's TLB forgets all, and the shared unit what it knows of that address space (MASK, section 5.1).
  void flush_core(unsigned sm, vm::SpaceId space);
  /// Tells when a page of the application has become a name of what another page names, by the doings of a host beside
  /// the GPU: programs must find that there.
  void on_remap(vm::SpaceId application, std::function<void(vm::VirtPage page, vm::VirtPage target)> listener) {
    remapped_[application] = std::move(listener);
  }
  /// Whether changes of pages take time, because kernels run behind virtual caches: then change_page() makes them.
  [[nodiscard]] bool changes_take_time() const { return page_changes_ != nullptr && running() != 0; }
  /// Between runs: the change begins; `done` is called when it has been made.
  void change_page(const vm::PageChange& wish, std::function<void()> done);
  /// What the host does after it has changed those bytes' translations, as vm.shootdown says.
  void shoot_down(vm::SpaceId space, std::uint64_t address, std::uint64_t bytes);

  /// The host has written there, by a copy or otherwise (a fill, code): whether it stays in the L2 is in the
  /// parameters.
  void host_wrote(std::uint16_t application, std::uint64_t address, std::uint64_t bytes, bool copied);

  /// Managed memory that migrates; nullptr if it does not. Change it only between runs or from a work source.
  [[nodiscard]] vm::ManagedMemory* managed() { return managed_.get(); }
  [[nodiscard]] vm::HostLink& link() { return link_; }

  [[nodiscard]] sim::Cycle now() const { return now_; }
  /// nullptr but in a checked run.
  [[nodiscard]] memory::LineChecker* checker() { return checker_.get(); }
  [[nodiscard]] GpuStatistics& statistics() { return statistics_; }
  /// The counters of the whole GPU.
  [[nodiscard]] const sim::CounterTable& counters() const { return *counters_; }
  [[nodiscard]] const GpuParameters& parameters() const { return parameters_; }
  /// Of each SM, for a timeline; to be set up before anything runs.
  [[nodiscard]] core::BlockTrace& block_trace(unsigned sm);
  /// From here on, SMs look which warps go round in loops in which nothing changes; or no more.
  void watch(bool on);
  /// Watched: what there is, if nothing but such waiting happens on the whole GPU.
  [[nodiscard]] std::optional<exec::EndlessWait> only_waits() const;
  /// Of a GPU that profiles: what every instruction has cost so far.
  [[nodiscard]] core::Profile profile() const;
  /// Instructions issued so far, for a progress display.
  [[nodiscard]] std::uint64_t instructions() const;
  /// Of one application: warp instructions of its kernels, those of running ones included.
  [[nodiscard]] std::uint64_t instructions_of(std::uint16_t application) const;
  /// Kernels submitted so far, and those of them that have not ended.
  [[nodiscard]] std::uint64_t submissions() const { return submissions_; }
  [[nodiscard]] std::size_t running() const;

 private:
  void make_translation(unsigned applications);
  void make_mmu(unsigned applications);
  void make_managed();
  void serial_step(sim::Cycle end, const std::vector<unsigned>& reporting, WorkSource& source);
  void translate(sim::Cycle end, const std::vector<unsigned>& reporting);
  /// Faults of managed memory come to the host, and accesses that waited go on.
  void serve_managed(sim::Cycle end, const std::vector<unsigned>& reporting);
  [[nodiscard]] sim::Cycle managed_wakes_at() const;
  /// In a checked run with a virtual L2: the table knows what the virtual caches have.
  void check_table();
  /// Tells page-walk caches which entries the host has written.
  void tell_written();
  /// Stops all kernels of the application that the fault is of.
  void contain(const exec::ProgramFault& fault, sim::Cycle now, WorkSource& source);
  /// Takes out what is left of stopped kernels.
  void drop_failed(sim::Cycle now);
  void retire(sim::Cycle now);
  /// SMs that changed to another page table flush their TLBs.
  void change_roots();
  /// Which applications have kernels, a bit each.
  [[nodiscard]] std::uint64_t running_applications() const;
  /// Throws a ProgramFault if a launch has executed more instructions than it may.
  void check_limits() const;
  /// Instructions issued, and lines that got as far as a cache or the network; not walks, which may be done over and
  /// over.
  [[nodiscard]] std::uint64_t work_done() const;
  /// Throws UserError when nothing has been done for too long.
  void check_progress(sim::Cycle now);
  /// Throws a ProgramFault if it is the program's own doing.
  [[nodiscard]] std::string explain_stall() const;

  const GpuParameters& parameters_;
  GpuStatistics statistics_;
  sim::Exchange exchange_;
  std::unique_ptr<memory::LineChecker> checker_;  ///< of a checked run
  memory::AddressMap map_;
  memory::SharingBoard board_;
  memory::Network network_;
  std::unique_ptr<vm::VirtualMemory> memory_;
  std::unique_ptr<vm::TranslationNetwork> translations_;
  std::unique_ptr<memory::TableNetwork> table_network_;  ///< with a virtual L2
  std::optional<memory::ChannelPort> mmu_channels_;      ///< with l2.slices: its way to memory
  std::unique_ptr<vm::SharedTranslation> mmu_;
  std::unique_ptr<vm::FaultHandler> faults_;
  vm::HostLink link_;
  std::unique_ptr<vm::ManagedMemory> managed_;
  std::uint64_t managed_seen_ = 0;                 ///< its generation when SMs were last told
  sim::Cycle next_remote_ = sim::kNever;           ///< when the next answer comes over the link
  std::unique_ptr<vm::PageChanges> page_changes_;  ///< with a virtual L2
  std::map<vm::SpaceId, std::function<void(vm::VirtPage, vm::VirtPage)>> remapped_;
  // Shards are numbered in this order: SMs, L2 slices, other parts of the memory, the shared translation unit.
  std::vector<std::unique_ptr<core::Sm>> sms_;
  std::unique_ptr<memory::MemorySystem> memory_system_;
  std::unique_ptr<sim::Engine> engine_;
  std::optional<sim::CounterTable> counters_;  ///< set when all parts are there
  std::unique_ptr<Dispatcher> dispatcher_;
  std::vector<std::uint64_t> instructions_of_;  ///< by application: of kernels that have ended
  std::vector<core::KernelInstance*> failed_;   ///< stopped for what they did wrong, not ended yet
  std::uint64_t submissions_ = 0;
  bool stop_dispatch_ = false;
  sim::Cycle next_move_ = sim::kNever;
  sim::Cycle drops_at_ = sim::kNever;  ///< when failed_ is looked at again
  sim::Cycle quantum_ = 1;
  std::uint32_t epoch_ = 0;  ///< flushes of TLBs so far
  sim::Cycle next_flush_ = sim::kNever;
  sim::Cycle counted_until_ = 0;  ///< for the counter of cycles
  sim::Cycle asked_ = 0;          ///< when it was last asked whether to go on
  sim::Cycle sample_every_ = 0;
  sim::Cycle sampled_ = 0;
  std::function<void(sim::Cycle)> sample_;
  sim::Cycle now_ = 0;
  Watchdog watchdog_;
};

}  // namespace heddle::gpu
