// Rows and columns, printed for people or programs.
#pragma once

#include <string>
#include <vector>

#include "results/query.h"

namespace heddle::results {

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
};

/// Aligned columns; numbers to the right.
[[nodiscard]] std::string to_columns(const Table& table);
/// RFC 4180.
[[nodiscard]] std::string to_csv(const Table& table);
/// An array of objects.
[[nodiscard]] std::string to_json(const Table& table);

/// Runs as a table. A column is a name or an expression.
[[nodiscard]] Table table_of(const std::vector<RunRow>& rows, const std::vector<std::string>& columns);
/// Sorts by a column's name; "-NAME" the other way round. Rows without a value come last.
void sort_rows(std::vector<RunRow>& rows, const std::string& by);

}  // namespace heddle::results
