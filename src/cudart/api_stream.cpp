// Streams, events, host functions.
#include <algorithm>

#include "cudart/context.h"

namespace heddle::cudart {
namespace {

constexpr int kLowestPriority = 0;
constexpr int kHighestPriority = -5;

Error create_stream(StreamHandle* stream, unsigned flags, int priority) {
  return call([&](Context& context) {
    require(stream != nullptr && flags <= 1);
    *stream = context.queues.create_stream(context, flags, priority);
  });
}

Error synchronize(StreamHandle stream) {
  return call([&](Context& context) { context.queues.wait(context, stream); });
}

Error query(StreamHandle stream) {
  return call([&](Context& context) {
    if (!context.queues.idle(context, stream)) throw Failure(cudaErrorNotReady);
  });
}

Error wait_event(StreamHandle stream, EventHandle event) {
  return call([&](Context& context) { context.queues.wait_event(context, stream, event); });
}

Error host_function(StreamHandle stream, HostFunction function, void* data) {
  return call([&](Context& context) {
    require(function != nullptr);
    context.queues.call(context, stream, [function, data] { function(data); });
  });
}

Error add_callback(StreamHandle stream, StreamCallback function, void* data) {
  return call([&](Context& context) {
    require(function != nullptr);
    context.queues.call(context, stream, [stream, function, data] { function(stream, cudaSuccess, data); });
  });
}

Error record(EventHandle event, StreamHandle stream) {
  return call([&](Context& context) { context.queues.record(context, event, stream); });
}

Error create_event(EventHandle* event, unsigned flags) {
  return call([&](Context& context) {
    require(event != nullptr && flags <= 7);
    *event = context.queues.create_event(flags);
  });
}

}  // namespace

HEDDLE_API Error cudaStreamCreate(StreamHandle* stream) { return create_stream(stream, 0, kLowestPriority); }
HEDDLE_API Error cudaStreamCreateWithFlags(StreamHandle* stream, unsigned flags) {
  return create_stream(stream, flags, kLowestPriority);
}
HEDDLE_API Error cudaStreamCreateWithPriority(StreamHandle* stream, unsigned flags, int priority) {
  return create_stream(stream, flags, std::min(std::max(priority, kHighestPriority), kLowestPriority));
}
HEDDLE_API Error cudaStreamDestroy(StreamHandle stream) {
  return call([&](Context& context) { context.queues.destroy_stream(context, stream); });
}
HEDDLE_API Error cudaStreamSynchronize(StreamHandle stream) { return synchronize(stream); }
HEDDLE_API Error cudaStreamSynchronize_ptsz(StreamHandle stream) {
  return synchronize(stream_or_default(stream, true));
}
HEDDLE_API Error cudaStreamQuery(StreamHandle stream) { return query(stream); }
HEDDLE_API Error cudaStreamQuery_ptsz(StreamHandle stream) { return query(stream_or_default(stream, true)); }
HEDDLE_API Error cudaStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned) {
  return wait_event(stream, event);
}
HEDDLE_API Error cudaStreamWaitEvent_ptsz(StreamHandle stream, EventHandle event, unsigned) {
  return wait_event(stream_or_default(stream, true), event);
}
HEDDLE_API Error cudaLaunchHostFunc(StreamHandle stream, HostFunction function, void* data) {
  return host_function(stream, function, data);
}
HEDDLE_API Error cudaLaunchHostFunc_ptsz(StreamHandle stream, HostFunction function, void* data) {
  return host_function(stream_or_default(stream, true), function, data);
}
HEDDLE_API Error cudaStreamAddCallback(StreamHandle stream, StreamCallback function, void* data, unsigned) {
  return add_callback(stream, function, data);
}
HEDDLE_API Error cudaStreamAddCallback_ptsz(StreamHandle stream, StreamCallback function, void* data, unsigned) {
  return add_callback(stream_or_default(stream, true), function, data);
}

