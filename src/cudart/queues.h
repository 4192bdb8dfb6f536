// Streams and events by CUDA's rules, over the runtime's.
//
// What CUDA adds: the legacy default stream, which waits for all blocking streams and which they wait for; a default
// stream per thread; handles that may be wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>

#include "cudart/abi.h"
#include "cudart/memory.h"
#include "runtime/device.h"

namespace heddle::cudart {

class Context;

struct StreamState {
  unsigned flags = 0;  ///< 1: does not wait for the legacy stream
  int priority = 0;
  std::uint64_t id = 0;
};

struct EventRecord {
  unsigned flags = 0;  ///< 1 blocking wait, 2 no timing, 4 for other processes
  bool recorded = false;
  double milliseconds = 0;
};

class Queues {
 public:
  [[nodiscard]] StreamHandle create_stream(Context& context, unsigned flags, int priority);
  void destroy_stream(Context& context, StreamHandle stream);
  [[nodiscard]] StreamState& stream(StreamHandle stream);

  void launch(Context& context, StreamHandle stream, const runtime::Kernel& kernel, Dim3 grid, Dim3 block,
              std::uint32_t dynamic_shared_bytes, std::span<const std::span<const std::byte>> arguments);
  enum class Direction : std::uint8_t { to_device, to_host, on_device, on_host };
  void copy(Context& context, StreamHandle stream, const Block& destination, const Block& source, const BlockSize& size,
            Direction direction);
  /// Fills with a value of 1, 2 or 4 bytes.
  void fill(Context& context, StreamHandle stream, const Block& destination, const BlockSize& size, std::uint8_t value);
  void call(Context& context, StreamHandle stream, std::function<void()> function);

  void wait(Context& context, StreamHandle stream);
  void wait_all(Context& context);
  /// Runs what is queued, though nobody waits: at the end of the process.
  void drain(Context& context);
  [[nodiscard]] bool idle(Context& context, StreamHandle stream);

  [[nodiscard]] EventHandle create_event(Context& context, unsigned flags);
  void destroy_event(Context& context, EventHandle event);
  void record(Context& context, EventHandle event, StreamHandle stream);
  void wait_event(Context& context, StreamHandle stream, EventHandle event);
  void synchronize(Context& context, EventHandle event);
  [[nodiscard]] bool done(Context& context, EventHandle event);
  [[nodiscard]] float elapsed(Context& context, EventHandle begin, EventHandle end);

  void forget_all();

 private:
  [[nodiscard]] EventRecord& event(EventHandle event);

  std::map<StreamHandle, std::unique_ptr<StreamState>> streams_;
  std::map<EventHandle, std::unique_ptr<EventRecord>> events_;
  StreamState legacy_;
  std::uint64_t last_id_ = 2;
};

/// Where work goes that a program gave no stream for; `per_thread` as the program was compiled.
[[nodiscard]] inline StreamHandle stream_or_default(StreamHandle stream, bool per_thread) {
  return stream == nullptr && per_thread ? kPerThreadStream : stream;
}

}  // namespace heddle::cudart
