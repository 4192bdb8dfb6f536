#include "runtime/phases.h"

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "base/kernel_name.h"
#include "gpu/gpu.h"
#include "sim/configuration.h"

namespace heddle::runtime {

PhaseControl::PhaseControl(const Phases& phases) : phases_(phases), skip_left_(phases.skip) {
  if (phases.kernels.empty()) return;
  try {
    kernels_.emplace(phases.kernels);
  } catch (const std::regex_error& error) {
    throw UserError(fmt::format("--kernels {}: is no regular expression: {}", phases.kernels, error.what()));
  }
}

bool PhaseControl::matches(const std::string& kernel) const {
  return std::regex_search(kernel_name(kernel), *kernels_);
}

PhaseControl::Mark PhaseControl::mark(gpu::Gpu& gpu, sim::Cycle now) {
  return {now, gpu.instructions(), gpu.counters().read()};
}

bool PhaseControl::reached(const Amount& amount, const Mark& since, std::uint64_t instructions, sim::Cycle now) {
  if (amount.unit == Amount::Unit::cycles) return now - since.cycle >= amount.value;
  return instructions - since.instructions >= amount.value;
}

void PhaseControl::begin(gpu::Gpu& gpu, sim::Cycle now) {
  if (stage_ != Stage::before || !phases_.given()) return;
  begin_ = from_ = mark(gpu, now);
  stage_ = phases_.warmup.value != 0 ? Stage::warming : Stage::counting;
}

void PhaseControl::look(gpu::Gpu& gpu, sim::Cycle now) {
  if (stage_ == Stage::warming && reached(phases_.warmup, begin_, gpu.instructions(), now)) {
    from_ = mark(gpu, now);
    stage_ = Stage::counting;
    return;
  }
  const bool limited = stage_ == Stage::counting && phases_.window.value != 0;
  if (!limited || !reached(phases_.window, from_, gpu.instructions(), now)) return;
  to_ = mark(gpu, now);
  stage_ = Stage::after;
  gpu.stop_dispatch();
}

sim::CounterTable::Values PhaseControl::window_values(gpu::Gpu& gpu) const {
  const sim::CounterTable& all = gpu.counters();
  return all.between(from_.counters, stage_ == Stage::after ? to_.counters : all.read());
}

std::map<std::string, std::uint64_t> PhaseControl::counted(gpu::Gpu& gpu) const {
  if (!has_window()) return {};
  const sim::ValuesInstead window(gpu.counters(), window_values(gpu));
  return gpu.counters().totals();
}

void PhaseControl::write_statistics(std::ostream& out, gpu::Gpu& gpu) const {
  const sim::CounterTable& all = gpu.counters();
  const sim::ValuesInstead window(all,
                                  has_window() ? window_values(gpu) : sim::CounterTable::Values(all.read().size(), 0));
  sim::write_json(out, gpu.statistics(), {{"window", describe()}});
}

std::string text(const Phases& phases) {
  const auto amount = [](const Amount& a) {
    return fmt::format("{} {}", a.value, a.unit == Amount::Unit::cycles ? "cycles" : "warp instructions");
  };
  std::string text = phases.kernels.empty() ? "timed" : fmt::format("kernels that '{}' finds timed", phases.kernels);
  text += phases.first_launch == 0 ? " from the first launch" : fmt::format(" from launch {}", phases.first_launch);
  if (phases.skip != 0) text += fmt::format(" after {} warp instructions", phases.skip);
  if (phases.warmup.value != 0) text += fmt::format(", not counted for {}", amount(phases.warmup));
  text += phases.window.value != 0 ? fmt::format(", counted for {}", amount(phases.window)) : ", counted to the end";
  return text;
}

std::string PhaseControl::describe() const {
  std::string text = runtime::text(phases_);
  if (stage_ == Stage::before) return text + "; the program ended before that";
  if (stage_ == Stage::warming) return text + "; the program ended in the warm-up";
  if (phases_.window.value != 0 && stage_ == Stage::counting) text += "; the program ended in the window";
  text += fmt::format("; cycles {} to ", from_.cycle);
  text += stage_ == Stage::after ? fmt::format("{}", to_.cycle) : "the end";
  return text;
}

}  // namespace heddle::runtime
