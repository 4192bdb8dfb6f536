// Synthetic grey images for the image-processing workloads.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::workloads {

struct Image {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::vector<float> pixels;  ///< row by row

  [[nodiscard]] float at(std::uint32_t row, std::uint32_t column) const {
    return pixels[std::size_t{row} * columns + column];
  }
};

/// A disc of an image: brighter inside by `contrast`, with an edge of two pixels.
struct Disc {
  float row = 0;
  float column = 0;
  float radius = 0;
  float contrast = 0;
};

/// Discs drawn anywhere in the image, with radii in [least_radius, 2 * least_radius) and contrasts of 60 to 120.
[[nodiscard]] std::vector<Disc> random_discs(std::uint32_t count, std::uint32_t rows, std::uint32_t columns,
                                             float least_radius, std::uint64_t seed);

/// The discs on a ground of 60, multiplied by speckle (uniform in [1 - speckle, 1 + speckle)), as ultrasound makes it.
/// Values lie in [1, 255].
[[nodiscard]] Image speckled_image(std::uint32_t rows, std::uint32_t columns, const std::vector<Disc>& discs,
                                   float speckle, std::uint64_t seed);

}  // namespace heddle::workloads