HEDDLE_API Error cudaStreamGetFlags(StreamHandle stream, unsigned* flags) {
  return call([&](Context& context) {
    require(flags != nullptr);
    *flags = context.queues.stream(context, stream).flags;
  });
}
HEDDLE_API Error cudaStreamGetFlags_ptsz(StreamHandle stream, unsigned* flags) {
  return cudaStreamGetFlags(stream, flags);
}
HEDDLE_API Error cudaStreamGetPriority(StreamHandle stream, int* priority) {
  return call([&](Context& context) {
    require(priority != nullptr);
    *priority = context.queues.stream(context, stream).priority;
  });
}
HEDDLE_API Error cudaStreamGetPriority_ptsz(StreamHandle stream, int* priority) {
  return cudaStreamGetPriority(stream, priority);
}
HEDDLE_API Error cudaStreamGetId(StreamHandle stream, unsigned long long* id) {
  return call([&](Context& context) {
    require(id != nullptr);
    *id = context.queues.stream(context, stream).id;
  });
}
HEDDLE_API Error cudaStreamGetId_ptsz(StreamHandle stream, unsigned long long* id) {
  return cudaStreamGetId(stream, id);
}
HEDDLE_API Error cudaStreamGetDevice(StreamHandle stream, int* device) {
  return call([&](Context& context) {
    static_cast<void>(context.queues.stream(context, stream));
    require(device != nullptr);
    *device = 0;
  });
}
HEDDLE_API Error cudaStreamGetDevice_ptsz(StreamHandle stream, int* device) {
  return cudaStreamGetDevice(stream, device);
}
HEDDLE_API Error cudaStreamIsCapturing(StreamHandle stream, int* status) {
  return call([&](Context& context) {
    static_cast<void>(context.queues.stream(context, stream));
    require(status != nullptr);
    *status = 0;
  });
}
HEDDLE_API Error cudaStreamIsCapturing_ptsz(StreamHandle stream, int* status) {
  return cudaStreamIsCapturing(stream, status);
}
HEDDLE_API Error cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = kLowestPriority;
  if (greatest != nullptr) *greatest = kHighestPriority;
  return cudaSuccess;
}

HEDDLE_API Error cudaEventCreate(EventHandle* event) { return create_event(event, 0); }
HEDDLE_API Error cudaEventCreateWithFlags(EventHandle* event, unsigned flags) { return create_event(event, flags); }
HEDDLE_API Error cudaEventDestroy(EventHandle event) {
  return call([&](Context& context) { context.queues.destroy_event(event); });
}
HEDDLE_API Error cudaEventRecord(EventHandle event, StreamHandle stream) { return record(event, stream); }
HEDDLE_API Error cudaEventRecord_ptsz(EventHandle event, StreamHandle stream) {
  return record(event, stream_or_default(stream, true));
}
HEDDLE_API Error cudaEventRecordWithFlags(EventHandle event, StreamHandle stream, unsigned) {
  return record(event, stream);
}
HEDDLE_API Error cudaEventRecordWithFlags_ptsz(EventHandle event, StreamHandle stream, unsigned) {
  return record(event, stream_or_default(stream, true));
}
HEDDLE_API Error cudaEventQuery(EventHandle event) {
  return call([&](Context& context) {
    if (!context.queues.done(context, event)) throw Failure(cudaErrorNotReady);
  });
}
HEDDLE_API Error cudaEventSynchronize(EventHandle event) {
  return call([&](Context& context) { context.queues.synchronize(context, event); });
}
HEDDLE_API Error cudaEventElapsedTime(float* milliseconds, EventHandle begin, EventHandle end) {
  return call([&](Context& context) {
    require(milliseconds != nullptr);
    *milliseconds = context.queues.elapsed(context, begin, end);
  });
}
HEDDLE_API Error cudaEventElapsedTime_v2(float* milliseconds, EventHandle begin, EventHandle end) {
  return cudaEventElapsedTime(milliseconds, begin, end);
}

}  // namespace heddle::cudart
