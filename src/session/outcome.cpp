#include "session/outcome.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/gpu.h"
#include "session/energy.h"

namespace heddle::session {
namespace {

bool is_followed(const std::string& path) {
  static const std::vector<std::string> parts{"sm.instructions", ".slot_",       ".l1_reads",   ".l1_hits",
                                              ".data_bus_busy",  ".mmu.lookups", ".mmu.misses", ".walker.walks",
                                              ".walker.active",  ".scavenger.sm"};
  static const std::vector<std::string> of_application{".instructions", ".warp_cycles", ".outstanding"};
  if (path.find(".application_") != std::string::npos) {
    return path.find(".sm.application_") != std::string::npos &&
           std::any_of(of_application.begin(), of_application.end(),
                       [&](const std::string& name) { return path.ends_with(name); });
  }
  return std::any_of(parts.begin(), parts.end(),
                     [&](const std::string& part) { return path.find(part) != std::string::npos; });
}

constexpr std::size_t kMostSamples = 128;

}  // namespace

std::unique_ptr<sim::Sampler> make_sampler(gpu::Gpu& gpu) {
  return std::make_unique<sim::Sampler>(gpu.statistics(), is_followed, kMostSamples);
}

void add_counters(runtime::Machine& machine, sim::Sampler& sampler, results::RunOutcome& outcome) {
  gpu::Gpu& gpu = *machine.gpu();
  sampler.finish(gpu.now());
  const runtime::PhaseControl& phases = machine.phases();
  const auto counters = phases.phases().given() ? phases.counted(gpu) : sim::totals(gpu.statistics());
  for (const auto& [path, total] : counters) outcome.statistics[path] = static_cast<double>(total);
  add_energy(gpu.parameters(), outcome.statistics);
  for (const sim::Sampler::Series& series : sampler.series())
    outcome.series.push_back({series.path, sampler.ends(), series.growth});
}

}  // namespace heddle::session
