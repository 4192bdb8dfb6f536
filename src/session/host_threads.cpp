#include "session/host_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "base/diagnostics.h"

namespace heddle::session {

namespace {

constexpr unsigned kMost = 256;
constexpr unsigned kSmsPerThread = 4;

/// 0 if nothing is chosen.
unsigned chosen_by_environment() {
  const char* chosen = std::getenv("HEDDLE_THREADS");
  if (chosen == nullptr || *chosen == '\0') return 0;
  const std::string_view text = chosen;
  unsigned threads = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
  if (error != std::errc() || end != text.data() + text.size() || threads == 0 || threads > kMost)
    throw UserError(fmt::format("HEDDLE_THREADS: '{}' is no number from 1 to {}", text, kMost));
  return threads;
}

/// Processors' worth of time in every period; 0: no limit.
double allowed_time(const std::string& folder) {
  double quota = 0;
  double period = 0;
  if (std::ifstream both(folder + "/cpu.max"); both) {  // "max 100000" without a limit, which is no number
    return both >> quota >> period && period > 0 ? quota / period : 0;
  }
  std::ifstream quota_file(folder + "/cpu/cpu.cfs_quota_us");
  std::ifstream period_file(folder + "/cpu/cpu.cfs_period_us");
  const bool limited = quota_file >> quota && period_file >> period && quota > 0 && period > 0;
  return limited ? quota / period : 0;
}

}  // namespace

unsigned usable_processors(const std::string& group_folder) {
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  const double time = allowed_time(group_folder);
  return time > 0 ? std::clamp(static_cast<unsigned>(std::floor(time)), 1u, processors) : processors;
}

unsigned host_threads(const MachineOptions& options, const gpu::GpuParameters* gpu) {
  if (options.threads != 0) return options.threads;
  if (gpu == nullptr || !options.check.empty()) return 1;
  if (const unsigned chosen = chosen_by_environment(); chosen != 0) return chosen;
  const unsigned helpful = (gpu->sms + kSmsPerThread - 1) / kSmsPerThread;
  return std::min({helpful, usable_processors(), kMost});
}

}  // namespace heddle::session
