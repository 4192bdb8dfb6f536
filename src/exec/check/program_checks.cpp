#include "exec/check/program_checks.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "exec/check/block_checks.h"
#include "exec/interpreter.h"

namespace heddle::exec {

using isa::Space;

namespace {

/// Not one of the windows that name other memory.
bool is_global(Space space, std::uint64_t address) {
  if (space == Space::global || space == Space::constant) return true;
  return space == Space::generic && (address >= kGlobalBase || (address - kLocalWindow >= kWindowBytes &&
                                                                address - kParameterWindow >= kParameterWindowBytes));
}

}  // namespace

ThreadPlace ProgramChecks::place_of(const Warp& slot, unsigned lane) {
  const Launch& launch = slot.block->launch;
  const Warp& home = slot.parts.empty() ? slot : home_in(slot.parts, lane);
  const std::uint32_t* rows = &launch.thread_rows[std::size_t{home.index} * 3 * kWarpSize + lane];
  return {launch.config.code,
          launch.config.grid_id,
          slot.path.pc,
          slot.block->position,
          {rows[0], rows[kWarpSize], rows[2 * kWarpSize]}};
}

std::string ProgramChecks::describe(AccessKind kind, unsigned bytes) {
  const char* name = kind == AccessKind::read ? "read" : kind == AccessKind::write ? "write" : "atomic";
  return fmt::format("{} of {} byte{}", name, bytes, bytes == 1 ? "" : "s");
}

void ProgramChecks::access(const CheckedAccess& access) {
  const MemoryAccess& memory = access.memory;
  LaneMask shared = 0;
  for (LaneMask left = memory.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t address = memory.address[lane];
    if (memory.space == Space::shared || (memory.space == Space::generic && address - kSharedWindow < kWindowBytes)) {
      shared |= LaneMask{1} << lane;
    } else if (kinds_.memory && is_global(memory.space, address)) {
      check_global(access, lane, address);
    }
  }
  BlockChecks& block = *access.slot.block->checks;
  if (shared != 0) block.access(access, shared);
  if (access.kind == AccessKind::atomic && shared != memory.lanes) block.global_atomic(access, memory.lanes & ~shared);
}

void ProgramChecks::check_global(const CheckedAccess& access, unsigned lane, std::uint64_t address) {
  const unsigned bytes = access.memory.bytes;
  GlobalShadow::Region* region = global_.find(address, bytes);
  if (region == nullptr) return report_outside(access, lane, address);
  if (access.kind != AccessKind::write && !GlobalShadow::is_written(*region, address, bytes)) {
    Finding finding;
    finding.kind = FindingKind::uninitialised;
    finding.place = place_of(access.slot, lane);
    finding.access = describe(access.kind, bytes);
    finding.address = address;
    finding.detail = fmt::format("nobody has written it; it is {} bytes into an allocation of {} bytes at {:#x}",
                                 address - region->address, region->bytes, region->address);
    findings_.add(std::move(finding));
    GlobalShadow::mark_written(*region, address, bytes);  // said once for each byte
  }
  if (access.kind != AccessKind::read) GlobalShadow::mark_written(*region, address, bytes);
}

void ProgramChecks::report_outside(const CheckedAccess& access, unsigned lane, std::uint64_t address) {
  Finding finding;
  finding.kind = FindingKind::out_of_bounds;
  finding.place = place_of(access.slot, lane);
  finding.access = describe(access.kind, access.memory.bytes);
  finding.address = address;
  const GlobalShadow::Region* near = global_.nearest(address);
  if (const GlobalShadow::Freed* freed = global_.find_freed(address)) {
    finding.kind = FindingKind::use_after_free;
    finding.detail = fmt::format("it is {} bytes into an allocation of {} bytes at {:#x}, which has been freed",
                                 address - freed->address, freed->bytes, freed->address);
    if (freed->by) {
      finding.other_did = "freed by";
      finding.other = *freed->by;
    } else {
      finding.detail +=
          fmt::format(" by the host after {} kernel launch{}", freed->launches, freed->launches == 1 ? "" : "es");
    }
  } else if (near == nullptr) {
    finding.detail = "nothing is allocated";
  } else {
    const std::string what = near->name.empty()
                                 ? fmt::format("an allocation of {} bytes at {:#x}", near->bytes, near->address)
                                 : fmt::format("variable '{}' of {} bytes", near->name, near->bytes);
    const std::uint64_t end = near->address + near->bytes;
    finding.detail = address >= end            ? fmt::format("{} bytes past the end of {}", address - end, what)
                     : address < near->address ? fmt::format("{} bytes before {}", near->address - address, what)
                                               : fmt::format("its last {} bytes are past the end of {}",
                                                             address + access.memory.bytes - end, what);
  }
  findings_.add(std::move(finding));
}

void ProgramChecks::released(std::uint64_t address) {
  global_.released(address, std::exchange(freeing_, std::nullopt), launches_);
}

}  // namespace heddle::exec
