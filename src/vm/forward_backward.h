// Translation behind a virtual L2 (Yoon et al., section 4): an IOMMU whose forward-backward table knows every page that
// the virtual caches hold lines of.
//
// A miss of an L2 slice comes over a link, half of `mmu.latency` each way, and is translated as in an IOMMU. Then the
// table is asked by frame: a frame that nobody holds gets an entry, with the page that asks as its leading page; the
// leading page's own miss goes to memory; a miss under another name (a synonym) is sent back to be done under the
// leading name. What DRAM answers goes to the slice by itself. Slices also tell which lines have come, gone and been
// written, so that the table's bits are those of the L2.
//
// An entry goes because another needs its place, or because the host shoots its page down: then nothing new begins for
// it, what is under way ends, the slices give up the lines of its bits and write back what is dirty, the L1s are told
// the page, and when all have answered the entry is free (FbtState). Requests that came meanwhile begin anew. A page
// that the host changes (vm/page_changes.h) is held before: its misses are sent back until it has changed. A write to a
// page that must not be written waits for the host.
//
// Of large pages an entry knows a part of 4 KiB, like any other page, or the whole: then it counts the lines that the
// L2 has and does not know which they are. To make it go, all tags of the L2 are looked at until the count is zero, and
// only a count of zero keeps a coherence request away.
//
// Everything the table does passes its one port in order, `table_latency` cycles each. Lookups begin one per cycle;
// bits of lines that come and go are set beside them, unless `updates_take_port`.
#pragma once

#include <exception>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "memory/table_network.h"
#include "vm/forward_backward_table.h"
#include "vm/host_traffic.h"
#include "vm/iommu_pipeline.h"
#include "vm/synonym_accesses.h"

namespace heddle::vm {

struct ForwardBackwardStatistics : sim::StatisticGroup {
  explicit ForwardBackwardStatistics(sim::StatisticGroup& parent) : StatisticGroup(parent, "table") {}
  sim::Counter lookups{*this, "lookups", "operations", "Lookups that passed the table's port."};
  sim::Counter updates{*this, "updates", "operations", "Changes of entries when lines come, go or become dirty."};
  sim::Counter allocated{*this, "allocated", "entries", "Entries made."};
  sim::Counter evicted_backward{*this, "evicted_backward", "entries",
                                "Entries that had to go for another of the same set of the backward side."};
  sim::Counter evicted_forward{*this, "evicted_forward", "entries", "Likewise of the forward side."};
  sim::Counter shootdowns{*this, "shootdowns", "pages", "Pages shot down by the host."};
  sim::Counter shootdown_hits{*this, "shootdown_hits", "pages", "Of those, leading pages of an entry."};
  sim::Counter shootdown_latency{*this, "shootdown_latency", "core cycles",
                                 "From a shootdown to its acknowledgement, summed."};
  sim::Counter busy{
      *this, "busy", "misses",
      "Misses sent back because every entry of a set had something under way, or their page was changed."};
  sim::Counter denied{*this, "denied", "misses",
                      "Writes to pages that must not be written, which waited for the host."};
  sim::Counter locked{*this, "locked", "misses", "Misses that waited for an entry to go."};
  sim::Counter synonyms{*this, "synonyms", "misses", "Misses under another name than the leading one."};
  sim::Counter synonyms_cached{*this, "synonyms_cached", "misses", "Of those, of lines that the L2 had."};
  sim::Counter rw_synonyms{*this, "rw_synonyms", "times", "A page was both written and used under two names."};
  sim::Counter upgrades{*this, "upgrades", "lines", "Clean lines that were written."};
  sim::Counter invalidated{*this, "invalidated", "lines", "Lines that the L2 was told to give up."};
  sim::Counter sweeps{*this, "sweeps", "sweeps", "Pages for which all tags of the L2 were looked at."};
  sim::Counter page_probes{*this, "page_probes", "probes", "Pages that L1s were told to give up, an L1 each."};
  sim::Counter flushes{*this, "flushes", "flushes", "Shootdowns of everything."};
  sim::Counter probe_latency{*this, "probe_latency", "core cycles", "From a coherence request to its end, summed."};
  sim::Counter probes{*this, "probes", "requests", "Coherence requests of the host."};
  sim::Counter probes_filtered{*this, "probes_filtered", "requests", "Of those, stopped here."};
  sim::Counter writebacks{*this, "writebacks", "lines", "Dirty lines written to memory."};
  sim::Counter resident_pages{*this, "resident_pages", "pages", "Pages with lines in the L2, summed over samples."};
  sim::Counter samples{*this, "samples", "samples", "Samples of that, one per window."};
  sim::Counter most_resident{*this, "most_resident", "pages", "Most of them in a sample.", sim::Counter::Merge::most};
};

class ForwardBackward final : public SharedTranslation, private IommuPipeline::SecondLevel {
 public:
  struct Parameters : IommuParameters {
    using IommuParameters::IommuParameters;
    sim::Parameter<unsigned> entries{*this, "entries", 16384, {1, 1048576}, "pages", "Pages it knows."};
    sim::Parameter<unsigned> ways{*this, "ways", 8, {1, 1024}, "ways", "Associativity of both sides."};
    sim::Parameter<unsigned> table_latency{*this, "latency", 5, {0, 1000}, "core cycles", "An operation."};
    sim::Flag second_level{*this, "second_level", true, "Misses of the shared TLB are looked up here before a walk."};
    sim::Flag updates_take_port{*this, "updates_take_port", false,
                                "Lines that come, go or become dirty take a turn of the table's port, as lookups do."};
    HostParameters host{*this, "host", "What the host does to the GPU's memory while kernels run."};
    sim::Choice large_pages{
        *this,
        "large_pages",
        "subpages",
        {"subpages", "counter"},
        "What an entry knows of a page of more than 4 KiB: a part of 4 KiB, or the number of lines of all of it."};
    sim::Flag free_empty{*this, "free_empty", false, "An entry goes when its last line has left the L2."};
  };
  ForwardBackward(const sim::Context& context, const Setup& setup);

