// A kernel launch that is being timed.
#pragma once

#include <cstdint>
#include <string>

#include "core/timed_code.h"
#include "exec/launch.h"
#include "sim/time.h"

namespace heddle::core {

struct KernelInstance {
  std::string name;
  exec::Launch* launch = nullptr;
  const TimedCode* timed = nullptr;
  std::uint64_t code_id = 0;  ///< distinguishes modules in the instruction cache
  std::uint16_t application = 0;
  std::uint64_t blocks = 0;
  std::uint64_t next_block = 0;  ///< dispatched so far
  std::uint64_t blocks_done = 0;
  sim::Cycle started_at = 0;
  sim::Cycle ended_at = 0;

  [[nodiscard]] bool dispatched() const { return next_block == blocks; }
  [[nodiscard]] bool done() const { return blocks_done == blocks; }
};

}  // namespace heddle::core
