// Arrays and texture objects.
#include <algorithm>

#include "cudart/capture.h"
#include "cudart/copies.h"

namespace heddle::cudart {
namespace {

constexpr unsigned kLayered = 1, kCubemap = 4;

Error make_array(Array** array, const ChannelFormat* format, Extent extent, unsigned flags) {
  return call([&](Context& context) {
    require(array != nullptr && format != nullptr);
    if ((flags & (kLayered | kCubemap)) != 0)
      throw Failure(cudaErrorNotSupported, "layered arrays and cube maps are not supported");
    *array = context.memory.make_array(context, *format, extent, flags);
  });
}

Block in_array(Context& context, const Array* array, std::size_t byte, std::size_t row) {
  const Array& found = context.memory.array(array);
  return {reinterpret_cast<std::uint8_t*>(found.address) + row * found.pitch + byte, found.pitch, 0};
}

Error copy_to_array(Array* array, std::size_t byte, std::size_t row, const void* from, std::size_t pitch,
                    std::size_t width, std::size_t height, int kind, StreamHandle stream, Waits waits) {
  return call([&](Context& context) {
    copy(context, in_array(context, array, byte, row), linear(from, pitch), {width, height}, kind, stream, waits);
  });
}

Error copy_from_array(void* to, std::size_t pitch, const Array* array, std::size_t byte, std::size_t row,
                      std::size_t width, std::size_t height, int kind, StreamHandle stream, Waits waits) {
  return call([&](Context& context) {
    copy(context, linear(to, pitch), in_array(context, array, byte, row), {width, height}, kind, stream, waits);
  });
}

/// A run of bytes that goes on in the next row: row by row, since rows of an array are padded.
Error copy_run(Array* array, std::size_t byte, std::size_t row, void* host, std::size_t bytes, int kind, bool into,
               StreamHandle stream, Waits waits) {
  return call([&](Context& context) {
    const Array& found = context.memory.array(array);
    const std::uint64_t width = found.extent.width * found.element_bytes();
    auto* at = static_cast<std::uint8_t*>(host);
    for (std::size_t left = bytes; left != 0;) {
      require(byte < width && row < found.rows());
      const std::size_t piece = std::min<std::size_t>(left, width - byte);
      const Block inside = in_array(context, array, byte, row);
      copy(context, into ? inside : linear(at), into ? linear(at) : inside, {piece}, kind, stream, waits);
      at += piece;
      left -= piece;
      byte = 0;
      ++row;
    }
  });
}

exec::Texture describe(Context& context, const ResourceDescription& resource, const TextureDescription& texture) {
  exec::Texture made;
  ChannelFormat format{};
  switch (resource.kind) {
    case kResourceLinear:
      format = resource.linear.format;
      made.address = reinterpret_cast<std::uint64_t>(resource.linear.pointer);
      break;
    case kResourcePitch2D:
      format = resource.pitch2d.format;
      made.address = reinterpret_cast<std::uint64_t>(resource.pitch2d.pointer);
      made.width = static_cast<std::uint32_t>(resource.pitch2d.width);
      made.height = static_cast<std::uint32_t>(resource.pitch2d.height);
      made.pitch = resource.pitch2d.pitch;
      break;
    case kResourceArray: {
      const Array& array = context.memory.array(resource.array);
      if (array.slices() > 1) throw Failure(cudaErrorNotSupported, "textures of three dimensions are not supported");
      format = array.format;
      made.address = array.address;
      made.width = static_cast<std::uint32_t>(array.extent.width);
      made.height = static_cast<std::uint32_t>(array.rows());
      made.pitch = array.pitch;
      break;
    }
    default:
      throw Failure(cudaErrorNotSupported, "textures of mipmapped arrays are not supported");
  }
  require(format.x == 8 || format.x == 16 || format.x == 32, cudaErrorInvalidChannelDescriptor);
  require(format.kind >= 0 && format.kind <= 2, cudaErrorInvalidChannelDescriptor);
  made.channel_bytes = static_cast<std::uint8_t>(format.x / 8);
  made.channels = static_cast<std::uint8_t>(format.y == 0 ? 1 : format.z == 0 ? 2 : 4);
  made.kind = format.kind == 0   ? exec::ChannelKind::signed_integer
              : format.kind == 1 ? exec::ChannelKind::unsigned_integer
                                 : exec::ChannelKind::floating;
  if (resource.kind == kResourceLinear)
    made.width = static_cast<std::uint32_t>(resource.linear.bytes / made.element_bytes());
  made.normalized_float = texture.read_mode == 1 && made.kind != exec::ChannelKind::floating;
  made.normalized_coordinates = texture.normalized_coordinates != 0;
  made.linear_filter = texture.filter_mode == 1;
  require(!made.linear_filter || made.kind == exec::ChannelKind::floating || made.normalized_float,
          cudaErrorInvalidFilterSetting);
  if (texture.srgb != 0) throw Failure(cudaErrorNotSupported, "textures in sRGB are not supported");
  for (std::size_t d = 0; d < 2; ++d) {
    constexpr exec::AddressMode kModes[] = {exec::AddressMode::wrap, exec::AddressMode::clamp,
                                            exec::AddressMode::mirror, exec::AddressMode::border};
    require(texture.address_mode[d] >= 0 && texture.address_mode[d] <= 3);
    made.address_mode[d] = kModes[texture.address_mode[d]];
    // Wrapping and mirroring need coordinates from 0 to 1; without them hardware clamps.
    if (!made.normalized_coordinates && texture.address_mode[d] != 3) made.address_mode[d] = exec::AddressMode::clamp;
    // Outside of linear memory a fetch reads zero.
    if (resource.kind == kResourceLinear) made.address_mode[d] = exec::AddressMode::border;
  }
  return made;
}

}  // namespace

HEDDLE_API ChannelFormat cudaCreateChannelDesc(int x, int y, int z, int w, int kind) { return {x, y, z, w, kind}; }
HEDDLE_API Error cudaGetChannelDesc(ChannelFormat* format, const Array* array) {
  return call([&](Context& context) {
    require(format != nullptr);
    *format = context.memory.array(array).format;
  });
}
HEDDLE_API Error cudaMallocArray(Array** array, const ChannelFormat* format, std::size_t width, std::size_t height,
                                 unsigned flags) {
  return make_array(array, format, {width, height, 0}, flags);
}
HEDDLE_API Error cudaMalloc3DArray(Array** array, const ChannelFormat* format, Extent extent, unsigned flags) {
  return make_array(array, format, extent, flags);
}
HEDDLE_API Error cudaFreeArray(Array* array) {
  return call([&](Context& context) { context.memory.free_array(context, array); });
}
HEDDLE_API Error cudaArrayGetInfo(ChannelFormat* format, Extent* extent, unsigned* flags, const Array* array) {
  return call([&](Context& context) {
    const Array& found = context.memory.array(array);
    if (format != nullptr) *format = found.format;
    if (extent != nullptr) *extent = found.extent;
    if (flags != nullptr) *flags = found.flags;
  });
}

HEDDLE_API Error cudaMemcpy2DToArray(Array* array, std::size_t byte, std::size_t row, const void* from,
                                     std::size_t pitch, std::size_t width, std::size_t height, int kind) {
  return copy_to_array(array, byte, row, from, pitch, width, height, kind, kLegacyStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpy2DToArray_ptds(Array* array, std::size_t byte, std::size_t row, const void* from,
                                          std::size_t pitch, std::size_t width, std::size_t height, int kind) {
  return copy_to_array(array, byte, row, from, pitch, width, height, kind, kPerThreadStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpy2DToArrayAsync(Array* array, std::size_t byte, std::size_t row, const void* from,
                                          std::size_t pitch, std::size_t width, std::size_t height, int kind,
                                          StreamHandle stream) {
  return copy_to_array(array, byte, row, from, pitch, width, height, kind, stream, Waits::no);
}
HEDDLE_API Error cudaMemcpy2DFromArray(void* to, std::size_t pitch, const Array* array, std::size_t byte,
                                       std::size_t row, std::size_t width, std::size_t height, int kind) {
  return copy_from_array(to, pitch, array, byte, row, width, height, kind, kLegacyStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpy2DFromArray_ptds(void* to, std::size_t pitch, const Array* array, std::size_t byte,
                                            std::size_t row, std::size_t width, std::size_t height, int kind) {
  return copy_from_array(to, pitch, array, byte, row, width, height, kind, kPerThreadStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, const Array* array, std::size_t byte,
                                            std::size_t row, std::size_t width, std::size_t height, int kind,
                                            StreamHandle stream) {
  return copy_from_array(to, pitch, array, byte, row, width, height, kind, stream, Waits::no);
}
HEDDLE_API Error cudaMemcpyToArray(Array* array, std::size_t byte, std::size_t row, const void* from, std::size_t bytes,
                                   int kind) {
  return copy_run(array, byte, row, const_cast<void*>(from), bytes, kind, true, kLegacyStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpyToArray_ptds(Array* array, std::size_t byte, std::size_t row, const void* from,
                                        std::size_t bytes, int kind) {
  return copy_run(array, byte, row, const_cast<void*>(from), bytes, kind, true, kPerThreadStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpyToArrayAsync(Array* array, std::size_t byte, std::size_t row, const void* from,
                                        std::size_t bytes, int kind, StreamHandle stream) {
  return copy_run(array, byte, row, const_cast<void*>(from), bytes, kind, true, stream, Waits::no);
}
HEDDLE_API Error cudaMemcpyFromArray(void* to, Array* array, std::size_t byte, std::size_t row, std::size_t bytes,
                                     int kind) {
  return copy_run(array, byte, row, to, bytes, kind, false, kLegacyStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpyFromArray_ptds(void* to, Array* array, std::size_t byte, std::size_t row, std::size_t bytes,
                                          int kind) {
  return copy_run(array, byte, row, to, bytes, kind, false, kPerThreadStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpyFromArrayAsync(void* to, Array* array, std::size_t byte, std::size_t row, std::size_t bytes,
                                          int kind, StreamHandle stream) {
  return copy_run(array, byte, row, to, bytes, kind, false, stream, Waits::no);
}

HEDDLE_API Error cudaCreateTextureObject(unsigned long long* handle, const ResourceDescription* resource,
                                         const TextureDescription* texture, const void* view) {
  return call([&](Context& context) {
    require(handle != nullptr && resource != nullptr && texture != nullptr);
    if (view != nullptr) throw Failure(cudaErrorNotSupported, "resource views of textures are not supported");
    if (Capturer* capture = Capturer::instance()) capture->refuse("it uses texture objects");
    *handle = context.device().create_texture(describe(context, *resource, *texture));
    context.memory.textures[*handle] = {*resource, *texture};
  });
}
HEDDLE_API Error cudaCreateTextureObject_v2(unsigned long long* handle, const ResourceDescription* resource,
                                            const TextureDescription* texture, const void* view) {
  return cudaCreateTextureObject(handle, resource, texture, view);
}
HEDDLE_API Error cudaDestroyTextureObject(unsigned long long handle) {
  return call([&](Context& context) {
    if (handle == 0) return;
    require(context.memory.textures.erase(handle) == 1);
    context.queues.wait_all(context);
    context.device().destroy_texture(handle);
  });
}
HEDDLE_API Error cudaGetTextureObjectResourceDesc(ResourceDescription* resource, unsigned long long handle) {
  return call([&](Context& context) {
    const auto found = context.memory.textures.find(handle);
    require(resource != nullptr && found != context.memory.textures.end());
    *resource = found->second.resource;
  });
}
HEDDLE_API Error cudaGetTextureObjectTextureDesc(TextureDescription* texture, unsigned long long handle) {
  return call([&](Context& context) {
    const auto found = context.memory.textures.find(handle);
    require(texture != nullptr && found != context.memory.textures.end());
    *texture = found->second.texture;
  });
}

}  // namespace heddle::cudart
