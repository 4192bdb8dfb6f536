// Lines of loads that wait for the L1, and whom each will serve (Kloosterman 2018, section 3.3.4): queues by the hash
// of the line, each with a few tags, each tag with a few slots. Loads of one line share its tag and go to the L1 as
// one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/coalescer.h"
#include "core/coalescer/lone_line.h"
#include "memory/cache.h"

namespace heddle::core {

struct MergeTag {
  LoneLine from;            ///< of the first load; with everybody whom the line serves in line.others
  sim::Cycle ready_at = 0;  ///< can be selected from then on
  unsigned slots = 0;
  std::uint8_t lowest_warp = 0;
  bool used = false;
  bool merges = true;  ///< others may join; not so for volatile loads
};

/// What a load asks of the queues.
struct MergeRequest {
  const LineRequest& line;
  const LineGroup& group;
  bool merges = true;
  sim::Cycle ready_at = 0;
};

class MergeQueues {
 public:
  struct Size {
    unsigned queues = 32;
    unsigned tags = 2;
    unsigned slots = 4;
    bool duplicates = false;  ///< a line whose tag is full may take a second one
  };
  enum class Result : std::uint8_t { merged, opened, no_slot, no_tag };

  MergeQueues(const Size& size, const memory::CacheParameters& cache, ServedLists& served)
      : size_(size), set_index_(cache), served_(served), tags_(std::size_t{size.queues} * size.tags) {}

  [[nodiscard]] unsigned queue_of(const LineRequest& line) const {
    return static_cast<unsigned>(set_index_(memory::LineTag(memory::PhysLine{line.line.address})) % size_.queues);
  }

  Result add(const MergeRequest& request) {
    MergeTag* open = nullptr;
    bool is_full = false;
    const std::size_t first = std::size_t{queue_of(request.line)} * size_.tags;
    for (std::size_t t = first; t < first + size_.tags; ++t) {
      MergeTag& tag = tags_[t];
      if (!tag.used) {
        if (open == nullptr) open = &tag;
      } else if (joins(tag, request)) {
        if (tag.slots < size_.slots) {
          merge(tag, request);
          return Result::merged;
        }
        is_full = true;
      }
    }
    if (is_full && !size_.duplicates) return Result::no_slot;
    if (open == nullptr) return Result::no_tag;
    start(*open, request);
    order_.push_back(static_cast<std::uint32_t>(open - tags_.data()));
    return Result::opened;
  }

  [[nodiscard]] bool empty() const { return order_.empty(); }
  [[nodiscard]] MergeTag& at(std::uint32_t tag) { return tags_[tag]; }
  /// The tag that was opened first; nothing if it cannot be selected yet.
  [[nodiscard]] std::optional<std::uint32_t> oldest(sim::Cycle now) const {
    if (order_.empty() || tags_[order_.front()].ready_at > now) return std::nullopt;
    return order_.front();
  }
  /// Of those that can be selected, the tag with the lowest warp; of several, the oldest.
  [[nodiscard]] std::optional<std::uint32_t> lowest_warp(sim::Cycle now) const {
    std::optional<std::uint32_t> best;
    for (const std::uint32_t tag : order_) {
      if (tags_[tag].ready_at > now) continue;
      if (!best || tags_[tag].lowest_warp < tags_[*best].lowest_warp) best = tag;
    }
    return best;
  }
  /// The tag's line has gone, with all that it serves.
  void remove(std::uint32_t tag) {
    tags_[tag].used = false;
    order_.erase(std::find(order_.begin(), order_.end(), tag));
  }

 private:
  [[nodiscard]] static bool joins(const MergeTag& tag, const MergeRequest& r) {
    return tag.from.line.line == r.line.line && tag.from.application == r.group.application && tag.merges && r.merges &&
           tag.from.cached == r.group.cached && tag.from.local == r.group.local;
  }
  void merge(MergeTag& tag, const MergeRequest& r) {
    served_.add(tag.from.line.others, r.line.first);
    tag.from.line.sectors |= r.line.sectors;
    tag.from.homes |= r.group.homes_of(r.line);
    tag.lowest_warp = std::min(tag.lowest_warp, r.group.warp);
    ++tag.slots;
  }
  void start(MergeTag& tag, const MergeRequest& r) {
    tag = {{r.group, r.line}, r.ready_at, 1, r.group.warp, true, r.merges};
    tag.from.line.others = served_.take();
    served_.add(tag.from.line.others, r.line.first);
  }

  Size size_;
  memory::SetIndex set_index_;
  ServedLists& served_;
  std::vector<MergeTag> tags_;
  std::vector<std::uint32_t> order_;  ///< tags in use, oldest first
};

}  // namespace heddle::core
