#include "cudart/copies.h"

namespace heddle::cudart {
namespace {

using Direction = Queues::Direction;

/// The direction of a copy: as asked for, if the pointers allow it.
Direction direction_of(const Memory& memory, const Block& destination, std::uint64_t destination_span,
                       const Block& source, std::uint64_t source_span, int kind) {
  require(kind >= kHostToHost && kind <= kCopyDefault, cudaErrorInvalidMemcpyDirection);
  const auto device_only = [&](const Block& block) {
    const Allocation* found = memory.find(block.base);
    return found != nullptr && found->kind != MemoryKind::pinned && found->kind != MemoryKind::managed &&
           found->kind != MemoryKind::registered;
  };
  const bool to_device = kind == kHostToDevice || kind == kDeviceToDevice;
  const bool from_device = kind == kDeviceToHost || kind == kDeviceToDevice;
  // A range that begins in an allocation must end in it.
  if (to_device || memory.find(destination.base) != nullptr)
    require(memory.is_device(destination.base, destination_span));
  if (from_device || memory.find(source.base) != nullptr) require(memory.is_device(source.base, source_span));
  const bool into = kind == kCopyDefault ? device_only(destination) : to_device;
  const bool out_of = kind == kCopyDefault ? device_only(source) : from_device;
  if (into && out_of) return Direction::on_device;
  if (into) return Direction::to_device;
  return out_of ? Direction::to_host : Direction::on_host;
}

}  // namespace

void copy(Context& context, const Block& destination, const Block& source, const BlockSize& size, int kind,
          StreamHandle stream, Waits waits) {
  if (size.total() == 0) {
    static_cast<void>(context.queues.stream(context, stream));
    return;
  }
  require(destination.base != nullptr && source.base != nullptr);
  if (size.rows > 1) require(size.bytes <= destination.pitch && size.bytes <= source.pitch, cudaErrorInvalidPitchValue);
  const Direction direction =
      direction_of(context.memory, destination, size.span(destination), source, size.span(source), kind);
  static_cast<void>(context.device());
  // Pageable memory is read before the call returns, and written before it does.
  const bool from_pageable = context.memory.find(source.base) == nullptr;
  const bool to_pageable = context.memory.find(destination.base) == nullptr;
  const bool wait = to_pageable || (waits == Waits::yes && direction != Direction::on_device);
  context.queues.copy(context, stream, context.memory.on_host(destination), context.memory.on_host(source), size,
                      direction, from_pageable && !wait);
  if (wait) context.queues.wait(context, stream);
}

void fill(Context& context, const Block& destination, const BlockSize& size, int value, StreamHandle stream,
          Waits waits) {
  if (size.total() == 0) {
    static_cast<void>(context.queues.stream(context, stream));
    return;
  }
  if (size.rows > 1) require(size.bytes <= destination.pitch, cudaErrorInvalidPitchValue);
  require(context.memory.is_device(destination.base, size.span(destination)));
  context.queues.fill(context, stream, context.memory.on_host(destination), size, static_cast<std::uint8_t>(value));
  static_cast<void>(waits);  // of device memory cudaMemset returns before the end
}

}  // namespace heddle::cudart
