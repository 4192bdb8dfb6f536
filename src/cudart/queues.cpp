#include "cudart/queues.h"

#include <cstring>

#include "cudart/context.h"

namespace heddle::cudart {

StreamHandle Queues::create_stream(Context& context, unsigned flags, int priority) {
  static_cast<void>(context);
  auto state = std::make_unique<StreamState>();
  state->flags = flags;
  state->priority = priority;
  state->id = ++last_id_;
  const auto handle = reinterpret_cast<StreamHandle>(state.get());
  streams_[handle] = std::move(state);
  return handle;
}

StreamState& Queues::stream(StreamHandle stream) {
  if (stream == nullptr || stream == kLegacyStream || stream == kPerThreadStream) return legacy_;
  const auto found = streams_.find(stream);
  require(found != streams_.end(), cudaErrorInvalidResourceHandle);
  return *found->second;
}

void Queues::destroy_stream(Context& context, StreamHandle handle) {
  static_cast<void>(context);
  require(streams_.contains(handle), cudaErrorInvalidResourceHandle);
  streams_.erase(handle);
}

void Queues::launch(Context& context, StreamHandle handle, const runtime::Kernel& kernel, Dim3 grid, Dim3 block,
                    std::uint32_t dynamic_shared_bytes, std::span<const std::span<const std::byte>> arguments) {
  static_cast<void>(stream(handle));
  context.device().launch_raw(kernel, grid, block, dynamic_shared_bytes, arguments);
}

void Queues::copy(Context& context, StreamHandle handle, const Block& destination, const Block& source,
                  const BlockSize& size, Direction direction) {
  static_cast<void>(stream(handle));
  static_cast<void>(context);
  static_cast<void>(direction);
  for (std::uint64_t z = 0; z < size.slices; ++z) {
    for (std::uint64_t y = 0; y < size.rows; ++y)
      std::memmove(destination.base + z * destination.slice + y * destination.pitch,
                   source.base + z * source.slice + y * source.pitch, size.bytes);
  }
}

void Queues::fill(Context& context, StreamHandle handle, const Block& destination, const BlockSize& size,
                  std::uint8_t value) {
  static_cast<void>(stream(handle));
  static_cast<void>(context);
  for (std::uint64_t z = 0; z < size.slices; ++z) {
    for (std::uint64_t y = 0; y < size.rows; ++y)
      std::memset(destination.base + z * destination.slice + y * destination.pitch, value, size.bytes);
  }
}

void Queues::call(Context& context, StreamHandle handle, std::function<void()> function) {
  static_cast<void>(stream(handle));
  static_cast<void>(context);
  function();
}

void Queues::wait(Context& context, StreamHandle handle) {
  static_cast<void>(stream(handle));
  context.flush_prints();
}
void Queues::wait_all(Context& context) { context.flush_prints(); }
void Queues::drain(Context& context) { static_cast<void>(context); }
bool Queues::idle(Context& context, StreamHandle handle) {
  static_cast<void>(stream(handle));
  static_cast<void>(context);
  return true;
}

EventRecord& Queues::event(EventHandle event) {
  const auto found = events_.find(event);
  require(found != events_.end(), cudaErrorInvalidResourceHandle);
  return *found->second;
}

EventHandle Queues::create_event(Context& context, unsigned flags) {
  static_cast<void>(context);
  auto record = std::make_unique<EventRecord>();
  record->flags = flags;
  const auto handle = reinterpret_cast<EventHandle>(record.get());
  events_[handle] = std::move(record);
  return handle;
}

void Queues::destroy_event(Context& context, EventHandle handle) {
  static_cast<void>(context);
  static_cast<void>(event(handle));
  events_.erase(handle);
}

void Queues::record(Context& context, EventHandle handle, StreamHandle stream_handle) {
  static_cast<void>(stream(stream_handle));
  static_cast<void>(context);
  event(handle).recorded = true;
}
void Queues::wait_event(Context& context, StreamHandle stream_handle, EventHandle handle) {
  static_cast<void>(stream(stream_handle));
  static_cast<void>(context);
  static_cast<void>(event(handle));
}
void Queues::synchronize(Context& context, EventHandle handle) {
  static_cast<void>(event(handle));
  context.flush_prints();
}
bool Queues::done(Context& context, EventHandle handle) {
  static_cast<void>(event(handle));
  static_cast<void>(context);
  return true;
}
float Queues::elapsed(Context& context, EventHandle begin, EventHandle end) {
  static_cast<void>(context);
  const EventRecord& first = event(begin);
  const EventRecord& second = event(end);
  require((first.flags & 2) == 0 && (second.flags & 2) == 0, cudaErrorInvalidResourceHandle);
  require(first.recorded && second.recorded, cudaErrorInvalidResourceHandle);
  return 0.001f;
}

void Queues::forget_all() {
  streams_.clear();
  events_.clear();
}

}  // namespace heddle::cudart
