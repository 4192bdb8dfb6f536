#include "exec/texture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "exec/alu/half.h"

namespace heddle::exec {
namespace {

/// An index inside [0, size), by the address mode; -1: the border.
std::int64_t place(std::int64_t i, std::int64_t size, AddressMode mode) {
  if (i >= 0 && i < size) return i;
  switch (mode) {
    case AddressMode::clamp:
      return i < 0 ? 0 : size - 1;
    case AddressMode::wrap:
      return ((i % size) + size) % size;
    case AddressMode::mirror: {
      const std::int64_t period = ((i % (2 * size)) + 2 * size) % (2 * size);
      return period < size ? period : 2 * size - 1 - period;
    }
    case AddressMode::border:
      break;
  }
  return -1;
}

bool yields_float(const Texture& t) { return t.kind == ChannelKind::floating || t.normalized_float; }

/// One channel from memory, as the 32 bits the program gets.
std::uint32_t convert(const Texture& t, const std::uint8_t* from) {
  std::uint32_t raw = 0;
  std::memcpy(&raw, from, t.channel_bytes);
  if (t.kind == ChannelKind::floating)
    return t.channel_bytes == 2 ? std::bit_cast<std::uint32_t>(widen(Half{static_cast<std::uint16_t>(raw)})) : raw;
  const unsigned bits = 8u * t.channel_bytes;
  std::int64_t value = raw;
  if (t.kind == ChannelKind::signed_integer && bits < 32)
    value = static_cast<std::int32_t>(raw << (32 - bits)) >> (32 - bits);
  if (!t.normalized_float) return static_cast<std::uint32_t>(value);
  const bool is_signed = t.kind == ChannelKind::signed_integer;
  const auto most = static_cast<float>((std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1);
  return std::bit_cast<std::uint32_t>(std::max(static_cast<float>(value) / most, -1.0f));
}

}  // namespace

TexelResult read_texel(const Texture& texture, std::int64_t x, std::int64_t y, TexelReader reader, void* context) {
  TexelResult result;
  x = place(x, texture.width, texture.address_mode[0]);
  y = place(y, texture.height, texture.address_mode[1]);
  if (x < 0 || y < 0) return result;  // the border is zero
  // Channels that the format lacks read 0, the fourth 1, as an integer or a float.
  if (texture.channels < 4) result.channel[3] = yields_float(texture) ? std::bit_cast<std::uint32_t>(1.0f) : 1;
  result.address = texture.address + static_cast<std::uint64_t>(y) * texture.pitch +
                   static_cast<std::uint64_t>(x) * texture.element_bytes();
  const std::uint8_t* at = reader(context, result.address, texture.element_bytes());
  if (at == nullptr) {
    result.ok = false;
    return result;
  }
  for (unsigned c = 0; c < texture.channels; ++c) result.channel[c] = convert(texture, at + c * texture.channel_bytes);
  return result;
}

TexelResult sample(const Texture& texture, float x, float y, bool two_dimensional, TexelReader reader, void* context) {
  if (texture.normalized_coordinates) {
    x *= static_cast<float>(texture.width);
    y *= static_cast<float>(texture.height);
  }
  if (!texture.linear_filter || !yields_float(texture)) {
    return read_texel(texture, static_cast<std::int64_t>(std::floor(x)),
                      two_dimensional ? static_cast<std::int64_t>(std::floor(y)) : 0, reader, context);
  }
  // Linear: the two or four neighbours, weighted with 8 bits of fraction, as the hardware does.
  const float left = std::floor(x - 0.5f);
  const float top = two_dimensional ? std::floor(y - 0.5f) : 0.0f;
  const float right_weight = std::floor((x - 0.5f - left) * 256.0f) / 256.0f;
  const float bottom_weight = two_dimensional ? std::floor((y - 0.5f - top) * 256.0f) / 256.0f : 0.0f;
  TexelResult result;
  std::array<float, 4> sum{};
  for (int dy = 0; dy < (two_dimensional ? 2 : 1); ++dy) {
    for (int dx = 0; dx < 2; ++dx) {
      const TexelResult texel = read_texel(texture, static_cast<std::int64_t>(left) + dx,
                                           static_cast<std::int64_t>(top) + dy, reader, context);
      if (!texel.ok) return texel;
      if (result.address == 0) result.address = texel.address;
      const float weight = (dx == 0 ? 1 - right_weight : right_weight) * (dy == 0 ? 1 - bottom_weight : bottom_weight);
      for (unsigned c = 0; c < 4; ++c) sum[c] += weight * std::bit_cast<float>(texel.channel[c]);
    }
  }
  for (unsigned c = 0; c < 4; ++c) result.channel[c] = std::bit_cast<std::uint32_t>(sum[c]);
  return result;
}

}  // namespace heddle::exec
