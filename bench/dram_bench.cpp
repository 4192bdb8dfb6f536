// Requests per second of one DRAM channel, by pattern and scheduler.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "memory/dram.h"

namespace heddle::memory {

namespace {

enum Pattern { kRandomReads, kStreamOfReads, kRandomMix };

/// Keeps the queues full and jumps from event to event, as a memory partition does.
void saturate(benchmark::State& state, Pattern pattern, const char* scheduler) {
  DramParameters p;
  p.set("scheduler", sim::ParameterValue(std::string(scheduler)));
  sim::StatisticGroup root("root");
  DramChannel channel(p, root, "dram");
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> places(1 << 16);
  for (std::uint64_t& place : places) place = random() % (1u << 24) * p.burst_bytes();
  std::vector<std::uint32_t> done;
  DramCycle now = 0;
  std::uint32_t sent = 0;
  std::uint64_t answered = 0;
  for (auto _ : state) {
    const std::uint64_t target = answered + 10000;
    while (answered < target) {
      while (true) {
        const bool write = pattern == kRandomMix && sent % 3 == 2;
        if (!channel.can_accept(write)) break;
        const std::uint64_t address =
            pattern == kStreamOfReads ? std::uint64_t{sent} * p.burst_bytes() : places[sent % places.size()];
        channel.push({address, sent++, 0, write}, now);
      }
      done.clear();
      channel.tick(now, done);
      answered += done.size();
      now = channel.next_event(now + 1);
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(answered));
  state.counters["cycles/s"] = benchmark::Counter(static_cast<double>(now.count()), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(saturate, random_reads_fr_fcfs, kRandomReads, "fr-fcfs");
BENCHMARK_CAPTURE(saturate, stream_of_reads_fr_fcfs, kStreamOfReads, "fr-fcfs");
BENCHMARK_CAPTURE(saturate, random_mix_fr_fcfs, kRandomMix, "fr-fcfs");
BENCHMARK_CAPTURE(saturate, random_reads_fcfs, kRandomReads, "fcfs");

}  // namespace

}  // namespace heddle::memory
