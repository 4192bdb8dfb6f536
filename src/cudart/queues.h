// Streams and events by CUDA's rules, over the runtime's.
//
// What CUDA adds: the legacy default stream, which waits for all blocking streams and which they wait for; a default
// stream per thread; handles that may be wrong; errors of kernels that are told when somebody waits.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "cudart/abi.h"
#include "cudart/memory.h"
#include "runtime/device.h"

namespace heddle::cudart {

class Context;

struct StreamState {
  runtime::Stream queue = 0;
  unsigned flags = 0;  ///< 1: does not wait for the legacy stream
  int priority = 0;
  std::uint64_t id = 0;
  std::uint64_t legacy_seen = 0;  ///< how much of the legacy stream's work it waits for
  bool joined = true;             ///< the legacy stream waits for all its work

  [[nodiscard]] bool is_blocking() const { return (flags & 1) == 0; }
};

struct EventRecord {
  unsigned flags = 0;  ///< 1 blocking wait, 2 no timing, 4 for other processes
  bool recorded = false;
  runtime::Event event;
};

class Queues {
 public:
  [[nodiscard]] StreamHandle create_stream(Context& context, unsigned flags, int priority);
  void destroy_stream(Context& context, StreamHandle stream);
  /// Fails if there is no such stream.
  [[nodiscard]] StreamState& stream(Context& context, StreamHandle stream);

  void launch(Context& context, StreamHandle stream, const runtime::Kernel& kernel, Dim3 grid, Dim3 block,
              std::uint32_t dynamic_shared_bytes, std::span<const std::span<const std::byte>> arguments,
              bool cooperative);
  enum class Direction : std::uint8_t { to_device, to_host, on_device, on_host };
  /// The source is read when the copy's turn comes, unless `staged`: then it is read now.
  void copy(Context& context, StreamHandle stream, const Block& destination, const Block& source, const BlockSize& size,
            Direction direction, bool staged);
  void fill(Context& context, StreamHandle stream, const Block& destination, const BlockSize& size, std::uint8_t value);
  void prefetch(Context& context, StreamHandle stream, std::uint64_t address, std::uint64_t bytes, vm::Side to);
  void call(Context& context, StreamHandle stream, std::function<void()> function);

  void wait(Context& context, StreamHandle stream);
  void wait_all(Context& context);
  /// Runs what is queued, though nobody waits: at the end of the process.
  void drain(Context& context);
  [[nodiscard]] bool idle(Context& context, StreamHandle stream);

  [[nodiscard]] EventHandle create_event(unsigned flags);
  void destroy_event(EventHandle event);
  void record(Context& context, EventHandle event, StreamHandle stream);
  void wait_event(Context& context, StreamHandle stream, EventHandle event);
  void synchronize(Context& context, EventHandle event);
  [[nodiscard]] bool done(Context& context, EventHandle event);
  [[nodiscard]] float elapsed(Context& context, EventHandle begin, EventHandle end);

  /// Everything is gone with its device.
  void forget_all(Context& context);

 private:
  [[nodiscard]] EventRecord& event(EventHandle event);
  /// The runtime's queue for a stream's next operation, with what CUDA makes it wait for.
  [[nodiscard]] runtime::Stream ready(Context& context, StreamHandle stream);
  /// Runs something that may execute at once, and keeps its error for who waits.
  void guard(const std::function<void()>& operation);
  void tell_failure();

  std::map<StreamHandle, std::unique_ptr<StreamState>> streams_;
  std::map<std::thread::id, std::unique_ptr<StreamState>> per_thread_;
  std::map<EventHandle, std::unique_ptr<EventRecord>> events_;
  StreamState legacy_;
  std::uint64_t legacy_work_ = 0;  ///< operations queued in the legacy stream
  std::uint64_t last_id_ = 2;
  int failure_ = 0;  ///< of a kernel that ran when it was queued
  std::string failure_text_;
};

/// Where work goes that a program gave no stream for; `per_thread` as the program was compiled.
[[nodiscard]] inline StreamHandle stream_or_default(StreamHandle stream, bool per_thread) {
  return stream == nullptr && per_thread ? kPerThreadStream : stream;
}

}  // namespace heddle::cudart
