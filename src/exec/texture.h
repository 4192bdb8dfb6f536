// Texture objects: how a kernel's texture read finds and converts its data.
//
// Textures read linear or pitched global memory. One- and two-dimensional; point and linear filtering; the address
// modes of CUDA; element formats of 1, 2 or 4 channels (CUDA C++ Programming Guide, "Texture Memory" and "Texture
// Fetching").
#pragma once

#include <array>
#include <cstdint>

namespace heddle::exec {

enum class ChannelKind : std::uint8_t { unsigned_integer, signed_integer, floating };
enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };

struct Texture {
  std::uint64_t address = 0;  ///< in global memory
  std::uint32_t width = 0;    ///< elements
  std::uint32_t height = 1;
  std::uint64_t pitch = 0;         ///< bytes from one row to the next
  std::uint8_t channels = 1;       ///< 1, 2 or 4
  std::uint8_t channel_bytes = 4;  ///< 1, 2 or 4
  ChannelKind kind = ChannelKind::floating;
  bool normalized_float = false;        ///< integers of 8 and 16 bits read as floats in [0, 1] or [-1, 1]
  bool normalized_coordinates = false;  ///< coordinates run from 0 to 1
  bool linear_filter = false;
  std::array<AddressMode, 2> address_mode{AddressMode::clamp, AddressMode::clamp};

  [[nodiscard]] unsigned element_bytes() const { return unsigned{channels} * channel_bytes; }
};

/// Where texels are read from: a host pointer to an element's bytes, or nullptr outside all allocations.
using TexelReader = const std::uint8_t* (*)(void* context, std::uint64_t address, unsigned bytes);

/// The four channels of a read, as 32-bit values: float bits, or integers if the texture yields integers.
struct TexelResult {
  std::array<std::uint32_t, 4> channel{};
  std::uint64_t address = 0;  ///< of the first element read; 0 when only the border was
  bool ok = true;             ///< false: `address` is not in any allocation
};

/// Reads at integer element coordinates (tex with .s32 coordinates).
[[nodiscard]] TexelResult read_texel(const Texture& texture, std::int64_t x, std::int64_t y, TexelReader reader,
                                     void* context);
/// Reads at float coordinates, with the texture's filter.
[[nodiscard]] TexelResult sample(const Texture& texture, float x, float y, bool two_dimensional, TexelReader reader,
                                 void* context);

}  // namespace heddle::exec
