#include "cudart/queues.h"

#include <cstring>
#include <vector>

#include "cudart/capture.h"
#include "cudart/context.h"

namespace heddle::cudart {
namespace {

void copy_block(const Block& to, const Block& from, const BlockSize& size) {
  for (std::uint64_t z = 0; z < size.slices; ++z) {
    for (std::uint64_t y = 0; y < size.rows; ++y)
      std::memmove(to.base + z * to.slice + y * to.pitch, from.base + z * from.slice + y * from.pitch, size.bytes);
  }
}

void fill_block(const Block& to, const BlockSize& size, std::uint8_t value) {
  for (std::uint64_t z = 0; z < size.slices; ++z) {
    for (std::uint64_t y = 0; y < size.rows; ++y) std::memset(to.base + z * to.slice + y * to.pitch, value, size.bytes);
  }
}

/// Tells the device what has come into its memory.
void wrote(Context& context, const Block& to, const BlockSize& size, bool copied) {
  for (std::uint64_t z = 0; z < size.slices; ++z) {
    for (std::uint64_t y = 0; y < size.rows; ++y) {
      const auto row = reinterpret_cast<std::uint64_t>(to.base + z * to.slice + y * to.pitch);
      context.device().host_wrote(row, size.bytes, copied);
      if (Capturer* capture = Capturer::instance()) capture->wrote(row, size.bytes);
    }
  }
}

void note_wait() {
  if (Capturer* capture = Capturer::instance()) capture->waited();
}

constexpr unsigned kNoTiming = 2;

}  // namespace

StreamHandle Queues::create_stream(Context& context, unsigned flags, int priority) {
  auto state = std::make_unique<StreamState>();
  state->queue = context.device().create_stream();
  state->flags = flags;
  state->priority = priority;
  state->id = ++last_id_;
  const auto handle = reinterpret_cast<StreamHandle>(state.get());
  streams_[handle] = std::move(state);
  return handle;
}

StreamState& Queues::stream(Context& context, StreamHandle stream) {
  if (stream == nullptr || stream == kLegacyStream) return legacy_;
  if (stream == kPerThreadStream) {
    std::unique_ptr<StreamState>& own = per_thread_[std::this_thread::get_id()];
    if (!own) {
      own = std::make_unique<StreamState>();
      own->queue = context.device().create_stream();
      own->id = ++last_id_;
    }
    return *own;
  }
  const auto found = streams_.find(stream);
  require(found != streams_.end(), cudaErrorInvalidResourceHandle);
  return *found->second;
}

void Queues::destroy_stream(Context& context, StreamHandle handle) {
  require(streams_.contains(handle), cudaErrorInvalidResourceHandle);
  const runtime::Stream queue = streams_[handle]->queue;
  context.device().synchronize(queue);  // what is queued still runs, and the legacy stream still waits for it
  context.device().destroy_stream(queue);
  streams_.erase(handle);
}

runtime::Stream Queues::ready(Context& context, StreamHandle handle) {
  StreamState& state = stream(context, handle);
  runtime::Device& device = context.device();
  if (device.gpu() == nullptr) return state.queue;  // everything queued before has ended
  if (&state == &legacy_) {
    const auto join = [&](StreamState& other) {
      if (!other.is_blocking() || other.joined) return;
      const runtime::Event event = runtime::Device::create_event();
      device.record(event, other.queue);
      device.wait(legacy_.queue, event);
      other.joined = true;
    };
    for (const auto& [key, other] : streams_) join(*other);
    for (const auto& [thread, other] : per_thread_) join(*other);
    ++legacy_work_;
    return state.queue;
  }
  if (state.is_blocking() && state.legacy_seen != legacy_work_) {
    const runtime::Event event = runtime::Device::create_event();
    device.record(event, legacy_.queue);
    device.wait(state.queue, event);
    state.legacy_seen = legacy_work_;
  }
  state.joined = false;
  return state.queue;
}

void Queues::guard(const std::function<void()>& operation) {
  if (failure_ != cudaSuccess) return;  // nothing runs any more after a fault
  try {
    operation();
  } catch (const runtime::LaunchError& error) {
    if (!is_sticky(error.cuda_error())) throw;
    failure_ = error.cuda_error();
    failure_text_ = error.what();
  }
}

void Queues::tell_failure() {
  if (failure_ != cudaSuccess) throw Failure(static_cast<ErrorCode>(failure_), failure_text_);
}

void Queues::launch(Context& context, StreamHandle handle, const runtime::Kernel& kernel, Dim3 grid, Dim3 block,
                    std::uint32_t dynamic_shared_bytes, std::span<const std::span<const std::byte>> arguments,
                    bool cooperative) {
  const runtime::Stream queue = ready(context, handle);
  guard(
      [&] { context.device().launch_async(queue, kernel, grid, block, dynamic_shared_bytes, arguments, cooperative); });
}

void Queues::copy(Context& context, StreamHandle handle, const Block& destination, const Block& source,
                  const BlockSize& size, Direction direction, bool staged) {
  using Way = runtime::Device::Way;
  const runtime::Stream queue = ready(context, handle);
  const auto copied = [&context, destination, size, direction] {
    if (direction == Direction::to_device || direction == Direction::on_device) wrote(context, destination, size, true);
  };
  const Way way = direction == Direction::to_device ? Way::to_device
                  : direction == Direction::to_host ? Way::to_host
                                                    : Way::on_device;
  const std::uint64_t bytes = direction == Direction::on_device ? 2 * size.total() : size.total();
  if (!staged) {
    guard([&] {
      context.device().transfer_async(queue, way, bytes, [destination, source, size, copied] {
        copy_block(destination, source, size);
        copied();
      });
    });
    return;
  }
  auto stage = std::make_shared<std::vector<std::uint8_t>>(size.total());
  const Block staging{stage->data(), size.bytes, size.bytes * size.rows};
  copy_block(staging, source, size);
  guard([&] {
    context.device().transfer_async(queue, way, bytes, [destination, staging, stage, size, copied] {
      copy_block(destination, staging, size);
      copied();
    });
  });
}

void Queues::fill(Context& context, StreamHandle handle, const Block& destination, const BlockSize& size,
                  std::uint8_t value) {
  const runtime::Stream queue = ready(context, handle);
  guard([&] {
    context.device().transfer_async(queue, runtime::Device::Way::on_device, size.total(),
                                    [&context, destination, size, value] {
                                      fill_block(destination, size, value);
                                      wrote(context, destination, size, false);
                                    });
  });
}

void Queues::prefetch(Context& context, StreamHandle handle, std::uint64_t address, std::uint64_t bytes, vm::Side to) {
  const runtime::Stream queue = ready(context, handle);
  guard([&] { context.device().prefetch_async(queue, address, bytes, to); });
}

void Queues::call(Context& context, StreamHandle handle, std::function<void()> function) {
  const runtime::Stream queue = ready(context, handle);
  guard([&] { context.device().call_async(queue, std::move(function)); });
}

void Queues::wait(Context& context, StreamHandle handle) {
  note_wait();
  StreamState& state = stream(context, handle);
  // The legacy stream stands for all that it would have to wait for.
  context.device().synchronize(&state == &legacy_ ? ready(context, handle) : state.queue);
  context.flush_prints();
  tell_failure();
}

void Queues::wait_all(Context& context) {
  if (!context.has_device()) return;
  note_wait();
  context.device().synchronize();
  context.flush_prints();
  tell_failure();
}

void Queues::drain(Context& context) {
  context.device().synchronize();
  context.drop_prints();
}

bool Queues::idle(Context& context, StreamHandle handle) {
  StreamState& state = stream(context, handle);
  const bool idle = context.device().idle(&state == &legacy_ ? ready(context, handle) : state.queue);
  if (idle) {
    context.flush_prints();
    tell_failure();
  }
  return idle;
}

EventRecord& Queues::event(EventHandle event) {
  const auto found = events_.find(event);
  require(found != events_.end(), cudaErrorInvalidResourceHandle);
  return *found->second;
}

EventHandle Queues::create_event(unsigned flags) {
  auto record = std::make_unique<EventRecord>();
  record->flags = flags;
  record->event = runtime::Device::create_event();
  const auto handle = reinterpret_cast<EventHandle>(record.get());
  events_[handle] = std::move(record);
  return handle;
}

void Queues::destroy_event(EventHandle handle) {
  static_cast<void>(event(handle));
  events_.erase(handle);  // operations that wait for it keep what they need
}

void Queues::record(Context& context, EventHandle handle, StreamHandle stream_handle) {
  EventRecord& state = event(handle);
  const runtime::Stream queue = ready(context, stream_handle);
  guard([&] { context.device().record(state.event, queue); });
  state.recorded = true;
}

void Queues::wait_event(Context& context, StreamHandle stream_handle, EventHandle handle) {
  note_wait();
  EventRecord& state = event(handle);
  const runtime::Stream queue = ready(context, stream_handle);
  if (state.recorded) guard([&] { context.device().wait(queue, state.event); });
}

void Queues::synchronize(Context& context, EventHandle handle) {
  note_wait();
  EventRecord& state = event(handle);
  if (state.recorded && failure_ == cudaSuccess) context.device().synchronize(state.event);
  context.flush_prints();
  tell_failure();
}

bool Queues::done(Context& context, EventHandle handle) {
  EventRecord& state = event(handle);
  tell_failure();
  if (!state.recorded || runtime::Device::reached(state.event)) return true;
  // Time passes only when somebody waits, and who asks in a loop must get there some day.
  context.device().synchronize(state.event);
  return false;
}

float Queues::elapsed(Context& context, EventHandle begin, EventHandle end) {
  const EventRecord& first = event(begin);
  const EventRecord& second = event(end);
  require(((first.flags | second.flags) & kNoTiming) == 0, cudaErrorInvalidResourceHandle);
  require(first.recorded && second.recorded, cudaErrorInvalidResourceHandle);
  require(runtime::Device::reached(first.event) && runtime::Device::reached(second.event), cudaErrorNotReady);
  return static_cast<float>(context.device().elapsed_ms(first.event, second.event));
}

void Queues::forget_all(Context& context) {
  for (const auto& [handle, state] : streams_) context.device().destroy_stream(state->queue);
  for (const auto& [thread, state] : per_thread_) context.device().destroy_stream(state->queue);
  streams_.clear();
  per_thread_.clear();
  events_.clear();
  legacy_ = {};
  legacy_work_ = 0;
  failure_ = cudaSuccess;
}

}  // namespace heddle::cudart
