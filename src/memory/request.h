// Messages between SMs and memory partitions.
#pragma once

#include <cstdint>

#include "base/types.h"
#include "memory/line.h"
#include "sim/time.h"

namespace heddle::memory {

/// Sector masks count in this unit everywhere, whatever a cache's own sector size: bit i is bytes [32 i, 32 i + 32) of
/// the line.
inline constexpr unsigned kSectorUnit = 32;

enum class RequestKind : std::uint8_t { read, write, atomic };

/// What a request is for. The L2 serves all alike and counts them apart, unless a fill policy decides otherwise.
enum class Traffic : std::uint8_t { data, instruction, constant, walk, count_ };

inline constexpr std::uint8_t kNoWarp = 0xff;

/// The lanes of an atomic instruction, performed where the line lives. What is in it is between the SM that sends it
/// and the function that performs it.
struct AtomicPacket;

struct Request {
  LineTag line;               ///< the cache line
  std::uint32_t sectors = 1;  ///< which units of the line
  std::uint32_t id = 0;       ///< the SM's own name for it, in the answer
  sim::Cycle arrival = 0;
  AtomicPacket* packet = nullptr;
  LaneMask lanes = 0;        ///< of an atomic: those that touch this line
  std::uint32_t record = 0;  ///< in a checked run: what travels with it (memory/line_checker.h)
  std::uint16_t sm = 0;
  std::uint16_t application = 0;  ///< and with it the address space
  std::uint16_t bytes = 0;        ///< data carried, for bandwidth
  RequestKind kind = RequestKind::read;
  Traffic traffic = Traffic::data;
  std::uint8_t warp = kNoWarp;  ///< of the SM, that asked first
  std::uint8_t same_word = 1;   ///< of an atomic: most lanes that change one word
  std::uint8_t level = 0;       ///< of a walk: of the page-table entry, 4 is the root
  bool missed = false;          ///< the L2 had to wait for DRAM
  bool uncached = false;        ///< the L1 must not keep what comes
  bool replay = false;          ///< of a synonym, under the leading name (memory/table_network.h)
  bool renamed = false;         ///< the SM goes by the leading name, which the table keeps until this is answered
  bool denied = false;          ///< the L1 has the line and may not write it
  std::uint8_t generation = 0;  ///< of a replay: the table's
  [[nodiscard]] std::uint16_t sender() const { return sm; }
};

struct Response {
  std::uint32_t id = 0;
  std::uint32_t sectors = 0;
  sim::Cycle arrival = 0;
  std::uint32_t record = 0;  ///< the request's
  std::uint16_t partition = 0;
  std::uint16_t sm = 0;
  std::uint16_t application = 0;
  std::uint16_t bytes = 0;
  RequestKind kind = RequestKind::read;
  bool missed = false;     ///< the L2 had to wait for DRAM
  bool uncached = false;   ///< the request's
  bool read_only = false;  ///< the page must not be written
  [[nodiscard]] std::uint16_t sender() const { return partition; }
};

}  // namespace heddle::memory