  void receive() override;
  void run(sim::Cycle begin, sim::Cycle end) override;
  void flush() override;
  void entry_written(std::uint64_t address) override { pipeline_.entry_written(address); }
  void retry(WalkJob job, sim::Cycle now) override;
  void rethrow() override;
  [[nodiscard]] std::string describe() const override;

  void hold(SpaceId space, VirtPage page, sim::Cycle now) override;
  void shoot(SpaceId space, VirtPage page, std::uint64_t id, sim::Cycle now) override;
  void release(SpaceId space, VirtPage page, sim::Cycle now) override;
  /// forward_backward_check.cpp
  void check_caches(const std::vector<memory::LineTag>& l2, const std::vector<memory::LineTag>& l1) const override;

 private:
  using Message = memory::TableMessage;
  using Command = memory::TableCommand;
  struct Job {
    Message message{};
    sim::Cycle arrived = 0;
    std::uint64_t shootdowns = 0;  ///< before its translation
  };
  static constexpr std::uint32_t kNoJob = ~std::uint32_t{0};
  /// What the host wants.
  struct HostRequest {
    HostOperation operation = HostOperation::read;
    memory::PhysLine line{};  ///< to be read or written
    SpaceId space = 0;
    VirtPage page{};  ///< to be shot down
    sim::Cycle began = 0;
    PageChange change{};              ///< that the host wants
    std::optional<std::uint64_t> id;  ///< of a shootdown for somebody else
  };
  /// A line that the host has asked the L2 for.
  struct Probed {
    HostRequest request;
    std::vector<std::uint32_t> jobs;  ///< misses of the line that wait meanwhile
  };
  /// A shootdown that waits for entries to go.
  struct Acknowledgement {
    sim::Cycle began = 0;
    std::size_t entries = 0;
    SpaceId space = 0;  ///< of a page
    std::optional<VirtPage> page;
    std::optional<std::uint64_t> id;  ///< of somebody else's
  };
  /// A page that went out at once: messages of its lines may still be under way.
  struct Dropped {
    PhysFrame frame{};
    std::uint32_t lines = 0;  ///< still to leave
  };
  struct Operation {
    sim::Cycle ready = 0;
    bool host = false;           ///< the first of the host's requests
    std::uint32_t job = kNoJob;  ///< a miss with its translation; else the message is meant
    PhysFrame frame{};
    bool writable = true;
    bool by_page = false;  ///< a miss that the forward side answers
    Message message{};
  };
  static constexpr std::uint32_t kNone = ForwardBackwardTable::kNone;
  static constexpr std::uint32_t kWriteBack = IommuPipeline::kOwners;

