// Workloads side by side on one GPU, each in an address space of its own.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/machine.h"
#include "small_gpu.h"
#include "workloads/workload.h"

namespace heddle::test {

struct Together {
  std::vector<bool> passed;
  std::vector<std::uint64_t> cycles;  ///< when each ended
  std::map<std::string, std::uint64_t> counters;
};

/// At their smallest size, on three SMs and two partitions.
inline Together run_together(const std::vector<const char*>& names,
                             const std::vector<std::pair<std::string, std::string>>& changes, unsigned threads = 1) {
  auto gpu = std::make_shared<gpu::GpuParameters>();
  gpu->set_text("sms", "3");
  gpu->set_text("memory.partitions", "2");
  for (const auto& [path, value] : changes) gpu->set_text(path, value);
  runtime::MachineOptions options;
  options.gpu = gpu;
  options.threads = threads;
  options.applications = static_cast<unsigned>(names.size());
  const auto machine = std::make_shared<runtime::Machine>(options);
  std::vector<std::unique_ptr<runtime::Device>> devices;
  std::vector<std::function<void()>> programs;
  Together result;
  result.passed.resize(names.size());
  result.cycles.resize(names.size());
  std::vector<char> passed(names.size());
  for (std::size_t a = 0; a < names.size(); ++a) {
    devices.push_back(std::make_unique<runtime::Device>(machine, runtime::Device::Options{}));
    programs.emplace_back([&, a] {
      const workloads::Workload* workload = workloads::find(names[a]);
      workloads::Request request;
      request.elements = workload->sizes().front().elements;
      passed[a] = workload->run(*devices[a], request).passed ? 1 : 0;
    });
  }
  machine->run_together(programs);
  for (std::size_t a = 0; a < names.size(); ++a) {
    result.passed[a] = passed[a] != 0;
    for (const runtime::LaunchStatistics& launch : devices[a]->launches())
      result.cycles[a] = std::max(result.cycles[a], launch.ended_at);
  }
  result.counters = sim::totals(machine->gpu()->statistics());
  return result;
}

/// Builds with sanitizers have some of the workloads only.
inline bool all_here(const std::vector<const char*>& names) {
  return std::all_of(names.begin(), names.end(), [](const char* name) { return workloads::find(name) != nullptr; });
}

}  // namespace heddle::test
