// How many warp instructions per second the functional machine executes, end to end, on one core.
//
// Whole workloads from launch to checked result; the rate counts the time inside kernels only. `lanes` is the mean
// number of active lanes: what a divergent kernel executes per instruction.
#include <benchmark/benchmark.h>

#include <string>

#include "runtime/device.h"
#include "workloads/workload.h"

namespace heddle {
namespace {

void run(benchmark::State& state, const std::string& name, std::uint64_t elements) {
  const workloads::Workload* workload = workloads::find(name);
  double instructions = 0;
  double threads = 0;
  double seconds = 0;
  for (auto _ : state) {
    runtime::Device device;
    const workloads::Outcome outcome = workload->run(device, {elements, 1});
    if (!outcome.passed) {
      state.SkipWithError(outcome.detail.c_str());
      return;
    }
    double spent = 0;
    for (const runtime::LaunchStatistics& launch : device.launches()) {
      instructions += static_cast<double>(launch.warp_instructions);
      threads += static_cast<double>(launch.thread_instructions);
      spent += launch.host_seconds;
    }
    state.SetIterationTime(spent);
    seconds += spent;
  }
  state.counters["warp_instructions/s"] = instructions / seconds;
  state.counters["lanes"] = threads / instructions;
}

/// The goals: 20 million per second on the tiled product, 8 million on the graph search.
BENCHMARK_CAPTURE(run, sgemm, "sgemm", 256)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, bfs, "bfs", 200'000)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, spmv, "spmv", 50'000)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run, reduction, "reduction", 4'000'000)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace heddle
