// What papers say of the workloads beside what was measured at the largest size: `heddle list --papers`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/characteristics.h"

namespace heddle::cli {

/// One thing that a paper says of a workload.
struct PaperRow {
  std::string_view workload;
  std::string_view paper;
  std::string_view name;  ///< the paper's
  workloads::Trait says = {};
  std::string size;      ///< the size it was measured at; empty: not measured
  std::string measured;  ///< the figure that decides, e.g. "31.2 % missed"
  bool agrees = false;
};

[[nodiscard]] std::vector<PaperRow> paper_rows(const MeasuredSuite& suite);
/// In columns, for a terminal.
[[nodiscard]] std::string paper_table(const MeasuredSuite& suite);
/// The page docs/characteristics.md.
[[nodiscard]] std::string paper_page(const MeasuredSuite& suite);

}  // namespace heddle::cli
