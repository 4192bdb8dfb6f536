// What an L2 slice knows of versions in a checked run (memory/line_checker.h).
#pragma once

#include "memory/cache.h"
#include "memory/line_checker.h"

namespace heddle::memory {

class L2Versions {
 public:
  explicit L2Versions(LineChecker& checker) : checker_(checker) {}

  /// A write is served; `perfect`: there is no cache, memory has it at once.
  void write(const Request& request, bool perfect, sim::Cycle now) {
    if (request.record == 0) return;
    LineRecord& record = checker_.at(request.record);
    record.served_at = now;
    if (request.line.is_virtual()) checker_.serves(record, request.line, true, now);
    checker_.wrote(record, request.sectors, now);
    if (perfect) {
      checker_.store(request.line.physical(), request.sectors, record.versions);
    } else {
      versions_.put(request.line, request.sectors, record.versions);
    }
  }
  /// A read finds the sectors here.
  void hit(const Request& request, bool perfect, sim::Cycle now) {
    if (request.record == 0) return;
    if (request.line.is_virtual()) checker_.serves(checker_.at(request.record), request.line, false, now);
    Versions& got = checker_.at(request.record).versions;
    if (perfect) {
      checker_.load(request.line.physical(), request.sectors, got);
    } else {
      versions_.get(request.line, request.sectors, got);
    }
  }
  /// The slice asks memory for these units.
  void fetch(std::uint32_t miss, LineTag line, std::uint32_t units) {
    checker_.load(line.physical(), units, fetched_[miss]);
  }
  /// The slice asks the table behind a virtual L2 for units of a line: the record for their versions.
  [[nodiscard]] std::uint32_t ask(std::uint32_t miss, LineTag line, sim::Cycle now) {
    return asked_[miss] = checker_.open({line.virtual_line(), line.space()}, now);
  }
  /// What was asked for so has come.
  void came(std::uint32_t miss) {
    const auto asked = asked_.find(miss);
    if (asked == asked_.end()) return;
    fetched_[miss] = checker_.at(asked->second).versions;
    drop(miss);
  }
  /// What was asked for so does not come.
  void drop(std::uint32_t miss) {
    if (const auto asked = asked_.find(miss); asked != asked_.end()) {
      checker_.close(asked->second);
      asked_.erase(asked);
    }
  }
  /// The record for what is dirty of a virtual line that leaves.
  [[nodiscard]] std::uint32_t leave(const CacheLine& line, sim::Cycle now) {
    const std::uint32_t record = checker_.open({line.tag.virtual_line(), line.tag.space()}, now);
    versions_.get(line.tag, line.dirty, checker_.at(record).versions);
    return record;
  }
  /// The table behind a virtual L2 is told that a line leaves.
  void leaves(LineTag line) { checker_.leaves(line); }
  /// What is dirty of a virtual line is in memory now.
  void store(const CacheLine& line, PhysLine at) { checker_.store(at, line.dirty, versions_.at(line.tag)); }
  /// The host has put these units of a line here, which were not: they are what memory has.
  void host_wrote(LineTag line, std::uint32_t units) {
    Versions got{};
    checker_.load(line.physical(), units, got);
    versions_.put(line, units, got);
  }
  /// What a miss fetched becomes part of the line; `valid` was there before.
  void fill(std::uint32_t miss, LineTag line, std::uint32_t units, std::uint32_t valid) {
    versions_.put(line, units & ~valid, fetched_[miss]);
  }
  /// A read gets what its miss fetched, without the line being kept.
  void pass(std::uint32_t miss, const Request& request, sim::Cycle now) {
    if (request.record == 0) return;
    if (request.line.is_virtual()) checker_.serves(checker_.at(request.record), request.line, false, now);
    for_each_unit(request.sectors, [&](unsigned u) { checker_.at(request.record).versions[u] = fetched_[miss][u]; });
  }
  void write_back(const CacheLine& line) { checker_.store(line.tag.physical(), line.dirty, versions_.at(line.tag)); }

 private:
  LineChecker& checker_;
  CacheVersions versions_;
  std::unordered_map<std::uint32_t, Versions> fetched_;     ///< by miss
  std::unordered_map<std::uint32_t, std::uint32_t> asked_;  ///< records, by miss
};

}  // namespace heddle::memory
