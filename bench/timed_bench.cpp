// End-to-end speed of timed simulation: warp instructions per second on fermi-gtx480, one thread unless said.
//
// The sizes are those of the comparison table in the README. Run with --benchmark_filter=NAME for one.
#include <benchmark/benchmark.h>

#include "runtime/device.h"
#include "session/machine.h"
#include "workloads/workload.h"

namespace {

struct Case {
  const char* gpu;
  const char* workload;
  std::uint64_t elements;
  unsigned threads = 1;
  const char* design = "";
};

void run_timed(benchmark::State& state, const Case& c) {
  const heddle::workloads::Workload* workload = heddle::workloads::find(c.workload);
  if (workload == nullptr) {
    state.SkipWithError("there is no such workload");
    return;
  }
  const auto parameters = heddle::session::load_gpu(c.gpu, c.design, {});
  std::uint64_t instructions = 0;
  std::uint64_t cycles = 0;
  double seconds = 0;
  for (auto _ : state) {
    heddle::runtime::Device::Options options;
    options.gpu = parameters;
    options.threads = c.threads;
    options.memory_bytes = std::uint64_t{4} << 30;  // so little that valgrind takes it
    heddle::runtime::Device device(options);
    if (!workload->run(device, {c.elements, 1}).passed) state.SkipWithError("the workload failed");
    double simulating = 0;
    for (const auto& launch : device.launches()) {
      instructions += launch.warp_instructions;
      cycles += launch.cycles;
      simulating += launch.host_seconds;
    }
    state.SetIterationTime(simulating);
    seconds += simulating;
  }
  state.counters["warp_instructions_per_second"] = static_cast<double>(instructions) / seconds;
  state.counters["cycles_per_second"] = static_cast<double>(cycles) / seconds;
}

void add(const char* label, const Case& c) {
  benchmark::RegisterBenchmark(label, [c](benchmark::State& state) { run_timed(state, c); })
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  add("fermi/vectoradd_512K", {"fermi-gtx480", "vectoradd", 512 * 1024});
  add("fermi/sgemm_192", {"fermi-gtx480", "sgemm", 192});
  add("fermi/fma_chain", {"fermi-gtx480", "fma_chain", 20480});
  add("fermi/bfs_16K", {"fermi-gtx480", "bfs", 16384});
  add("fermi/chase_random_20480", {"fermi-gtx480", "chase_random", 20480});
  // The same behind TLBs and walkers.
  add("translated/vectoradd_512K", {"fermi-gtx480", "vectoradd", 512 * 1024, 1, "power-d3"});
  add("translated/sgemm_192", {"fermi-gtx480", "sgemm", 192, 1, "power-d3"});
  add("translated/fma_chain", {"fermi-gtx480", "fma_chain", 20480, 1, "power-d3"});
  add("translated/bfs_16K", {"fermi-gtx480", "bfs", 16384, 1, "power-d3"});
  add("translated/chase_random_20480", {"fermi-gtx480", "chase_random", 20480, 1, "power-d3"});
  add("h200/sgemm_512_one_thread", {"h200", "sgemm", 512, 1});
  add("h200/sgemm_512_two_threads", {"h200", "sgemm", 512, 2});
  return true;
}();

}  // namespace
