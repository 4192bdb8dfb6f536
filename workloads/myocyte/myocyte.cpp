// Heart muscle cells with different stimuli and surroundings, 4 to 12 attempted steps each (more cells, more steps).
// The check integrates in double precision, with the steps the GPU took.
//
// Tolerance: a step's error of rounding is some 100 operations of 2^-24 relative to the variable and to the size of its
// increments; the upstroke's sodium current may multiply what came before by ten. 12 * 100 * 2^-24 * 10 = 7e-4,
// relative to a variable or to 1 % of its range (100 mV for the voltage, 1 for gates, 0.01 for calcium). The gate m is
// stiff: at rest it relaxes within 6 us, so the step control drives the step to the limit of stability, where rounding
// grows to what it lets pass, 0.001 * (0.001 + m) a step.
#include <algorithm>
#include <array>
#include <cmath>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/myocyte/reference.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(myocyte)

namespace heddle::workloads::myocyte {
namespace {

using myocyte_model::kParameters;
using myocyte_model::kVariables;

constexpr std::uint32_t kBlock = 32;
constexpr std::uint32_t kMostSteps = 12;
constexpr double kTolerance = 7e-4;
constexpr double kStepTolerance = 0.001;
constexpr std::size_t kStiff = 1;  // the gate m

std::vector<float> make_parameters(std::uint32_t cells, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> parameters;
  for (std::uint32_t i = 0; i < cells; ++i) {
    // Stimulus (some cells get none), its end in ms, potassium outside in mM, rate of calmodulin.
    const float stimulus = random.below(4) == 0 ? 0.0f : random.uniform(30.0f, 80.0f);
    for (const float value :
         {stimulus, random.uniform(0.5f, 2.0f), random.uniform(4.5f, 6.0f), random.uniform(0.05f, 0.15f)}) {
      parameters.push_back(value);
    }
  }
  return parameters;
}

class Myocyte final : public Workload {
 public:
  Myocyte()
      : Workload({.name = "myocyte",
                  .summary = "Heart muscle cells, one thread each: few warps, long chains of exponentials, own step "
                             "sizes.",
                  .suite = "Rodinia",
                  .papers = {{"regless", "myocyte", {}}},
                  .kernels = {{"myocyte_solve", "myocyte_1"}},
                  .unit = "cells",
                  .sizes = {{"tiny", 6}, {"small", 500}, {"medium", 5'000}},
                  .least = 1,
                  .most = 1'000'000,
                  .ptx = embedded::myocyte}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto cells = static_cast<std::uint32_t>(request.elements);
    const std::uint32_t attempts = std::clamp(cells / 20, 4u, kMostSteps);
    const std::vector<float> parameters = make_parameters(cells, request.seed);
    std::vector<float> first;
    for (std::uint32_t i = 0; i < cells; ++i) {
      for (const double value : myocyte::resting_state()) first.push_back(static_cast<float>(value));
    }
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> variables(device, first);
    const runtime::DeviceArray<float> device_parameters(device, parameters);
    const runtime::DeviceArray<float> scratch(device, first.size() * 7);
    const runtime::DeviceArray<float> steps(device, std::size_t{cells} * attempts);
    const runtime::DeviceArray<std::int32_t> step_counts(device, cells);
    device.launch(module.kernel("myocyte_solve"), {blocks_for(cells, kBlock)}, {kBlock}, 0, variables.address(),
                  device_parameters.address(), scratch.address(), cells, attempts, steps.address(),
                  step_counts.address());
    return check(parameters, attempts, variables.download(), steps.download(), step_counts.download());
  }

 private:
  static Outcome check(const std::vector<float>& parameters, std::uint32_t attempts, const std::vector<float>& actual,
                       const std::vector<float>& steps, const std::vector<std::int32_t>& counts) {
    std::vector<float> expected;
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      if (counts[cell] < 1 || counts[cell] > static_cast<std::int32_t>(attempts)) {
        return {false, fmt::format("cell {} made {} steps, 1 to {} are possible", cell, counts[cell], attempts)};
      }
      std::array<double, kParameters> p{};
      for (std::size_t i = 0; i < p.size(); ++i) p[i] = static_cast<double>(parameters[cell * kParameters + i]);
      myocyte::State y = myocyte::resting_state();
      double time = 0;
      for (std::int32_t i = 0; i < counts[cell]; ++i) {
        const auto step = static_cast<double>(steps[cell * attempts + static_cast<std::size_t>(i)]);
        y = myocyte::advance(y, p.data(), time, step).state;
        time += step;
      }
      for (const double value : y) expected.push_back(static_cast<float>(value));
    }
    // Brought to a common scale: voltage, gates, calcium, calmodulin. The stiff gate is compared on its own.
    std::vector<float> scaled_expected, scaled_actual, stiff_expected, stiff_actual;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::size_t v = i % kVariables;
      const float scale = v == 0 ? 0.01f : v == 7 ? 100.0f : 1.0f;
      (v == kStiff ? stiff_expected : scaled_expected).push_back(expected[i] * scale);
      (v == kStiff ? stiff_actual : scaled_actual).push_back(actual[i] * scale);
    }
    constexpr double kPassed = kMostSteps * kStepTolerance;
    return both(compare_close(scaled_expected, scaled_actual, kTolerance, 0.01 * kTolerance, "variables"),
                compare_close(stiff_expected, stiff_actual, kPassed, 0.001 * kPassed, "gates m"));
  }
};

}  // namespace

HEDDLE_WORKLOAD(Myocyte)

}  // namespace heddle::workloads::myocyte
