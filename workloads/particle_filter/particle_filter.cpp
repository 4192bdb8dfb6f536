// A particle filter: an object on a straight path through a noisy video, two frames. After each kernel its results are
// compared with what the CPU makes of the GPU's own inputs to it, so that a difference in the last place of a logarithm
// cannot grow. Positions and weights have a tolerance (logf, cosf and expf have one of some units in the last place;
// positions are up to the video's size plus five normal numbers); all else is exact.
#include <algorithm>
#include <cmath>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/particle_filter/model.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(particle_filter)

namespace heddle::workloads::particle_filter {
namespace {

constexpr std::uint32_t kThreads = 512;
constexpr std::uint32_t kSide = 128;
constexpr std::uint32_t kFrames = 3;
constexpr int kRadius = 5;

/// Pixel by pixel, the frames of a pixel together.
std::vector<std::uint8_t> make_video(std::uint64_t seed) {
  Random random(seed, 13);
  std::vector<std::uint8_t> video(std::size_t{kSide} * kSide * kFrames);
  for (std::size_t i = 0; i < video.size(); ++i) {
    const auto frame = static_cast<int>(i % kFrames);
    const int row = static_cast<int>(i / kFrames / kSide) - (static_cast<int>(kSide) / 2 + frame);
    const int column = static_cast<int>(i / kFrames % kSide) - (static_cast<int>(kSide) / 2 - 2 * frame);
    const bool inside = row * row + column * column < kRadius * kRadius;
    const int noise = static_cast<int>(random.below(21)) - 10;
    video[i] = static_cast<std::uint8_t>((inside ? kBright : kDark) + noise);
  }
  return video;
}

std::vector<std::int32_t> make_disc() {
  std::vector<std::int32_t> disc;
  for (int y = -kRadius + 1; y < kRadius; ++y) {
    for (int x = -kRadius + 1; x < kRadius; ++x) {
      if (x * x + y * y < kRadius * kRadius) disc.insert(disc.end(), {y, x});
    }
  }
  return disc;
}

/// All of the filter's arrays, on either side.
struct State {
  std::vector<float> x, y, chosen_x, chosen_y, weights, partial_sums, cumulative, targets;
  std::vector<std::int32_t> seeds;
};

float draw(std::int32_t& seed) {
  seed = next_seed(seed);
  return std::abs(static_cast<float>(seed) / kSeedRange);
}

float draw_normal(std::int32_t& seed) {
  const float u = draw(seed);
  const float v = draw(seed);
  return std::sqrt(-2.0f * std::log(u)) * std::cos(2.0f * kPi * v);
}

/// Before: `state` as the GPU had it before the likelihood kernel. After it, the GPU's are `actual`.
Outcome check_likelihood(State state, const State& actual, const std::vector<std::int32_t>& disc,
                         const std::vector<std::uint8_t>& video, int frame) {
  const std::size_t particles = state.x.size();
  for (std::size_t i = 0; i < particles; ++i) {
    state.x[i] = state.chosen_x[i] + 1.0f + 5.0f * draw_normal(state.seeds[i]);
    state.y[i] = state.chosen_y[i] - 2.0f + 2.0f * draw_normal(state.seeds[i]);
    std::int32_t difference = 0;
    for (std::size_t p = 0; p < disc.size(); p += 2) {
      const std::int32_t row = round_to_int(actual.x[i]) + disc[p + 1];
      const std::int32_t column = round_to_int(actual.y[i]) + disc[p];
      auto at = static_cast<std::size_t>(
          std::abs((row * static_cast<int>(kSide) + column) * static_cast<int>(kFrames) + frame));
      if (at >= video.size()) at = 0;
      const std::int32_t dark = video[at] - kDark;
      const std::int32_t bright = video[at] - kBright;
      difference += dark * dark - bright * bright;
    }
    const float likelihood =
        std::max(static_cast<float>(difference) / (50.0f * static_cast<float>(disc.size() / 2)) - 300.0f, -60.0f);
    state.weights[i] = 1.0f / static_cast<float>(particles) * std::exp(likelihood);
  }
  std::vector<float> sums;
  for (std::size_t begin = 0; begin < particles; begin += kThreads) {
    std::vector<float> block(kThreads, 0.0f);
    for (std::size_t i = 0; i < kThreads && begin + i < particles; ++i) block[i] = actual.weights[begin + i];
    for (std::size_t half = kThreads / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) block[i] += block[i + half];
    }
    sums.push_back(block[0]);
  }
  // 2^-20 is eight units in the last place; numbers of the video's size plus noise lose them below 256 * 2^-23.
  constexpr double kPlace = kSide * 2 * 0x1p-20;
  Outcome outcome = both(compare_close(state.x, actual.x, 0.0, kPlace, "rows"),
                         compare_close(state.y, actual.y, 0.0, kPlace, "columns"));
  outcome = both(outcome, compare_exact(state.seeds, actual.seeds, "seeds"));
  // Differences from 300 are rounded to 300 * 2^-24; expf turns that into a relative error.
  outcome = both(outcome, compare_close(state.weights, actual.weights, 300 * 0x1p-23, 0.0, "weights"));
  return both(outcome, compare_exact(sums, actual.partial_sums, "partial sums"));
}

Outcome check_resampling(const State& before, const State& actual) {
  const std::size_t particles = before.x.size();
  float sum = 0.0f;
  for (const float partial : before.partial_sums) sum += partial;
  State state = before;
  float total = 0.0f;
  for (std::size_t i = 0; i < particles; ++i) {
    total += before.weights[i] / sum;
    state.cumulative[i] = total;
  }
  state.targets.assign(particles, 0.0f);
  state.targets[0] = 1.0f / static_cast<float>(particles) * draw(state.seeds[0]);
  for (std::size_t i = 0; i < particles; ++i) {
    const float target = state.targets[0] + static_cast<float>(i) / static_cast<float>(particles);
    const auto at =
        std::find_if(state.cumulative.begin(), state.cumulative.end(), [&](float c) { return c >= target; });
    const auto index = std::min(static_cast<std::size_t>(at - state.cumulative.begin()), particles - 1);
    state.chosen_x[i] = before.x[index];
    state.chosen_y[i] = before.y[index];
  }
  return both(compare_exact(state.cumulative, actual.cumulative, "cumulative weights"),
              both(compare_exact(state.chosen_x, actual.chosen_x, "chosen rows"),
                   compare_exact(state.chosen_y, actual.chosen_y, "chosen columns")));
}

class ParticleFilter final : public Workload {
 public:
  ParticleFilter()
      : Workload({.name = "particle_filter",
                  .summary = "Follows an object in a video: random moves, gathers from a disc of pixels, one thread's "
                             "running sum, linear searches.",
                  .suite = "Rodinia",
                  .papers = {{"regless", "particle_filter", {}}, {"warppool", "pf_1", {}}},
                  .kernels = {{"particle_filter_likelihood", "pf_1"},
                              {"particle_filter_sum", "pf_2"},
                              {"particle_filter_normalize", "pf_3"},
                              {"particle_filter_find_index", "pf_4"}},
                  .unit = "particles",
                  .sizes = {{"tiny", 200}, {"small", 500}, {"medium", 900}, {"paper", 1'000}},
                  .least = 1,
                  .most = 4'000'000,
                  .ptx = embedded::particle_filter}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto particles = static_cast<std::uint32_t>(request.elements);
    const std::vector<std::uint8_t> video = make_video(request.seed);
    const std::vector<std::int32_t> disc = make_disc();
    Random random(request.seed);
    std::vector<std::int32_t> first_seeds(particles);
    for (auto& seed : first_seeds) seed = static_cast<std::int32_t>(random.below(0x7fffffff));
    const std::vector<float> middle(particles, static_cast<float>(kSide) / 2);

    const runtime::Module module = load(device);
    const std::uint32_t blocks = blocks_for(particles, kThreads);
    const runtime::DeviceArray<std::uint8_t> device_video(device, video);
    const runtime::DeviceArray<std::int32_t> device_disc(device, disc);
    const runtime::DeviceArray<std::int32_t> seeds(device, first_seeds);
    const runtime::DeviceArray<float> x(device, middle);
    const runtime::DeviceArray<float> y(device, middle);
    const runtime::DeviceArray<float> chosen_x(device, middle);
    const runtime::DeviceArray<float> chosen_y(device, middle);
    const runtime::DeviceArray<float> weights(device, particles);
    const runtime::DeviceArray<float> partial_sums(device, blocks);
    const runtime::DeviceArray<float> cumulative(device, particles);
    const runtime::DeviceArray<float> targets(device, particles);
    const auto download = [&] {
      return State{x.download(),          y.download(),       chosen_x.download(),
                   chosen_y.download(),   weights.download(), partial_sums.download(),
                   cumulative.download(), targets.download(), seeds.download()};
    };
    Outcome outcome{true, ""};
    State state = download();
    for (std::uint32_t frame = 1; frame < kFrames && outcome.passed; ++frame) {
      device.launch(module.kernel("particle_filter_likelihood"), {blocks}, {kThreads}, 0, x.address(), y.address(),
                    chosen_x.address(), chosen_y.address(), device_disc.address(),
                    static_cast<std::uint32_t>(disc.size() / 2), device_video.address(), kSide, kFrames,
                    static_cast<std::uint32_t>(video.size()), frame, weights.address(), seeds.address(), particles,
                    partial_sums.address());
      State moved = download();
      outcome = check_likelihood(state, moved, disc, video, static_cast<int>(frame));
      device.launch(module.kernel("particle_filter_sum"), {1}, {1}, 0, partial_sums.address(), blocks);
      device.launch(module.kernel("particle_filter_normalize"), {blocks}, {kThreads}, 0, weights.address(), particles,
                    partial_sums.address(), cumulative.address(), targets.address(), seeds.address());
      device.launch(module.kernel("particle_filter_find_index"), {blocks}, {kThreads}, 0, x.address(), y.address(),
                    cumulative.address(), targets.address(), chosen_x.address(), chosen_y.address(), particles);
      state = download();
      outcome = both(outcome, check_resampling(moved, state));
    }
    return outcome;
  }
};

}  // namespace

HEDDLE_WORKLOAD(ParticleFilter)

}  // namespace heddle::workloads::particle_filter
