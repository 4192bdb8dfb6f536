// Checks of what a program does: accesses to memory, races in shared memory, barriers. There is one for a device whose
// programs are checked; what it knows of a block is with the block (exec/check/block_checks.h).
//
// The interpreter tells it of every load, store and atomic before it is performed, blocks of barriers. Nothing here
// changes what a program computes, or when. It is not made for several host threads at once.
#pragma once

#include <cstdint>
#include <optional>

#include "exec/check/finding.h"
#include "exec/check/global_shadow.h"

namespace heddle::exec {

class Interpreter;
class Warp;
struct MemoryAccess;
struct Op;

/// What is checked.
struct CheckKinds {
  bool memory = false;  ///< bounds, use after free, reads of what nobody has written
  bool race = false;    ///< in shared memory
  bool sync = false;    ///< barriers in divergent code

  [[nodiscard]] bool any() const { return memory || race || sync; }
};

enum class AccessKind : std::uint8_t { read, write, atomic };

/// A memory instruction of a warp that is about to be performed.
struct CheckedAccess {
  const Interpreter& interpreter;
  const Op& op;
  const Warp& slot;
  const Warp& home;  ///< whose registers it uses
  const MemoryAccess& memory;
  AccessKind kind = AccessKind::read;
};

class ProgramChecks {
 public:
  explicit ProgramChecks(const CheckKinds& kinds) : kinds_(kinds) {}

  [[nodiscard]] const CheckKinds& kinds() const { return kinds_; }
  [[nodiscard]] Findings& findings() { return findings_; }
  [[nodiscard]] const Findings& findings() const { return findings_; }
  [[nodiscard]] GlobalShadow& global() { return global_; }

  void access(const CheckedAccess& access);
  /// A thread is about to give memory back.
  void frees(const Warp& slot, unsigned lane) { freeing_ = place_of(slot, lane); }
  void released(std::uint64_t address);
  /// A kernel is launched.
  void launched() { ++launches_; }

  [[nodiscard]] static ThreadPlace place_of(const Warp& slot, unsigned lane);
  /// "read of 4 bytes".
  [[nodiscard]] static std::string describe(AccessKind kind, unsigned bytes);

 private:
  void check_global(const CheckedAccess& access, unsigned lane, std::uint64_t address);
  void report_outside(const CheckedAccess& access, unsigned lane, std::uint64_t address);

  CheckKinds kinds_;
  Findings findings_;
  GlobalShadow global_;
  std::optional<ThreadPlace> freeing_;
  std::uint64_t launches_ = 0;
};

}  // namespace heddle::exec