  /// The page that an entry is for.
  [[nodiscard]] VirtPage page_of(memory::LineTag line) const {
    return first_page(vm::page_of(line.virtual_line().address), granule_);
  }
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t address) const { return address & (granule_bytes_ - 1); }
  [[nodiscard]] std::uint64_t whole_key(SpaceId space, VirtPage page) const {
    return first_page(page, page_size_).number | std::uint64_t{space} << 48;
  }
  [[nodiscard]] bool is_held(memory::LineTag line) const {
    return !kept_back_.empty() && kept_back_.contains(whole_key(line.space(), page_of(line)));
  }
  [[nodiscard]] std::uint32_t find(memory::LineTag line) const { return table_.find(line.space(), page_of(line)); }
  [[nodiscard]] std::uint64_t key(memory::LineTag line) const {
    return page_of(line).number | std::uint64_t{line.space()} << 48;
  }
  /// Of an entry for 4 KiB.
  [[nodiscard]] std::uint32_t bit_of(memory::LineTag line) const {
    return 1u << line.virtual_line().address % kPageBytes / setup_.line_bytes;
  }
  [[nodiscard]] memory::LineTag leading(const FbtEntry& entry, memory::LineTag line) const {
    return {memory::VirtLine{entry.page.address() + offset_of(line.virtual_line().address)}, entry.space};
  }
  [[nodiscard]] memory::PhysLine physical(const FbtEntry& entry, memory::LineTag line) const {
    return {entry.frame.address() + offset_of(line.virtual_line().address)};
  }

  void step(sim::Cycle now);
  void take(const Message& message, sim::Cycle now);
  enum class Pass : std::uint8_t {
    lookup,    ///< takes a turn of the port and the table's latency
    update,    ///< takes its latency
    with_one,  ///< was part of a lookup that has been made
  };
  void pass_port(Operation operation, sim::Cycle now, Pass pass = Pass::lookup);
  void perform(const Operation& operation, sim::Cycle now);
  // Misses.
  void translate(std::uint32_t job, sim::Cycle now);
  /// Whether what was found for it may have been shot down since.
  [[nodiscard]] bool is_outdated(const Job& job) const {
    if (job.shootdowns == shootdowns_) return false;
    const auto shot = shot_.find(whole_key(job.message.line.space(), page_of(job.message.line)));
    return flushed_ > job.shootdowns || (shot != shot_.end() && shot->second > job.shootdowns);
  }
  void check(std::uint32_t job, PhysFrame frame, bool writable, sim::Cycle now);
  void serve(std::uint32_t job, std::uint32_t index, sim::Cycle now);
  void send_back(std::uint32_t job, std::uint32_t index, bool writable, sim::Cycle now);
  void make_room(std::uint32_t job, const ForwardBackwardTable::Room& room, sim::Cycle now);
  void wait_for(std::uint32_t index, std::uint32_t job);
  void end(std::uint32_t job, sim::Cycle now);
  void ask_again(std::uint32_t job, sim::Cycle now);
  /// The miss waits in its slice until the page has changed or its entry is gone.
  void tell_to_wait(std::uint32_t job, sim::Cycle now);
  /// The miss is sent back until some entry is gone. Where entries wait for SMs to forget names, it waits in its slice:
  /// what asks over and over would keep the places that loads by those names need.
  void send_away(std::uint32_t job, sim::Cycle now);
  void let_go(SpaceId space, VirtPage page, PageSize size, sim::Cycle now);
  void deny(std::uint32_t job, sim::Cycle now);
  void send_back_held(sim::Cycle now, std::size_t first_fault);
  void remove_entry(std::uint32_t index);
  void judge_synonyms(FbtEntry& entry, memory::LineTag line, bool by_leading);
  // What slices tell.
  void left(const Message& message, sim::Cycle now);
  void write_back(const Message& message, PhysFrame frame, sim::Cycle now);
  void filled(const Message& message, sim::Cycle now);
  void set_lines(std::uint32_t index, std::uint32_t lines);
  [[nodiscard]] bool may_have(const FbtEntry& entry, memory::LineTag line) const {
    return counts_ ? entry.lines != 0 : (entry.lines & bit_of(line)) != 0;
  }
  // The host (forward_backward_host.cpp).
  void take_host(sim::Cycle now);
  [[nodiscard]] bool choose(const HostTraffic::Planned& planned, HostRequest& request);
  void perform_host(const HostRequest& request, sim::Cycle now);
  void probe_line(const HostRequest& request, sim::Cycle now);
  void probe_held(sim::Cycle now);
  void end_probe(const HostRequest& request, sim::Cycle now);
  void probed(const Message& message, sim::Cycle now);
  /// Somebody who waited for the entry to go need wait no more.
  void settle(std::uint32_t index, sim::Cycle now);
  void settle_one(std::uint64_t number, sim::Cycle now);
  void settle_synonyms(sim::Cycle now);
  [[nodiscard]] bool has_leaving(PhysFrame frame) const;
  // Entries on their way out.
  void close(std::uint32_t index, sim::Cycle now);
  void advance(std::uint32_t index, sim::Cycle now);
  void give_up_lines(std::uint32_t index, sim::Cycle now);
  void tell_l1s(std::uint32_t index, sim::Cycle now);
  /// SMs must not go by this page's name any more, nor take it for another's; each answers when none of its loads does.
  void forget_names(SpaceId space, VirtPage page, PageSize size, std::uint32_t id, sim::Cycle now);
  void free_entry(std::uint32_t index, sim::Cycle now);
  void command(std::uint16_t slice, Command command, sim::Cycle now);
  void sample(sim::Cycle now);

