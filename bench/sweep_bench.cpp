// What one run of a sweep consists of besides its process, each part by itself: reading the machine, simulating, and
// recording. The runs are those of bench/sweep_overhead, which takes the processor time of the simulation from here.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "cli/database_keeper.h"
#include "cli/simulation.h"
#include "results/store.h"

namespace {

using namespace heddle;

cli::RunRequest request(std::uint64_t number) {
  constexpr std::array kWorkloads{"vectoradd", "bfs", "reduction", "scan", "histogram"};
  cli::RunRequest made;
  made.workload = kWorkloads[number % kWorkloads.size()];
  made.size = "tiny";
  made.seed = 1 + number / kWorkloads.size() % 10;
  made.machine.changes = {number % 2 == 0 ? "sm.l1.kib=16" : "sm.l1.kib=48",
                          number % 4 < 2 ? "sm.schedulers=1" : "sm.schedulers=2"};
  return made;
}

void prepare(benchmark::State& state) {
  std::uint64_t number = 0;
  for (auto _ : state) benchmark::DoNotOptimize(cli::prepare(request(number++)));
}

void simulate(benchmark::State& state) {
  std::uint64_t number = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const cli::PreparedRun run = cli::prepare(request(number++));
    state.ResumeTiming();
    benchmark::DoNotOptimize(cli::simulate(run, {}, {}));
  }
}

void record(benchmark::State& state) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("heddle-bench-" + std::to_string(getpid()));
  const std::string file = (folder / "results.db").string();
  {
    const cli::DatabaseKeeper keeper(file);
    const cli::PreparedRun run = cli::prepare(request(1));
    const results::RunOutcome outcome = cli::simulate(run, {}, {});
    for (auto _ : state) {
      results::Store store(file);
      store.finish(store.begin(run.description), outcome);
    }
  }
  std::filesystem::remove_all(folder);
}

BENCHMARK(prepare)->Unit(benchmark::kMillisecond);
BENCHMARK(simulate)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK(record)->Unit(benchmark::kMillisecond);

}  // namespace
