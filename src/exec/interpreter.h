// Executes instructions of warps: the functional machine.
//
// `execute` computes one instruction for some lanes: values and memory. It returns what happened; what runs next is for
// the block's divergence to say (divergence.h). `step` does both for a slot. A timing model calls it when it issues the
// instruction and reads what it touched from `last_access()`.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <unordered_map>

#include "exec/check/program_checks.h"
#include "exec/launch.h"
#include "exec/rows.h"
#include "exec/spin.h"
#include "exec/store_buffer.h"

namespace heddle::exec {

/// The memory that the last instruction touched.
struct MemoryAccess {
  alignas(64) std::array<std::uint64_t, kWarpSize> address{};  ///< in its space, by lane
  LaneMask lanes = 0;
  unsigned bytes = 0;  ///< per lane
  isa::Space space = isa::Space::generic;
};

class Interpreter {
 public:
  explicit Interpreter(Launch& launch)
      : launch_(&launch), code_(launch.config.code->data()), pool_(launch.pool.data()) {}

  /// Executes for a timing model from here on: global stores go to `stores`, global atomics are left to the memory
  /// system, %clock reads what set_time() said.
  void set_timed(StoreBuffer* stores) { stores_ = stores; }
  void set_time(std::uint64_t time) { time_ = time; }
  /// The warps to come belong to this launch.
  void select(Launch& launch) {
    launch_ = &launch;
    code_ = launch.config.code->data();
    pool_ = launch.pool.data();
  }

  /// Computes an instruction for lanes of a warp, whose registers it reads and writes, in the slot of the last step().
  /// Throws ProgramFault.
  Outcome execute(const Op& op, Warp& warp, LaneMask lanes);
  /// Whether the slot's lanes have to wait for others of their warp before the next instruction. Something else is then
  /// the next: asked again, the answer is another. A timing model asks before it issues; step() does so itself.
  [[nodiscard]] bool gives_way(Warp& slot);
  /// Executes the slot's next instruction, unless it gives way, and moves on. Throws ProgramFault.
  void step(Warp& slot);
  /// Likewise, of an arithmetic instruction for which no lanes meet, in a slot whose lanes are all its own. Returns how
  /// many lanes execute it.
  unsigned step_arithmetic(const Op& op, Warp& slot) {
    ++slot.instructions;
    ++warp_instructions_;
    const LaneMask lanes = guarded(op, slot, slot.path.mask);
    const auto count = static_cast<unsigned>(std::popcount(lanes));
    thread_instructions_ += count;
    if (lanes != 0) execute_alu(op, slot, lanes);
    slot.advance();
    return count;
  }
  /// Executes up to `budget` instructions, until the slot waits or ends; returns how many.
  std::uint64_t run(Warp& slot, std::uint64_t budget);

  /// Of these lanes of the warp, those in which the instruction's guard holds.
  [[nodiscard]] static LaneMask guarded(const Op& op, const Warp& warp, LaneMask lanes) {
    if (op.guard == 0xff) return lanes;
    const LaneMask p = warp.predicates[op.guard];
    return lanes & (op.guard_negated ? ~p : p);
  }

  /// What the slot's next instruction, a memory instruction, would touch. Executes nothing.
  [[nodiscard]] MemoryAccess preview(const Op& op, Warp& slot);

  /// One lane's value of a source operand.
  [[nodiscard]] std::uint64_t source_value(const Op& op, const Warp& warp, unsigned s, unsigned lane,
                                           unsigned bytes) const {
    const std::uint64_t mask = bytes >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * bytes) - 1;
    const std::uint32_t* row = source(op, warp, s);
    if ((op.wide_sources >> s & 1) != 0) return read_pair(row, lane) & mask;
    if (!op.instruction->src[s].wide()) return row[lane] & mask;
    std::uint64_t value = 0;  // a constant
    std::memcpy(&value, row + 2 * lane, sizeof(value));
    return value & mask;
  }
  /// Writes one lane of an instruction's first destination.
  static void write_value(const Op& op, Warp& warp, unsigned lane, std::uint64_t value) {
    if (op.instruction->dst[0].wide()) {
      write_pair(warp.registers + op.dst[0], lane, value);
    } else {
      warp.registers[op.dst[0] + lane] = static_cast<std::uint32_t>(value);
    }
  }

  /// From here on, looks which slots go round in loops in which nothing changes; or no more, and forgets.
  void watch(bool on);
  /// Whether the slot, watched, does nothing but that.
  [[nodiscard]] bool spins(const Warp& slot) const;

