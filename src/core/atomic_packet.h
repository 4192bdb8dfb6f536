// What the atomic unit of a memory partition needs to perform an atomic (memory/request.h).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/types.h"
#include "exec/address_space.h"
#include "isa/instruction.h"

namespace heddle::memory {

struct AtomicPacket {
  const isa::Instruction* instruction = nullptr;
  const exec::GlobalMemory* memory = nullptr;  ///< of the application
  unsigned bytes = 4;
  LaneMask lanes = 0;
  std::array<std::uint64_t, kWarpSize> address{};
  std::array<std::uint64_t, kWarpSize> operand{};
  std::array<std::uint64_t, kWarpSize> second{};  ///< cas: the new value
  std::array<std::uint64_t, kWarpSize> old{};     ///< what was in memory, filled in by perform_atomic
};

/// Performs an atomic on its memory for some of its lanes, in lane order.
void perform_atomic(AtomicPacket& packet, LaneMask lanes);

/// Of these lanes, the most that change one word.
[[nodiscard]] std::uint8_t most_on_one_word(const AtomicPacket& packet, LaneMask lanes);

}  // namespace heddle::memory

namespace heddle::core {

/// The packets of an SM's atomics. They are large, few and on their way to other shards: they stay where they are.
class PacketPool {
 public:
  [[nodiscard]] memory::AtomicPacket* take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<memory::AtomicPacket>());
      free_.push_back(all_.back().get());
    }
    memory::AtomicPacket* packet = free_.back();
    free_.pop_back();
    return packet;
  }
  void release(memory::AtomicPacket* packet) { free_.push_back(packet); }

 private:
  std::vector<std::unique_ptr<memory::AtomicPacket>> all_;
  std::vector<memory::AtomicPacket*> free_;
};

}  // namespace heddle::core
