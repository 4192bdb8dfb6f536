#include "cli/workload_options.h"

#include <fmt/format.h>

#include <charconv>

#include "base/diagnostics.h"

namespace heddle::cli {

const workloads::Workload& find_workload(const std::string& name) {
  if (const workloads::Workload* found = workloads::find(name)) return *found;
  std::string known;
  for (const workloads::Workload* w : workloads::all())
    known += fmt::format("{}{}", known.empty() ? "" : ", ", w->name());
  throw UserError(fmt::format("there is no workload '{}' (known: {})", name, known));
}

std::uint64_t resolve_size(const workloads::Workload& workload, const std::string& text) {
  std::string known;
  for (const workloads::SizePreset& preset : workload.sizes()) {
    if (preset.name == text) return preset.elements;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", preset.name);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto [least, most] = workload.size_range();
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw UserError(fmt::format("--size {}: must be one of {} or a number of {} from {} to {}", text, known,
                                workload.description().unit, least, most));
  }
  return value;
}

}  // namespace heddle::cli
