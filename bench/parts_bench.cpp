// The parts of the timing model by themselves: operations per second of each, away from everything around it.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "core/coalescing.h"
#include "core/memory_instruction.h"
#include "core/parameters.h"
#include "core/warp_scheduler.h"
#include "gpu/parameters.h"
#include "memory/cache.h"
#include "memory/network.h"
#include "memory/partition.h"

namespace heddle {
namespace {

std::vector<std::uint64_t> random_lines(std::size_t count, std::uint64_t different) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> lines(count);
  for (std::uint64_t& line : lines) line = random() % different * 128;
  return lines;
}

/// Looks lines up and brings those that are not there; the argument is the footprint in percent of the cache.
void cache_tags(benchmark::State& state) {
  core::SmParameters p;
  sim::StatisticGroup statistics("l1");
  memory::CacheTags tags(p.l1, statistics);
  const auto lines = random_lines(1 << 14, p.l1.kib * 1024u / 128 * static_cast<std::uint64_t>(state.range(0)) / 100);
  std::size_t i = 0;
  std::uint64_t hits = 0;
  for (auto _ : state) {
    const memory::LineTag line(memory::PhysLine{lines[i++ % lines.size()]});
    memory::CacheLine* found = tags.find(line);
    if (found != nullptr) {
      tags.touch(*found);
      ++hits;
    } else {
      memory::CacheLine evicted;
      tags.allocate(line, evicted)->valid = 0xf;
    }
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["hit_rate"] = static_cast<double>(hits) / static_cast<double>(state.iterations());
}
BENCHMARK(cache_tags)->Arg(50)->Arg(400);

/// Keeps a miss table full: one comes, the oldest goes. The argument is its size.
void miss_table(benchmark::State& state) {
  const auto entries = static_cast<unsigned>(state.range(0));
  memory::MissTable misses(entries, 8);
  const auto lines = random_lines(1 << 14, std::uint64_t{1} << 30);
  std::vector<std::uint32_t> ring(entries);
  std::size_t i = 0;
  for (auto _ : state) {
    if (misses.full()) misses.remove(ring[i % entries]);
    const memory::LineTag line(memory::PhysLine{lines[i % lines.size()]});
    if (misses.find(line)) {
      state.SkipWithError("a line came twice");
      break;
    }
    ring[i % entries] = misses.add(line, true);
    ++i;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(miss_table)->Arg(32)->Arg(512);

/// A warp's 32 addresses to lines; the argument is the distance of neighbours in bytes.
void coalescer(benchmark::State& state) {
  exec::MemoryAccess access;
  access.bytes = 4;
  access.lanes = kAllLanes;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    access.address[lane] = 0x10000 + lane * static_cast<std::uint64_t>(state.range(0));
  core::Lines lines;
  for (auto _ : state) {
    lines.clear();
    core::coalesce(access, access.lanes, 128, lines);
    benchmark::DoNotOptimize(lines.begin());
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["lines"] = static_cast<double>(lines.size());
}
BENCHMARK(coalescer)->Arg(4)->Arg(64)->Arg(4096);

/// A quantum's messages from 15 senders into one inbox, collected in order; the argument is messages per sender.
void network_inbox(benchmark::State& state) {
  constexpr std::size_t kSenders = 15;
  sim::Exchange exchange(1);
  sim::Bell bell;
  sim::Inbox<memory::Response> inbox(exchange, bell);
  std::vector<memory::Response> collected;
  sim::Cycle now = 0;
  for (auto _ : state) {
    collected.clear();
    for (std::size_t sender = 0; sender < kSenders; ++sender) {
      for (std::int64_t m = 0; m < state.range(0); ++m) {
        memory::Response response;
        response.arrival = now + static_cast<sim::Cycle>(m) * 3 + sender % 4;
        response.partition = static_cast<std::uint16_t>(sender);
        inbox.send(response);
      }
    }
    exchange.turn_over();
    benchmark::DoNotOptimize(inbox.collect(collected));
    now += 100;
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kSenders) * state.range(0));
}
BENCHMARK(network_inbox)->Arg(1)->Arg(8);

/// Picks among 24 warps of which half are ready.
void scheduler(benchmark::State& state, const std::string& name) {
  core::SmParameters p;
  p.set_text("scheduler", name);
  sim::StatisticGroup statistics("sm");
  const auto policy = p.scheduler.make(statistics, "", core::SchedulerSetup{});
  for (int w = 0; w < 24; ++w) policy->started(w, static_cast<std::uint64_t>(w));
  std::mt19937_64 random(1);
  std::vector<core::WarpSet> ready(1 << 10);
  for (core::WarpSet& set : ready) set = random() & random() & 0xffffff;
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(policy->pick({.ready = ready[i % ready.size()], .now = i}));
    ++i;
  }
  state.SetItemsProcessed(state.iterations());
}
const bool kSchedulers = [] {
  for (const std::string& name : core::SchedulerRegistry::instance().names()) {
    benchmark::RegisterBenchmark(("scheduler/" + name).c_str(),
                                 [name](benchmark::State& state) { scheduler(state, name); });
  }
  return true;
}();

/// An L2 slice with its DRAM channel under a steady stream of reads from one SM; the argument is the footprint in KiB.
void l2_slice(benchmark::State& state) {
  gpu::GpuParameters p;
  p.set_text("memory.partitions", "1");
  sim::Exchange exchange(1);
  memory::Network network(p.network, exchange, {1, 1});
  const memory::AddressMap map(p.memory);
  sim::StatisticGroup root("root");
  memory::Partition slice({p.l2, p.dram, map, network, root, static_cast<double>(p.core_mhz), 0, {}});
  const auto lines = random_lines(1 << 14, static_cast<std::uint64_t>(state.range(0)) * 1024 / 128);
  std::vector<memory::Response> answers;
  std::vector<memory::Credit> credits;
  const sim::Cycle quantum = p.network.latency;
  unsigned allowed = p.network.credits;
  sim::Cycle now = 0;
  std::uint64_t sent = 0;
  std::uint64_t answered = 0;
  for (auto _ : state) {
    for (; allowed != 0; --allowed) {
      memory::Request request;
      request.line = memory::LineTag(memory::PhysLine{lines[sent++ % lines.size()]});
      request.bytes = memory::kSectorUnit;
      request.arrival = now + quantum;
      network.requests(0).send(request);
    }
    exchange.turn_over();
    slice.receive();
    slice.run(now, now + quantum);
    now += quantum;
    answers.clear();
    benchmark::DoNotOptimize(network.responses(0).collect(answers));
    answered += answers.size();
    credits.clear();
    benchmark::DoNotOptimize(network.credits(0).collect(credits));
    allowed += static_cast<unsigned>(credits.size());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(answered));
}
BENCHMARK(l2_slice)->Arg(64)->Arg(65536);

}  // namespace
}  // namespace heddle
