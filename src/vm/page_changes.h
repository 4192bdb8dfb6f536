// A host that changes pages while kernels use them, beside virtual caches: what an operating system does around a
// shootdown (Yoon et al., section 4.1).
//
// A page that moves, is remapped or evicted leaves the page table first, under all its names; nothing new begins for
// it. Then it is shot down; when that is acknowledged, no cache has anything of it and memory has all that was written.
// Then its frame changes and the page table gets it back. A page that is protected stays in the page table without its
// write bit and is shot down. The first write after that is a fault, which the host serves like others; then the page
// is shot down once more, so that no cache has the old right, and may be written.
//
// A program that changes pages through the host's interface while kernels run goes the same way, and waits for the end.
//
// All of it happens between quanta. Pages of one frame change one after the other.
#pragma once

#include <deque>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include "memory/line_checker.h"
#include "vm/shared_translation.h"

namespace heddle::vm {

struct PageChangeStatistics : sim::StatisticGroup {
  explicit PageChangeStatistics(sim::StatisticGroup& parent) : StatisticGroup(parent, "page_changes") {}
  sim::Counter moved{*this, "moved", "pages", "Pages that the host moved to another frame, all names of a frame once."};
  sim::Counter remapped{*this, "remapped", "pages", "Pages that became names of another frame."};
  sim::Counter protects{*this, "protected", "pages", "Pages that the host took the right to be written from."};
  sim::Counter allowed{*this, "allowed", "pages", "Pages that got it back after a write fault."};
  sim::Counter evicted{*this, "evicted", "pages", "Pages that went to disk, all names of a frame once."};
  sim::Counter rights{*this, "rights", "pages", "Pages that a program said of whether they may be written."};
  sim::Counter latency{*this, "latency", "core cycles", "From the host's wish to the end of the change, summed."};
  sim::Counter waited{*this, "waited", "changes", "Changes that waited for another of the same frame."};
};

class PageChanges {
 public:
  struct Setup {
    VirtualMemory& memory;
    SharedTranslation& unit;
    sim::StatisticGroup& statistics;
    memory::LineChecker* checker = nullptr;  ///< of a checked run
    /// The page names what `target` names from now on: programs must find that there.
    std::function<void(SpaceId space, VirtPage page, VirtPage target)> remapped;
  };
  explicit PageChanges(Setup setup) : setup_(std::move(setup)), statistics_(setup_.statistics) {}

  /// Takes what the host wants and what has been acknowledged in the last quantum.
  void advance(sim::Cycle now);
  /// A program wants this; `done` is called when it has been done, or when there was nothing to do.
  void ask(const PageChange& wish, std::function<void()> done, sim::Cycle now);
  /// The host has served a write's fault.
  void allow(const WalkJob& job, sim::Cycle now);

 private:
  /// By address space and number of the page that owns it.
  using Frame = std::pair<SpaceId, std::uint64_t>;
  struct Change {
    PageChange wish{};
    sim::Cycle began = 0;
    WalkJob job{};                  ///< that wanted to write
    std::vector<VirtPage> names{};  ///< to be shot down
    std::vector<Frame> frames{};    ///< nobody else may change
    std::size_t acknowledged = 0;   ///< shootdowns
    bool waited = false;
    std::function<void()> done{};  ///< if somebody waits for it
  };
  [[nodiscard]] VirtPage whole(VirtPage page) const { return first_page(page, setup_.memory.parameters().page_size()); }
  /// Whether there is anything to do; says which pages it concerns.
  [[nodiscard]] bool choose(Change& change) const;
  void add(Change change, sim::Cycle now);
  void begin(Change change, sim::Cycle now);
  void finish(Change& change, sim::Cycle now);
  /// In a checked run: whether the page may be written now.
  void tell_right(const AddressSpace& space, VirtPage page);

  Setup setup_;
  PageChangeStatistics statistics_;
  std::unordered_map<std::uint64_t, Change> running_;  ///< by id
  std::uint64_t next_ = 0;
  std::set<Frame> changing_;
  std::deque<Change> waiting_;
};

}  // namespace heddle::vm
