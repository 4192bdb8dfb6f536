// From the addresses of a warp's lanes to lines, pages and passes through shared memory.
#pragma once

#include "core/line_group.h"
#include "exec/interpreter.h"

namespace heddle::core {

/// The lanes of an access that touch this space: a generic access is to global memory, to shared or to local, lane by
/// lane.
[[nodiscard]] LaneMask lanes_in(const exec::MemoryAccess& access, isa::Space space);

/// Adds the lines that the lanes touch, each once, in the order of the first lane that touches it.
void coalesce(const exec::MemoryAccess& access, LaneMask lanes, unsigned line_bytes, Lines& lines);

/// Local memory is interleaved: word w of all lanes of a warp is one 128-byte line. `base` is the warp's region.
void coalesce_local(const exec::MemoryAccess& access, LaneMask lanes, std::uint64_t base, unsigned line_bytes,
                    Lines& lines);

/// Says of the lines from `first` on how lanes use their words. `local`: they are of local memory. `whole`: only full
/// warps are consecutive or broadcast.
void find_patterns(const exec::MemoryAccess& access, std::size_t first, bool local, bool whole, Lines& lines);

/// Different 4 KiB pages among the lines.
[[nodiscard]] unsigned count_pages(const Lines& lines);

}  // namespace heddle::core
