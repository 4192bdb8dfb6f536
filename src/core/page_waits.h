// Lines of an SM's memory instructions that wait for pages of managed memory, or for the link to the host.
//
// Before a group of lines is queued, it is divided: lines of pages on the device go on, those of absent pages wait
// until the host has brought them and are looked at again, and those that the device accesses in the host's memory wait
// for the link. Lines of one page never pass each other: who comes later waits behind.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/line_group.h"
#include "sim/time.h"
#include "vm/managed_memory.h"

namespace heddle::core {

class PageWaits {
 public:
  PageWaits(vm::ManagedMemory& managed, GroupPool& groups) : managed_(managed), groups_(groups) {}

  /// Whether any line could have to wait.
  [[nodiscard]] bool applies() const { return managed_.any_away() || !waiting_.empty() || !remote_.empty(); }
  /// Whether as many wait as may.
  [[nodiscard]] bool full() const { return waiting_.size() + remote_.size() >= managed_.waiting(); }
  /// Keeps the lines that must wait. False: no line of the group may go on, and it is kept itself.
  [[nodiscard]] bool divide(std::uint32_t group, sim::Cycle now);

  // Between quanta, in the order of SMs.
  [[nodiscard]] bool reports() const { return !faults_.empty() || unasked_ != 0; }
  [[nodiscard]] bool empty() const { return waiting_.empty() && remote_.empty(); }
  /// Tells what has faulted, and what wants the link.
  void tell(sim::Cycle now);
  /// Calls queue(group) for those that may go on now, in the order in which they came.
  void let_go(sim::Cycle now, const std::function<void(std::uint32_t)>& queue);
  /// When the next answer comes over the link; kNever if none is on its way.
  [[nodiscard]] sim::Cycle wakes_at() const;

 private:
  struct Waiting {
    std::uint32_t group = kNone;
    sim::Cycle since = 0;
    sim::Cycle until = sim::kNever;  ///< of a remote access that has been told of
  };
  /// A new group of the same instruction with these lines.
  [[nodiscard]] std::uint32_t part_of(std::uint32_t group, const std::vector<LineRequest>& lines);
  [[nodiscard]] vm::Reach reach(const LineGroup& group, const LineRequest& line) const;
  /// Takes lines that must wait out of the group; what they wait for is noted.
  void take_waiting(std::uint32_t group, sim::Cycle now);

  vm::ManagedMemory& managed_;  ///< changed between quanta only
  GroupPool& groups_;
  std::vector<Waiting> waiting_;  ///< for pages
  std::vector<Waiting> remote_;   ///< for the link
  std::size_t unasked_ = 0;       ///< the last of these, which the link does not know of
  sim::Cycle answered_ = 0;       ///< the latest answer so far: no access passes another
  std::vector<vm::ManagedFault> faults_;
  std::uint64_t seen_ = 0;  ///< generation at the last look
  std::vector<LineRequest> absent_;
  std::vector<LineRequest> away_;
};

}  // namespace heddle::core
