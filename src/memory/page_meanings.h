// What a program's pages mean in time, in checked runs with virtual caches (memory/line_checker.h): whose bytes they
// name, whether they may be written, and when caches had to forget them.
//
// The bytes are known by the page that owns their frame; other pages that name the frame are aliases of it. The host
// changes a page while accesses to it are under way: until its shootdown is acknowledged they may mean what the page
// meant before, and not afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/time.h"

namespace heddle::memory {

/// Address space and number of a page of 4 KiB.
using PageName = std::pair<std::uint16_t, std::uint64_t>;

class PageMeanings {
 public:
  /// From now on the page names the bytes of `owner`.
  void means(PageName page, PageName owner, sim::Cycle now);
  /// From now on the page must not be written, or may be.
  void guards(PageName page, bool guarded, sim::Cycle now);
  /// No cache has anything under this name that is older.
  void forgets(PageName page, sim::Cycle now);
  /// A virtual L2 holds the frame's lines under this name, or no more.
  void leads(PageName page, std::uint64_t frame) { leading_[page] = frame; }
  void leads_no_more(PageName page) { leading_.erase(page); }

  /// The frame whose lines are under this name.
  [[nodiscard]] std::optional<std::uint64_t> frame_under(PageName page) const;
  /// Whether the page named those bytes at some time from `from` to `until`; so does one of which nothing is known.
  [[nodiscard]] bool meant(PageName page, PageName owner, sim::Cycle from, sim::Cycle until) const;
  /// Whether the page might be written then.
  [[nodiscard]] bool writable(PageName page, sim::Cycle at) const;
  /// When caches last had to forget the page, as seen at that time.
  [[nodiscard]] sim::Cycle forgotten(PageName page, sim::Cycle at) const;

 private:
  struct Meaning {
    PageName owner;
    sim::Cycle from = 0;
    sim::Cycle until = sim::kNever;
  };
  struct Guard {
    sim::Cycle from = 0;
    sim::Cycle until = sim::kNever;
  };
  std::map<PageName, std::vector<Meaning>> meanings_;
  std::map<PageName, std::vector<Guard>> guards_;
  std::map<PageName, std::vector<sim::Cycle>> forgotten_;
  std::map<PageName, std::uint64_t> leading_;
};

}  // namespace heddle::memory