  // SecondLevel
  [[nodiscard]] std::optional<Mapping> find(SpaceId space, VirtPage page) override;
  [[nodiscard]] sim::Cycle latency() const override { return p_.table_latency; }

  Setup setup_;
  const Parameters& p_;
  PageSize page_size_;
  bool counts_;       ///< entries are for whole pages and count their lines
  PageSize granule_;  ///< of an entry
  std::uint64_t granule_bytes_;
  IommuStatistics statistics_;
  ForwardBackwardStatistics counters_;
  IommuPipeline pipeline_;
  ForwardBackwardTable table_;
  std::vector<Job> jobs_;
  std::vector<std::uint32_t> free_jobs_;
  Ring<Operation> port_;  ///< operations under way, in order
  sim::Cycle port_free_at_ = 0;
  std::unordered_map<std::uint64_t, unsigned> pending_;                    ///< lines on their way to a slice, by tag
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> waiting_;  ///< jobs, by the entry that must go
  std::unordered_map<std::uint32_t, std::pair<unsigned, std::uint16_t>> writing_;  ///< bursts and slice, by token
  std::uint32_t next_write_ = 0;
  std::unordered_map<std::uint64_t, Dropped> dropped_;                    ///< by page
  std::unordered_set<std::uint64_t> kept_back_;                           ///< pages that the host changes
  std::vector<memory::LineTag> sent_away_;                                ///< what waits for an entry to go
  std::unordered_set<std::uint64_t> told_to_wait_;                        ///< pages of which slices keep requests
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> denied_;  ///< jobs, by page that must not be written
  SynonymAccesses synonyms_;
  static constexpr std::uint32_t kNamesOfPage = std::uint32_t{1} << 31;
  /// Acknowledgements that wait for SMs to forget names, with how many SMs, by the probes' id.
  std::unordered_map<std::uint32_t, std::pair<std::uint64_t, unsigned>> asked_names_;
  std::uint32_t next_names_ = 0;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> awaited_synonyms_;  ///< acknowledgements, with the generation
  std::uint64_t shootdowns_ = 0;
  std::uint64_t flushed_ = 0;                              ///< their number when everything was last shot down
  std::unordered_map<std::uint64_t, std::uint64_t> shot_;  ///< by page, when it last was
  std::uint64_t resident_ = 0;                             ///< entries with lines
  std::uint64_t going_ = 0;                                ///< entries on their way out
  sim::Cycle sampled_at_ = 0;
  HostTraffic host_;
  Ring<HostRequest> host_requests_;                                      ///< at the port
  std::vector<HostRequest> held_;                                        ///< of lines on their way to a slice
  std::unordered_map<std::uint64_t, Probed> probing_;                    ///< by tag
  std::unordered_map<std::uint64_t, Acknowledgement> acknowledgements_;  ///< by number
  std::uint64_t next_acknowledgement_ = 0;
  std::unordered_map<std::uint32_t, std::vector<std::uint64_t>> awaited_;  ///< acknowledgements, by entry that must go
  std::vector<Message> input_;
  std::size_t head_ = 0;
  std::vector<memory::ProbeAnswer> answers_;
  std::size_t answer_head_ = 0;
  std::vector<IommuPipeline::Result> done_;
  std::exception_ptr fault_;
  sim::Cycle clock_ = 0;
};

}  // namespace heddle::vm
