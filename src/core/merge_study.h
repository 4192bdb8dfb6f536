// What merging would save at best: of the lines that loads of an SM ask for, those that were asked for within the last
// N (Kloosterman 2018, section 3.2.3). A line is opened by the first request for it; later requests merge with that one
// as long as it is at most N requests back, and do not renew it.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>

#include "core/line_group.h"
#include "sim/statistic.h"

namespace heddle::core {

class MergeStudy {
 public:
  static constexpr std::array<unsigned, 5> kWindows{8, 16, 32, 64, 128};
  struct Statistics : sim::StatisticGroup {
    explicit Statistics(sim::StatisticGroup& parent) : StatisticGroup(parent, "merge_study") {}
    sim::Counter requests{*this, "requests", "lines", "Lines that loads asked for."};
    sim::Counter left_8{*this, "left_8", "lines", "Of those, left if lines merge within 8 requests."};
    sim::Counter left_16{*this, "left_16", "lines", "Of those, left if lines merge within 16 requests."};
    sim::Counter left_32{*this, "left_32", "lines", "Of those, left if lines merge within 32 requests."};
    sim::Counter left_64{*this, "left_64", "lines", "Of those, left if lines merge within 64 requests."};
    sim::Counter left_128{*this, "left_128", "lines", "Of those, left if lines merge within 128 requests."};
  };
  explicit MergeStudy(sim::StatisticGroup& parent)
      : statistics_(parent),
        left_{&statistics_.left_8, &statistics_.left_16, &statistics_.left_32, &statistics_.left_64,
              &statistics_.left_128} {}

  /// The lines of a load.
  void add(const Lines& lines, std::uint16_t application) {
    for (const LineRequest& line : lines) {
      ++statistics_.requests;
      ++now_;
      Opened& opened = opened_[line.line.address ^ std::uint64_t{application} << 56];
      for (std::size_t w = 0; w < kWindows.size(); ++w) {
        if (opened[w] != 0 && now_ - opened[w] <= kWindows[w]) continue;
        opened[w] = now_;
        ++*left_[w];
      }
    }
  }

 private:
  using Opened = std::array<std::uint64_t, kWindows.size()>;  ///< when, for each window; 0: never

  Statistics statistics_;
  std::array<sim::Counter*, kWindows.size()> left_;
  std::unordered_map<std::uint64_t, Opened> opened_;  ///< by line
  std::uint64_t now_ = 0;                             ///< requests so far
};

}  // namespace heddle::core
