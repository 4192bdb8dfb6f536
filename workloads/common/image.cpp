#include "workloads/common/image.h"

#include <algorithm>
#include <cmath>

#include "workloads/common/random.h"

namespace heddle::workloads {

std::vector<Disc> random_discs(std::uint32_t count, std::uint32_t rows, std::uint32_t columns, float least_radius,
                               std::uint64_t seed) {
  Random random(seed, 3);
  std::vector<Disc> discs(count);
  for (Disc& disc : discs) {
    disc.row = random.uniform(0.0f, static_cast<float>(rows));
    disc.column = random.uniform(0.0f, static_cast<float>(columns));
    disc.radius = random.uniform(least_radius, 2.0f * least_radius);
    disc.contrast = random.uniform(60.0f, 120.0f);
  }
  return discs;
}

Image speckled_image(std::uint32_t rows, std::uint32_t columns, const std::vector<Disc>& discs, float speckle,
                     std::uint64_t seed) {
  constexpr float kGround = 60.0f;
  Image image{rows, columns, std::vector<float>(std::size_t{rows} * columns, kGround)};
  for (const Disc& disc : discs) {
    const auto clamped = [](float value, std::uint32_t limit) {
      return static_cast<std::uint32_t>(std::clamp(value, 0.0f, static_cast<float>(limit)));
    };
    const float reach = disc.radius + 2.0f;
    for (std::uint32_t y = clamped(disc.row - reach, rows); y < clamped(disc.row + reach, rows); ++y) {
      for (std::uint32_t x = clamped(disc.column - reach, columns); x < clamped(disc.column + reach, columns); ++x) {
        const float dy = static_cast<float>(y) - disc.row;
        const float dx = static_cast<float>(x) - disc.column;
        const float inside = disc.radius - std::sqrt(dy * dy + dx * dx);
        image.pixels[std::size_t{y} * columns + x] += disc.contrast * std::clamp(0.5f * inside + 0.5f, 0.0f, 1.0f);
      }
    }
  }
  Random random(seed, 4);
  for (float& v : image.pixels) v = std::clamp(v * random.uniform(1.0f - speckle, 1.0f + speckle), 1.0f, 255.0f);
  return image;
}

}  // namespace heddle::workloads
