#include "core/atomic_packet.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "exec/alu.h"

namespace heddle::memory {

void perform_atomic(AtomicPacket& packet, LaneMask lanes) {
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    std::uint8_t* at = packet.memory->find_writable_in_page(packet.address[lane]);
    if (at == nullptr) continue;  // freed while the request was on its way
    std::uint64_t old = 0;
    std::memcpy(&old, at, packet.bytes);
    const std::uint64_t result =
        exec::apply_atomic(*packet.instruction, old, packet.operand[lane], packet.second[lane]);
    std::memcpy(at, &result, packet.bytes);
    packet.old[lane] = old;
  }
}

std::uint8_t most_on_one_word(const AtomicPacket& packet, LaneMask lanes) {
  int most = 0;
  while (std::popcount(lanes) > most) {
    const std::uint64_t word = packet.address[static_cast<unsigned>(std::countr_zero(lanes))];
    LaneMask same = 0;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) same |= LaneMask{packet.address[lane] == word} << lane;
    most = std::max(most, std::popcount(same & lanes));
    lanes &= ~same;
  }
  return static_cast<std::uint8_t>(most);
}

}  // namespace heddle::memory
