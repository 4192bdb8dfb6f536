#include "runtime/phases.h"

#include <fmt/format.h>

#include "gpu/gpu.h"

namespace heddle::runtime {

PhaseControl::Mark PhaseControl::mark(gpu::Gpu& gpu, sim::Cycle now) {
  return {now, gpu.instructions(), sim::totals(gpu.statistics())};
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
}

std::map<std::string, std::uint64_t> PhaseControl::counted(gpu::Gpu& gpu) const {
  if (stage_ == Stage::before || stage_ == Stage::warming) return {};
  std::map<std::string, std::uint64_t> counters = stage_ == Stage::after ? to_.counters : sim::totals(gpu.statistics());
  for (auto& [path, value] : counters) value -= from_.counters.at(path);
  return counters;
}

std::string text(const Phases& phases) {
  const auto amount = [](const Amount& a) {
    return fmt::format("{} {}", a.value, a.unit == Amount::Unit::cycles ? "cycles" : "warp instructions");
  };
  std::string text = phases.first_launch == 0 ? std::string("timed from the first launch")
                                              : fmt::format("timed from launch {}", phases.first_launch);
  if (phases.warmup.value != 0) text += fmt::format(", not counted for {}", amount(phases.warmup));
  text += phases.window.value != 0 ? fmt::format(", counted for {}", amount(phases.window)) : ", counted to the end";
  return text;
}

std::string PhaseControl::describe() const {
  std::string text = runtime::text(phases_);
  if (stage_ == Stage::before) return text + "; the program ended before that launch";
  if (stage_ == Stage::warming) return text + "; the program ended in the warm-up";
  if (phases_.window.value != 0 && stage_ == Stage::counting) text += "; the program ended in the window";
  return text;
}

}  // namespace heddle::runtime
