// Heart wall tracking: points on the inner and outer wall of a beating heart, seen by ultrasound, followed from frame
// to frame. Templates, windows, points and frames grow with the image up to Rodinia's 51 points with templates of 51x51
// in windows of 81x81. Every operation has its counterpart in the reference, so positions and templates are compared
// exactly.
#include "workloads/heartwall/reference.h"

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/image.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(heartwall)

namespace heddle::workloads::heartwall {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kUpdateEvery = 4;

struct Movie {
  std::vector<std::vector<float>> frames;
  std::vector<heartwall::Point> points;
};

/// Tissue is a texture of discs that all breathe around the middle of the image; the wall's points lie on two ellipses.
Movie make_movie(std::uint32_t side, std::uint32_t frames, std::uint32_t points, std::uint64_t seed) {
  const auto n = static_cast<float>(side);
  const std::vector<Disc> tissue = random_discs(20 + side, side, side, std::max(1.5f, n / 60.0f), seed);
  Movie movie;
  for (std::uint32_t f = 0; f < frames; ++f) {
    const float phase = static_cast<float>(f % 8) - 3.5f;
    const float breath = 1.0f - 0.005f * phase * phase;
    std::vector<Disc> moved = tissue;
    for (Disc& disc : moved) {
      disc.row = (disc.row - n / 2) * breath + n / 2;
      disc.column = (disc.column - n / 2) * breath + n / 2;
    }
    movie.frames.push_back(speckled_image(side, side, moved, 0.1f, seed + f).pixels);
  }
  Random random(seed, 12);
  for (std::uint32_t i = 0; i < points; ++i) {
    const float radius = n * (i % 5 < 2 ? 0.2f : 0.3f);  // 20 of 51 on the inner wall
    const float x = random.uniform(-1.0f, 1.0f);
    const float y = (i % 2 == 0 ? 1.0f : -1.0f) * std::sqrt(1.0f - x * x);
    movie.points.push_back({static_cast<int>(n / 2 + radius * y), static_cast<int>(n / 2 + radius * x), {}});
  }
  return movie;
}

class Heartwall final : public Workload {
 public:
  Heartwall()
      : Workload({.name = "heartwall",
                  .summary = "Tracks points in ultrasound frames: one block per point, one long kernel per frame with "
                             "convolutions, cumulative sums and much control flow.",
                  .suite = "Rodinia",
                  .papers = {{"regless", "heartwall", {}}, {"scavenger", "HW", {Trait::kMemoryBound}}},
                  .kernels = {{"heartwall_track", "heartwall_1"}},
                  .unit = "frame rows (the frame is square; everything else scales with it)",
                  .sizes = {{"tiny", 80}, {"small", 150}, {"medium", 220}, {"paper", 600}},
                  .least = 16,
                  .most = 8'192,
                  .ptx = embedded::heartwall}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto side = static_cast<std::uint32_t>(request.elements);
    const int half = std::clamp(static_cast<int>(side) / 24, 2, 25);
    const HeartGeometry geometry = heart_geometry(static_cast<int>(side), half, half * 8 / 5);
    const std::uint32_t frames = std::clamp(side / 30, 3u, 20u);
    Movie movie = make_movie(side, frames, std::clamp(side / 16, 2u, 51u), request.seed);

    const std::vector<heartwall::Point> actual = track_on(device, geometry, movie);
    const heartwall::Tracker tracker(geometry);
    for (heartwall::Point& point : movie.points) {
      tracker.take_template(movie.frames[0], point);
      for (std::uint32_t f = 1; f < frames; ++f) tracker.track(movie.frames[f], f % kUpdateEvery == 0, point);
    }
    return both(compare_exact(positions(movie.points), positions(actual), "coordinates"),
                compare_exact(templates(movie.points), templates(actual), "template pixels"));
  }

 private:
  std::vector<heartwall::Point> track_on(runtime::Device& device, const HeartGeometry& geometry,
                                         const Movie& movie) const {
    const runtime::Module module = load(device);
    const runtime::Kernel track = module.kernel("heartwall_track");
    std::vector<heartwall::Point> points = movie.points;
    const auto template_side = static_cast<std::size_t>(geometry.template_side);
    const std::size_t template_words = template_side * template_side;
    const runtime::DeviceArray<std::int32_t> locations(device, positions(points));
    const runtime::DeviceArray<float> device_templates(device, points.size() * template_words);
    const runtime::DeviceArray<float> scratch(device, points.size() * static_cast<std::size_t>(geometry.words));
    runtime::DeviceArray<float> frame(device, movie.frames[0].size());
    for (std::uint32_t f = 0; f < movie.frames.size(); ++f) {
      frame.upload(movie.frames[f]);
      const std::uint32_t update = f % kUpdateEvery == 0 ? 1 : 0;
      device.launch(track, {static_cast<std::uint32_t>(points.size())}, {kThreads}, 0, geometry, frame.address(), f,
                    update, locations.address(), device_templates.address(), scratch.address());
    }
    const std::vector<std::int32_t> found = locations.download();
    const std::vector<float> pixels = device_templates.download();
    for (std::size_t i = 0; i < points.size(); ++i) {
      points[i].row = found[2 * i];
      points[i].column = found[2 * i + 1];
      const auto begin = pixels.begin() + static_cast<std::ptrdiff_t>(i * template_words);
      points[i].turned.assign(begin, begin + static_cast<std::ptrdiff_t>(template_words));
    }
    return points;
  }

  static std::vector<std::int32_t> positions(const std::vector<heartwall::Point>& points) {
    std::vector<std::int32_t> result;
    for (const auto& point : points) result.insert(result.end(), {point.row, point.column});
    return result;
  }
  static std::vector<float> templates(const std::vector<heartwall::Point>& points) {
    std::vector<float> result;
    for (const auto& point : points) result.insert(result.end(), point.turned.begin(), point.turned.end());
    return result;
  }
};

}  // namespace

HEDDLE_WORKLOAD(Heartwall)

}  // namespace heddle::workloads::heartwall
