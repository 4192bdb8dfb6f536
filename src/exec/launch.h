// A kernel launch as the executing machine sees it, and the blocks it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/types.h"
#include "exec/address_space.h"
#include "exec/code.h"
#include "exec/divergence_registry.h"
#include "exec/texture.h"
#include "exec/warp.h"

namespace heddle::exec {

class BlockChecks;
class ProgramChecks;

struct LaunchConfig {
  const Code* code = nullptr;
  std::uint32_t entry = 0;
  std::uint32_t code_base_address = 0;  ///< value of a pointer to instruction 0
  Dim3 grid;
  Dim3 block;
  unsigned registers = 0;          ///< per thread
  std::uint32_t shared_bytes = 0;  ///< static and dynamic
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t local_bytes = 0;  ///< per thread
  std::vector<std::uint8_t> constant_bank;
  std::uint64_t grid_id = 0;
  std::uint64_t workspace = 0;   ///< of a cooperative launch: where its blocks meet; what %envreg1 and %envreg2 read
  std::uint32_t sms = 1;         ///< what %nsmid reads
  double clock_mhz = 1000;       ///< turns time into the nanoseconds that %globaltimer reads
  DivergenceFactory divergence;  ///< where no SM runs it; none: independent
  std::uint64_t instruction_limit = 0;  ///< warp instructions; 0: none
  unsigned resident_blocks = 4096;      ///< most blocks that may run at the same time
};

/// What simulated programs can ask of the outside.
struct Environment {
  GlobalMemory* memory = nullptr;
  std::function<void(std::string_view)> print;  ///< receives the output of vprintf
  std::uint64_t heap_limit = 8u << 20;          ///< bytes of the device heap, as cudaLimitMallocHeapSize
  std::uint64_t heap_used = 0;
  /// Asked after every slice of work with blocks ended and instructions so far; false stops the launch.
  std::function<bool(std::uint64_t, std::uint64_t)> go_on;
  std::unordered_map<std::uint64_t, Texture> textures;  ///< by object handle
  std::set<std::uint64_t> heap;                         ///< what malloc gave out and free has not taken back
  ProgramChecks* checks = nullptr;                      ///< of programs that are checked
};

/// State of one launch that all its blocks share.
struct Launch {
  Launch(const LaunchConfig& launch_config, Environment& launch_environment);

  const LaunchConfig config;
  Environment& environment;
  std::vector<std::uint32_t> pool;  ///< constants as rows
  unsigned warps_per_block = 0;
  unsigned most_calls = 0;                 ///< inside each other
  ProgramChecks* checks = nullptr;         ///< the environment's
  std::vector<std::uint32_t> thread_rows;  ///< %tid.x, .y, .z of each warp of a block: 3 rows a warp
  std::uint64_t warp_instructions = 0;     ///< of blocks that ran functionally, when those have ended
  std::uint64_t thread_instructions = 0;

  [[nodiscard]] LaneMask lanes_of_warp(unsigned warp) const;
};

struct Barrier {
  std::uint32_t arrived_threads = 0;   ///< whole warps count as 32
  std::uint32_t expected_threads = 0;  ///< 0: all of the block
  std::uint32_t predicate_count = 0;   ///< for reductions: lanes where it holds
  std::uint32_t participants = 0;      ///< and lanes that voted
  bool waiting = false;
};

inline constexpr unsigned kBarriers = 16;

/// A running thread block: shared memory, local memory, registers, barriers, warps.
class ThreadBlock {
 public:
  ThreadBlock(Launch& launch, DivergenceUnit& unit);
  ~ThreadBlock();
  ThreadBlock(const ThreadBlock&) = delete;
  ThreadBlock& operator=(const ThreadBlock&) = delete;

  void start(std::uint64_t linear_index);
  [[nodiscard]] bool finished() const { return warps_alive_ == 0; }

  Launch& launch;
  std::uint64_t index = 0;  ///< linear, in the grid
  Dim3 position;
  std::uint32_t sm = 0;
  std::vector<std::uint8_t> shared;
  std::vector<std::uint8_t> local;  ///< thread t's bytes are at t * config.local_bytes
  std::vector<Warp> warps;
  std::unique_ptr<Divergence> divergence;
  std::unique_ptr<BlockChecks> checks;  ///< of programs that are checked
  std::uint64_t now = 0;  ///< core cycle of the last step of a slot with lanes of several warps, where it is timed
  bool changed = false;   ///< slots run something else than the step of another would have them run; for a timing model

  /// A warp arrives; releases everybody if it was the last.
  void arrive(Warp& warp, const Op& op, LaneMask lanes);
  void warp_finished(const Warp& warp);
  /// From now on so many slots come to barriers; all that have not finished unless a divergence says so.
  void set_arriving(unsigned slots);

 private:
  [[nodiscard]] std::uint32_t arriving_threads() const {
    return (arriving_ != 0 ? arriving_ : warps_alive_) * kWarpSize;
  }
  void release_if_complete(unsigned barrier);
  /// Likewise each barrier for all, where fewer are to come than before.
  void release_waiting();

  std::array<Barrier, kBarriers> barriers_;
  std::vector<std::uint32_t> registers_;
  std::uint32_t* register_base_ = nullptr;
  unsigned warps_alive_ = 0;
  unsigned arriving_ = 0;  ///< 0: all that have not finished
};

/// Throws a fault of a lane at the instruction that its slot is at.
[[noreturn]] void raise(Warp& slot, unsigned lane, class ProgramFault&& what);

}  // namespace heddle::exec
