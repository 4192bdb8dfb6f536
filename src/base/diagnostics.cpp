#include "base/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle {

void Diagnostics::error(SourcePlace place, std::string message) {
  ++count_;
  if (errors_.size() < kMaxErrors) errors_.push_back({place, std::move(message)});
}

std::string Diagnostics::text() const {
  std::vector<Diagnostic> sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.place.line != b.place.line ? a.place.line < b.place.line : a.place.column < b.place.column;
  });
  std::string out;
  for (const Diagnostic& d : sorted) {
    if (d.place.line == 0) {
      out += fmt::format("{}: error: {}\n", input_name_, d.message);
    } else {
      out += fmt::format("{}:{}:{}: error: {}\n", input_name_, d.place.line, d.place.column, d.message);
    }
  }
  if (count_ > errors_.size())
    out += fmt::format("{}: {} more errors not shown\n", input_name_, count_ - errors_.size());
  return out;
}

void Diagnostics::throw_if_errors() const {
  if (ok()) return;
  std::string message = text();
  if (!message.empty() && message.back() == '\n') message.pop_back();
  throw UserError(message);
}

}  // namespace heddle
