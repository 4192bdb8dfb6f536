#include "cli/paper_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace heddle::cli {
namespace {

using workloads::Trait;

struct Tally {
  unsigned agree = 0;
  unsigned differ = 0;
  unsigned unmeasured = 0;

  void add(const PaperRow& row) {
    if (row.size.empty()) {
      ++unmeasured;
    } else {
      ++(row.agrees ? agree : differ);
    }
  }
};

/// The largest size that was measured; nullptr if none was.
const std::pair<const std::string, Characteristics>* largest(const MeasuredSuite& suite, std::string_view workload) {
  const auto found = suite.table.find(workload);
  if (found == suite.table.end()) return nullptr;
  const std::pair<const std::string, Characteristics>* best = nullptr;
  for (const auto& entry : found->second) {
    if (best == nullptr || entry.second.elements > best->second.elements) best = &entry;
  }
  return best;
}

std::string figure(const Characteristics& c, Trait trait) {
  switch (trait) {
    case Trait::kL1TlbLow:
    case Trait::kL1TlbHigh:
      return fmt::format("{:.1f} % missed", 100 * c.l1_tlb_miss_rate);
    case Trait::kL2TlbLow:
    case Trait::kL2TlbHigh:
      return fmt::format("{:.1f} % missed", 100 * c.l2_tlb_miss_rate);
    case Trait::kMemoryBound:
    case Trait::kComputeBound:
      return fmt::format("{:.0f} % of slots", 100 * c.memory_stall_share);
    case Trait::kTranslationLow:
    case Trait::kTranslationHigh:
      return fmt::format("{:.3f} per cycle", c.translations_per_cycle());
    case Trait::kDivergent:
    case Trait::kCoalesced:
      return fmt::format("{:.2f} lines", c.lines_per_access);
  }
  return {};
}

const char* result(const PaperRow& row) {
  if (row.size.empty()) return "not measured";
  return row.agrees ? "agrees" : "differs";
}

std::string summary(const Tally& tally) {
  return fmt::format("{} agree, {} differ, {} not measured", tally.agree, tally.differ, tally.unmeasured);
}

}  // namespace

std::vector<PaperRow> paper_rows(const MeasuredSuite& suite) {
  std::vector<PaperRow> rows;
  for (const workloads::Workload* workload : workloads::all()) {
    const auto* run = largest(suite, workload->name());
    for (const workloads::PaperUse& use : workload->description().papers) {
      for (const Trait trait : use.says) {
        PaperRow row{workload->name(), use.paper, use.name, trait, "", "", false};
        if (run != nullptr) {
          row.size = run->first;
          row.measured = figure(run->second, trait);
          row.agrees = run->second.has(trait);
        }
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

std::string paper_table(const MeasuredSuite& suite) {
  std::string out = fmt::format("{:<16} {:<16} {:<16} {:<28} {:<11} {:<16} {}\n", "workload", "paper", "name there",
                                "the paper says", "measured at", "measured", "result");
  Tally tally;
  for (const PaperRow& row : paper_rows(suite)) {
    tally.add(row);
    out += fmt::format("{:<16} {:<16} {:<16} {:<28} {:<11} {:<16} {}\n", row.workload, row.paper, row.name,
                       text(row.says), row.size, row.measured, result(row));
  }
  return out + summary(tally) + "\n";
}

std::string paper_page(const MeasuredSuite& suite) {
  const std::vector<PaperRow> rows = paper_rows(suite);
  std::map<std::string_view, Tally> papers;
  Tally all;
  for (const PaperRow& row : rows) {
    papers[row.paper].add(row);
    all.add(row);
  }
  std::string out = fmt::format(
      "# What papers say of the benchmarks, and what was measured\n\n"
      "Written by `heddle list --papers --markdown` from `presets/workloads/characteristics.toml`; do not edit. "
      "Measured "
      "on {}, each workload alone, at the largest size that was measured. What the words mean and why some differ: "
      "[workloads.md](workloads.md).\n\n{}.\n\n"
      "| paper | agree | differ | not measured |\n|---|---:|---:|---:|\n",
      suite.gpu, summary(all));
  for (const auto& [paper, tally] : papers)
    out += fmt::format("| {} | {} | {} | {} |\n", paper, tally.agree, tally.differ, tally.unmeasured);
  out += "\n| workload | paper | name there | the paper says | measured | at | |\n|---|---|---|---|---:|---|---|\n";
  for (const PaperRow& row : rows) {
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", row.workload, row.paper, row.name, text(row.says),
                       row.measured, row.size, result(row));
  }
  return out;
}

}  // namespace heddle::cli
