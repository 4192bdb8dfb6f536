#include <fmt/format.h>
#include <xxhash.h>

#include "results/record.h"

namespace heddle::results {

std::string hash(std::string_view text) {
  const XXH128_hash_t value = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", value.high64, value.low64);
}

std::string identity(const RunDescription& run) {
  // Each part on a line of its own, with its length before it where the text is free, so that no two lists are alike.
  std::string all = fmt::format("heddle run 1\n{}:{}\n{}\n{}\n{}\n{}\n{}:{}\n", run.workload.size(), run.workload,
                                run.elements, run.seed, run.mode, hash(run.program), run.version.size(), run.version);
  if (!run.phases.empty()) all += fmt::format("phases {}:{}\n", run.phases.size(), run.phases);
  for (const auto& [path, value] : run.configuration) all += fmt::format("{}={}:{}\n", path, value.size(), value);
  return hash(all);
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::running:
      return "running";
    case Status::passed:
      return "passed";
    case Status::wrong:
      return "wrong";
    case Status::error:
      return "error";
    case Status::interrupted:
      return "interrupted";
    case Status::killed:
      return "killed";
  }
  return "";
}

}  // namespace heddle::results
