// A kernel launch in a stream.
#pragma once

#include <chrono>
#include <optional>

#include "exec/grid.h"
#include "runtime/device_implementation.h"

namespace heddle::runtime {

class LaunchOperation final : public Operation {
 public:
  /// `config` lacks what only the machine knows; it is completed here.
  LaunchOperation(DeviceImplementation& device, Stream stream, const LoadedModule& module,
                  const compile::KernelCode& code, exec::LaunchConfig config);
  ~LaunchOperation() override;
  LaunchOperation(const LaunchOperation&) = delete;
  LaunchOperation& operator=(const LaunchOperation&) = delete;

  [[nodiscard]] bool advance(sim::Cycle now) override;

 private:
  /// Executes blocks without timing, from the first that has not run until `enough` warp instructions are executed.
  /// Returns false, to be called again, if they only wait for something outside.
  [[nodiscard]] bool run_functional(std::uint64_t enough);
  void submit();
  void collect();
  void finish();
  [[nodiscard]] std::string place(std::uint32_t pc) const;
  [[nodiscard]] LaunchError describe(const exec::ProgramFault& fault) const;

  DeviceImplementation& device_;
  const LoadedModule& module_;
  exec::LaunchConfig config_;
  std::optional<exec::Launch> launch_;
  std::optional<exec::GridRun> grid_;  ///< while blocks run without timing
  core::KernelInstance kernel_;
  std::uint64_t first_timed_ = 0;  ///< blocks before were executed without timing
  LaunchStatistics statistics_;
  std::chrono::steady_clock::time_point begin_;
  std::uint64_t id_ = 0;
  bool ended_ = false;
  sim::CounterTable::Values before_;  ///< all counters when it began, if nothing else ran then
  std::uint64_t submissions_ = 0;
};

}  // namespace heddle::runtime
