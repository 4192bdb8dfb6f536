// What an L1 knows of versions in a checked run (memory/line_checker.h).
#pragma once

#include <map>
#include <utility>

#include "memory/cache.h"
#include "memory/line_checker.h"

namespace heddle::core {

class L1Versions {
 public:
  L1Versions(memory::LineChecker& checker, std::uint16_t sm) : checker_(checker), sm_(sm) {}

  /// An access to a line of the cache.
  struct Access {
    memory::LineName name;
    memory::LineTag line;
    std::uint32_t sectors = 0;
    sim::Cycle now = 0;
  };
  /// A load found the sectors here: they may be as old as the last kernel's start on this SM, but not older than what
  /// this SM has itself written since.
  void hit(const Access& access) {
    memory::LineChecker::Read read{access.name, access.sectors, {}, 0, access.now, sm_};
    versions_.get(access.line, access.sectors, read.versions);
    const auto meant = meant_.find(access.line.bits());
    read.meant = meant == meant_.end() ? access.name : meant->second;
    read.is_here = true;
    memory::for_each_unit(access.sectors, [&](unsigned u) {
      read.units = 1u << u;
      const auto own = acknowledged_.find({*read.meant, u});
      read.from = std::max(started_[access.name.space], own == acknowledged_.end() ? 0 : own->second);
      checker_.read(read);
    });
  }
  /// The record for a read that is sent.
  [[nodiscard]] std::uint32_t ask(const Access& access) { return checker_.open(access.name, access.now); }
  /// The record for a write that is sent; `kept`: the cache has the line and changes it, too.
  [[nodiscard]] std::uint32_t write(const Access& access, bool kept) {
    const std::uint32_t record = checker_.open(access.name, access.now);
    const memory::Version version = checker_.next(sm_);
    memory::Versions& versions = checker_.at(record).versions;
    memory::for_each_unit(access.sectors, [&](unsigned u) { versions[u] = version; });
    if (kept) versions_.put(access.line, access.sectors, versions);
    return record;
  }
  /// A write that stays here.
  void keep(const Access& access) {
    memory::Versions versions;
    versions.fill(checker_.next(sm_));
    versions_.put(access.line, access.sectors, versions);
    names_[access.line.bits()] = access.name;
  }
  /// The record for what was kept and leaves.
  [[nodiscard]] std::uint32_t write_back(const memory::CacheLine& line, sim::Cycle now) {
    const std::uint32_t record = checker_.open(names_[line.tag.bits()], now);
    versions_.get(line.tag, line.dirty, checker_.at(record).versions);
    return record;
  }
  /// The answer to a read; the cache has the sectors of `kept` now.
  void fill(memory::LineTag line, std::uint32_t sectors, std::uint32_t kept, std::uint32_t record, sim::Cycle now) {
    const memory::LineRecord& got = checker_.at(record);
    checker_.read({got.name, sectors, got.versions, got.asked_at, now, sm_, got.meant});
    versions_.put(line, kept, got.versions);
    if (kept != 0 && line.is_virtual()) meant_[line.bits()] = got.meant;
    checker_.close(record);
  }
  /// The answer to a write of these sectors.
  void acknowledge(std::uint32_t sectors, std::uint32_t record) {
    const memory::LineRecord& got = checker_.at(record);
    memory::for_each_unit(sectors, [&](unsigned u) {
      sim::Cycle& at = acknowledged_[{got.meant, u}];
      at = std::max(at, got.served_at);
    });
    checker_.close(record);
  }
  void start_kernel(std::uint16_t space, sim::Cycle now) { started_[space] = now; }

 private:
  memory::LineChecker& checker_;
  std::uint16_t sm_;
  memory::CacheVersions versions_;
  std::unordered_map<std::uint64_t, memory::LineName> names_;  ///< of lines with something kept
  std::unordered_map<std::uint64_t, memory::LineName> meant_;  ///< whose bytes virtual lines hold
  std::map<std::pair<memory::LineName, unsigned>, sim::Cycle> acknowledged_;
  std::map<std::uint16_t, sim::Cycle> started_;  ///< the last kernel of the space
};

}  // namespace heddle::core
