#include "session/summary.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/kernel_name.h"
#include "gpu/gpu.h"
#include "runtime/machine.h"
#include "session/records.h"

namespace heddle::session {
namespace {

double ratio(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

/// The stream is said where there are several.
void print_kernel(std::FILE* out, const runtime::LaunchStatistics& launch, const std::string& name, bool streams) {
  fmt::print(out, "  {:<28} ", name);
  if (streams) fmt::print(out, "stream {:>2}, ", launch.stream);
  fmt::print(out, "grid {:>6} x {} x {}, block {:>4}: {:>12} warp instructions", launch.grid.x, launch.grid.y,
             launch.grid.z, launch.block.count(), grouped(launch.warp_instructions));
  if (launch.cycles != 0) fmt::print(out, ", {:>12} cycles", grouped(launch.cycles));
  if (launch.timed_blocks != 0 && launch.timed_blocks != launch.grid.count())
    fmt::print(out, " for {} of its {} blocks", grouped(launch.timed_blocks), grouped(launch.grid.count()));
  fmt::print(out, "\n");
}

/// Where the schedulers' issue slots went. Every slot is in exactly one row.
void print_slots(std::FILE* out, const std::map<std::string, std::uint64_t>& counters) {
  struct Row {
    const char* counter;
    const char* text;
  };
  static constexpr Row kRows[] = {
      {"slot_issued", "an instruction issued"},
      {"slot_memory_data", "waiting for data from memory"},
      {"slot_result", "waiting for an arithmetic result"},
      {"slot_barrier", "at a barrier or fence"},
      {"slot_fetch", "fetching instructions"},
      {"slot_memory_queue", "load/store unit full"},
      {"slot_pipe_busy", "pipelines or collectors busy"},
      {"slot_memory_order", "behind an atomic of the same thread"},
      {"slot_policy", "held back by the scheduler"},
      {"slot_operands", "registers not ready"},
      {"slot_no_warp", "no warp"},
  };
  std::uint64_t all = 0;
  for (const Row& row : kRows) all += counters.at(fmt::format("gpu.sm.{}", row.counter));
  fmt::print(out, "  issue slots of busy SMs\n");
  for (const Row& row : kRows) {
    const std::uint64_t value = counters.at(fmt::format("gpu.sm.{}", row.counter));
    if (value != 0) fmt::print(out, "    {:<38} {:>6.2f} %\n", row.text, 100 * ratio(value, all));
  }
}

/// Names to the left, values up to one column.
void print_highlights(std::FILE* out, const std::vector<results::Highlight>& all) {
  constexpr std::size_t kValueEnd = 38;
  for (const results::Highlight& one : all)
    fmt::print(out, "  {}{:>{}}   {}\n", one.name, one.value, kValueEnd - one.name.size(), one.detail);
}

void print_timed(std::FILE* out, const gpu::GpuParameters& p, const std::map<std::string, std::uint64_t>& counters) {
  std::map<std::string, double> statistics;
  for (const auto& [path, value] : counters) statistics[path] = static_cast<double>(value);
  const results::Highlights shown = results::highlights(statistics, effective_configuration(p));
  print_highlights(out, shown.progress);
  print_slots(out, counters);
  print_highlights(out, shown.memory);
  print_highlights(out, shown.translation);
}

void print_kernels(const std::vector<const runtime::Device*>& devices, std::FILE* out, const KernelName& name) {
  const bool chosen = !devices[0]->machine().phases().phases().kernels.empty();
  bool streams = false;
  for (const runtime::Device* device : devices) {
    for (const runtime::LaunchStatistics& launch : device->launches()) streams = streams || launch.stream != 0;
  }
  for (const runtime::Device* device : devices) {
    for (const runtime::LaunchStatistics& launch : device->launches()) {
      if (chosen && launch.timed_blocks == 0) continue;
      print_kernel(out, launch, name ? name(launch.kernel) : short_kernel_name(launch.kernel), streams);
    }
  }
}

/// Host time in which at least one launch was running: those that run side by side share it.
double seconds_in_kernels(const std::vector<const runtime::Device*>& devices) {
  std::vector<std::pair<double, double>> spans;
  for (const runtime::Device* device : devices) {
    for (const runtime::LaunchStatistics& launch : device->launches())
      spans.emplace_back(launch.host_began, launch.host_began + launch.host_seconds);
  }
  std::sort(spans.begin(), spans.end());
  double sum = 0;
  double until = 0;
  for (const auto& [begin, end] : spans) {
    sum += std::max(0.0, end - std::max(begin, until));
    until = std::max(until, end);
  }
  return sum;
}

}  // namespace

void print_summary(const std::vector<const runtime::Device*>& devices, double seconds, bool kernels, std::FILE* out,
                   const KernelName& name) {
  std::uint64_t launches = 0;
  std::uint64_t warp = 0;
  std::uint64_t thread = 0;
  for (const runtime::Device* device : devices) {
    for (const runtime::LaunchStatistics& launch : device->launches()) {
      ++launches;
      warp += launch.warp_instructions;
      thread += launch.thread_instructions;
    }
  }
  if (kernels) print_kernels(devices, out, name);
  fmt::print(out, "  kernel launches       {:>16}\n", grouped(launches));
  if (gpu::Gpu* gpu = devices[0]->gpu(); gpu != nullptr) {
    const runtime::PhaseControl& phases = devices[0]->machine().phases();
    if (!phases.phases().given()) {
      const auto counters = sim::totals(gpu->statistics());
      print_timed(out, gpu->parameters(), counters);
      // Launches that were stopped have counted what they did.
      warp = counters.at("gpu.sm.instructions");
      thread = counters.at("gpu.sm.thread_instructions");
    } else {
      fmt::print(out, "  phases                {}\n", phases.describe());
      fmt::print(out, "  blocks timed          {:>16}   {} executed without timing\n", grouped(phases.timed_blocks()),
                 grouped(phases.untimed_blocks()));
      const auto counted = phases.counted(*gpu);
      if (!counted.empty()) print_timed(out, gpu->parameters(), counted);
      fmt::print(out, "  all warp instructions {:>16}   timed or not\n", grouped(warp));
    }
  } else {
    fmt::print(out, "  warp instructions     {:>16}\n", grouped(warp));
  }
  fmt::print(out, "  thread instructions   {:>16}   {:.1f} of 32 lanes active\n", grouped(thread), ratio(thread, warp));
  const double simulating = seconds_in_kernels(devices);
  fmt::print(out, "  host time             {:>14.3f} s   {:.3f} s in kernels", seconds, simulating);
  if (simulating > 0)
    fmt::print(out, ", {:.3f} M warp instructions per second", static_cast<double>(warp) * 1e-6 / simulating);
  fmt::print(out, "\n");
}

void print_applications(const std::vector<const runtime::Device*>& devices,
                        const std::vector<results::ApplicationRecord>& applications, std::FILE* out) {
  const bool timed = devices[0]->gpu() != nullptr;
  const auto requests = [](const results::ApplicationRecord& application) {
    return application.counters.at("gpu.l2.hits") + application.counters.at("gpu.l2.misses");
  };
  std::uint64_t all_requests = 0;
  std::uint64_t all_bursts = 0;
  for (const results::ApplicationRecord& application : applications) {
    if (!timed) break;
    all_requests += requests(application);
    all_bursts += application.counters.at("gpu.l2.dram_reads");
  }
  fmt::print(out, "  {:<18} {:>8} {:>16}", "application", "launches", "warp instr.");
  if (timed) fmt::print(out, " {:>16} {:>7} {:>9} {:>9} {:>10}", "cycles", "IPC", "of L2", "L2 hits", "of DRAM");
  fmt::print(out, "\n");
  for (std::size_t a = 0; a < applications.size(); ++a) {
    const results::ApplicationRecord& application = applications[a];
    std::uint64_t warp = 0;
    for (const runtime::LaunchStatistics& launch : devices[a]->launches()) warp += launch.warp_instructions;
    fmt::print(out, "  {:<18} {:>8} {:>16}", application.name, grouped(devices[a]->launches().size()), grouped(warp));
    if (timed) {
      fmt::print(out, " {:>16} {:>7.2f} {:>7.1f} % {:>7.1f} % {:>8.1f} %", grouped(application.cycles),
                 ratio(warp, application.cycles), 100 * ratio(requests(application), all_requests),
                 100 * ratio(application.counters.at("gpu.l2.hits"), requests(application)),
                 100 * ratio(application.counters.at("gpu.l2.dram_reads"), all_bursts));
    }
    fmt::print(out, "\n");
  }
}

}  // namespace heddle::session