  [[nodiscard]] const MemoryAccess& last_access() const { return access_; }
  [[nodiscard]] std::uint64_t warp_instructions() const { return warp_instructions_; }
  [[nodiscard]] std::uint64_t thread_instructions() const { return thread_instructions_; }

 private:
  /// Calls f(home warp, lanes that execute) for each part of a slot that has more than its own.
  template <typename Function>
  static void for_each_part(const Op& op, const Warp& slot, Function&& f) {
    for (const SlotPart& part : slot.parts) {
      if (const LaneMask lanes = guarded(op, *part.warp, part.lanes); lanes != 0) f(*part.warp, lanes);
    }
  }
  Outcome compute(const Op& op, Warp& warp, LaneMask lanes);
  Outcome execute_parts(const Op& op, const Warp& slot);
  void add_access(MemoryAccess& to) const;
  void move_on(Warp& slot, const Op& op, const Outcome& outcome);
  /// The row of a source: of a register pair its two rows, of a 64-bit constant a joined row.
  [[nodiscard]] const std::uint32_t* source(const Op& op, const Warp& warp, unsigned s) const {
    return (op.in_pool(s) ? pool_ : warp.registers) + op.src[s];
  }

  /// A source of 64 bits as one joined row, built in `space` if it is a register pair.
  [[nodiscard]] const std::uint64_t* joined_source(const Op& op, const Warp& warp, unsigned s,
                                                   std::uint64_t* space) const {
    if ((op.wide_sources >> s & 1) == 0) return reinterpret_cast<const std::uint64_t*>(source(op, warp, s));
    join_row(source(op, warp, s), space);
    return space;
  }

  void execute_alu(const Op& op, Warp& warp, LaneMask lanes);
  void execute_wide_alu(const Op& op, Warp& warp, AluArguments& arguments);
  Outcome execute_control(const Op& op, Warp& warp, LaneMask lanes);
  void read_special(const Op& op, Warp& warp, LaneMask lanes);
  void convert_address(const Op& op, Warp& warp, LaneMask lanes);
  void read_texture(const Op& op, Warp& warp, LaneMask lanes);
  void system_call(const Op& op, Warp& warp, LaneMask lanes);
  std::uint64_t print(const Warp& warp, unsigned lane, std::uint64_t format, std::uint64_t arguments);

  // memory.cpp
  void compute_addresses(const Op& op, const Warp& warp, LaneMask lanes, unsigned bytes);
  void load(const Op& op, Warp& warp, LaneMask lanes);
  void store(const Op& op, Warp& warp, LaneMask lanes);
  void atomic(const Op& op, Warp& warp, LaneMask lanes);
  /// Tells those who check programs what is about to be done.
  void check(const Op& op, const Warp& warp, AccessKind kind) const {
    if (launch_->checks != nullptr) [[unlikely]]
      launch_->checks->access({*this, op, *slot_, warp, access_, kind});
  }
  /// Host pointer for one lane's access; throws the fault if there is none.
  std::uint8_t* locate(const Warp& warp, unsigned lane, std::uint64_t address, unsigned bytes, isa::Space space,
                       bool writes = false);
  template <typename T>
  void load_elements(const Op& op, Warp& warp, LaneMask lanes, bool is_signed);
  /// Loads 32-bit words from shared memory at 32-bit addresses, without noting them for a timing model; false as below.
  bool load_shared_words(const Op& op, Warp& warp, LaneMask lanes);
  /// Loads one element per lane from shared memory; false, and nothing done, if some address is bad.
  template <typename T>
  bool gather_shared(const Op& op, Warp& warp, LaneMask lanes);
  template <typename T>
  void store_elements(const Op& op, Warp& warp, LaneMask lanes);
  std::string read_string(const Warp& warp, unsigned lane, std::uint64_t address);

  [[noreturn]] void fault(unsigned lane, class ProgramFault&& what) const { raise(*slot_, lane, std::move(what)); }

  Launch* launch_;
  const Op* code_;
  const std::uint32_t* pool_;
  Warp* slot_ = nullptr;  ///< whose instruction is being executed
  MemoryAccess access_;
  LaneTargets targets_{};  ///< of the last indirect branch or call
  StoreBuffer* stores_ = nullptr;
  bool watches_ = false;
  std::unordered_map<const Warp*, SpinWatch> watched_;
  std::uint64_t time_ = 0;
  std::uint64_t warp_instructions_ = 0;
  std::uint64_t thread_instructions_ = 0;
};

}  // namespace heddle::exec
