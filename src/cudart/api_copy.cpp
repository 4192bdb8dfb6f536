// cudaMemcpy and cudaMemset in all their forms, but for symbols and arrays.
//
// Each comes as a waiting and an asynchronous function, and for both default streams: the _ptds and _ptsz names are
// those that a program compiled for default streams per thread calls.
#include "cudart/copies.h"

namespace heddle::cudart {
namespace {

Error copy_1d(void* destination, const void* source, std::size_t bytes, int kind, StreamHandle stream, Waits waits) {
  return call(
      [&](Context& context) { copy(context, linear(destination), linear(source), {bytes}, kind, stream, waits); });
}

Error copy_2d(void* destination, std::size_t destination_pitch, const void* source, std::size_t source_pitch,
              std::size_t width, std::size_t height, int kind, StreamHandle stream, Waits waits) {
  return call([&](Context& context) {
    require(width <= destination_pitch && width <= source_pitch, cudaErrorInvalidPitchValue);
    copy(context, linear(destination, destination_pitch), linear(source, source_pitch), {width, height}, kind, stream,
         waits);
  });
}

/// One side of a 3D copy. Positions and extents count elements where an array is involved, else bytes.
Block side_of(Context& context, const Array* array, const PitchedPointer& pointer, const Position& position,
              std::uint64_t element_bytes) {
  if (array != nullptr) {
    const Array& found = context.memory.array(array);
    auto* base = reinterpret_cast<std::uint8_t*>(found.address);
    const std::uint64_t slice = found.pitch * found.rows();
    return {base + position.z * slice + position.y * found.pitch + position.x * found.element_bytes(), found.pitch,
            slice};
  }
  auto* base = static_cast<std::uint8_t*>(pointer.pointer);
  require(base != nullptr);
  const std::uint64_t slice = pointer.pitch * pointer.height;
  static_cast<void>(element_bytes);
  return {base + position.z * slice + position.y * pointer.pitch + position.x, pointer.pitch, slice};
}

Error copy_3d(const Copy3D* parameters, StreamHandle stream, Waits waits) {
  return call([&](Context& context) {
    require(parameters != nullptr);
    const Copy3D& p = *parameters;
    std::uint64_t element_bytes = 1;
    if (p.source_array != nullptr) element_bytes = context.memory.array(p.source_array).element_bytes();
    if (p.destination_array != nullptr) element_bytes = context.memory.array(p.destination_array).element_bytes();
    const Block source = side_of(context, p.source_array, p.source, p.source_position, element_bytes);
    const Block destination =
        side_of(context, p.destination_array, p.destination, p.destination_position, element_bytes);
    copy(context, destination, source, {p.extent.width * element_bytes, p.extent.height, p.extent.depth}, p.kind,
         stream, waits);
  });
}

Error fill_1d(void* destination, int value, std::size_t bytes, StreamHandle stream, Waits waits) {
  return call([&](Context& context) { fill(context, linear(destination), {bytes}, value, stream, waits); });
}

Error fill_2d(void* destination, std::size_t pitch, int value, std::size_t width, std::size_t height,
              StreamHandle stream, Waits waits) {
  return call([&](Context& context) {
    fill(context, linear(destination, pitch), {width, height}, value, stream, waits);
  });
}

Error fill_3d(const PitchedPointer& to, int value, const Extent& extent, StreamHandle stream, Waits waits) {
  return call([&](Context& context) {
    fill(context, linear(to.pointer, to.pitch, to.height), {extent.width, extent.height, extent.depth}, value, stream,
         waits);
  });
}

Error copy_peer(void* destination, int destination_device, const void* source, int source_device, std::size_t bytes,
                StreamHandle stream, Waits waits) {
  if (destination_device != 0 || source_device != 0)
    return call([](Context&) { throw Failure(cudaErrorInvalidDevice, "there is one simulated GPU: device 0"); });
  return copy_1d(destination, source, bytes, kDeviceToDevice, stream, waits);
}

}  // namespace

HEDDLE_API Error cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  return copy_1d(to, from, bytes, kind, kLegacyStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpy_ptds(void* to, const void* from, std::size_t bytes, int kind) {
  return copy_1d(to, from, bytes, kind, kPerThreadStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, StreamHandle stream) {
  return copy_1d(to, from, bytes, kind, stream, Waits::no);
}
HEDDLE_API Error cudaMemcpyAsync_ptsz(void* to, const void* from, std::size_t bytes, int kind, StreamHandle stream) {
  return copy_1d(to, from, bytes, kind, stream_or_default(stream, true), Waits::no);
}
HEDDLE_API Error cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  return copy_peer(to, to_device, from, from_device, bytes, kLegacyStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                     StreamHandle stream) {
  return copy_peer(to, to_device, from, from_device, bytes, stream, Waits::no);
}

HEDDLE_API Error cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, int kind) {
  return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, kLegacyStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpy2D_ptds(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                   std::size_t width, std::size_t height, int kind) {
  return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, kPerThreadStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                   std::size_t width, std::size_t height, int kind, StreamHandle stream) {
  return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, stream, Waits::no);
}
HEDDLE_API Error cudaMemcpy2DAsync_ptsz(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                        std::size_t width, std::size_t height, int kind, StreamHandle stream) {
  return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, stream_or_default(stream, true), Waits::no);
}

HEDDLE_API Error cudaMemcpy3D(const Copy3D* parameters) { return copy_3d(parameters, kLegacyStream, Waits::yes); }
HEDDLE_API Error cudaMemcpy3D_ptds(const Copy3D* parameters) {
  return copy_3d(parameters, kPerThreadStream, Waits::yes);
}
HEDDLE_API Error cudaMemcpy3DAsync(const Copy3D* parameters, StreamHandle stream) {
  return copy_3d(parameters, stream, Waits::no);
}
HEDDLE_API Error cudaMemcpy3DAsync_ptsz(const Copy3D* parameters, StreamHandle stream) {
  return copy_3d(parameters, stream_or_default(stream, true), Waits::no);
}

HEDDLE_API Error cudaMemset(void* to, int value, std::size_t bytes) {
  return fill_1d(to, value, bytes, kLegacyStream, Waits::yes);
}
HEDDLE_API Error cudaMemset_ptds(void* to, int value, std::size_t bytes) {
  return fill_1d(to, value, bytes, kPerThreadStream, Waits::yes);
}
HEDDLE_API Error cudaMemsetAsync(void* to, int value, std::size_t bytes, StreamHandle stream) {
  return fill_1d(to, value, bytes, stream, Waits::no);
}
HEDDLE_API Error cudaMemsetAsync_ptsz(void* to, int value, std::size_t bytes, StreamHandle stream) {
  return fill_1d(to, value, bytes, stream_or_default(stream, true), Waits::no);
}
HEDDLE_API Error cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return fill_2d(to, pitch, value, width, height, kLegacyStream, Waits::yes);
}
HEDDLE_API Error cudaMemset2D_ptds(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return fill_2d(to, pitch, value, width, height, kPerThreadStream, Waits::yes);
}
HEDDLE_API Error cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                                   StreamHandle stream) {
  return fill_2d(to, pitch, value, width, height, stream, Waits::no);
}
HEDDLE_API Error cudaMemset2DAsync_ptsz(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height,
                                        StreamHandle stream) {
  return fill_2d(to, pitch, value, width, height, stream_or_default(stream, true), Waits::no);
}
HEDDLE_API Error cudaMemset3D(PitchedPointer to, int value, Extent extent) {
  return fill_3d(to, value, extent, kLegacyStream, Waits::yes);
}
HEDDLE_API Error cudaMemset3D_ptds(PitchedPointer to, int value, Extent extent) {
  return fill_3d(to, value, extent, kPerThreadStream, Waits::yes);
}
HEDDLE_API Error cudaMemset3DAsync(PitchedPointer to, int value, Extent extent, StreamHandle stream) {
  return fill_3d(to, value, extent, stream, Waits::no);
}
HEDDLE_API Error cudaMemset3DAsync_ptsz(PitchedPointer to, int value, Extent extent, StreamHandle stream) {
  return fill_3d(to, value, extent, stream_or_default(stream, true), Waits::no);
}

}  // namespace heddle::cudart
