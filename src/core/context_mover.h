// Moves contexts of thread blocks between an SM and memory, line by line through the SM's network port.
//
// Contexts move in the order in which they were asked for, one line per cycle at most, beside what the load/store unit
// sends. They go past the L1: nobody there uses them again. A context has moved when the last of its lines is answered.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "core/memory_instruction.h"
#include "core/sm_statistics.h"
#include "memory/network_port.h"

namespace heddle::core {

struct ContextMove {
  memory::RequestKind kind = memory::RequestKind::write;
  std::uint64_t place = 0;
  std::uint64_t bytes = 0;
  std::uint32_t slot = 0;  ///< of the block, on this SM
  std::uint16_t application = 0;
};

class ContextMover {
 public:
  ContextMover(memory::NetworkPort& port, SmStatistics& statistics, unsigned line_bytes)
      : port_(port), statistics_(statistics), line_bytes_(line_bytes) {}

  /// The number is that of the move while it is under way.
  std::uint32_t start(const ContextMove& move);
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  /// Sends the next line if there is room for it.
  void send();
  struct Ended {
    std::uint32_t number = 0;
    ContextMove move;
  };
  /// A line of the move of that number has been answered. Returns the move if it was the last.
  [[nodiscard]] std::optional<Ended> answered(std::uint32_t number);

 private:
  struct UnderWay {
    ContextMove move;
    std::uint64_t lines = 0;
    std::uint64_t sent = 0;
    std::uint64_t answered = 0;
  };

  memory::NetworkPort& port_;
  SmStatistics& statistics_;
  unsigned line_bytes_;
  Pool<UnderWay> moves_;
  std::deque<std::uint32_t> unsent_;
};

}  // namespace heddle::core
