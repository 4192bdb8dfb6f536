// The passes of the compiler, in the order compile.cpp runs them. Each is one file.
#pragma once

#include "compile/machine_function.h"

namespace heddle::compile {

void propagate_copies(MachineFunction& function);
/// Makes reductions of atomics whose results nobody reads, too.
void remove_dead_code(MachineFunction& function);

/// Computes in 32 bits what is only used as an address of shared or local memory.
void narrow_addresses(MachineFunction& function);

/// Unrolls small counted loops, up to so many rounds a pass.
void unroll_loops(MachineFunction& function, unsigned rounds);

/// Puts guards on up to so many instructions instead of a branch round them.
void predicate_short_branches(MachineFunction& function, unsigned most);

/// Takes constants that are added to addresses into the offsets of loads and stores.
void fold_offsets(MachineFunction& function);

/// Loads words of shared and constant memory once, and neighbours together.
void combine_loads(MachineFunction& function);

/// Stores every register that lives across a call to the frame before it and loads it back after.
void save_around_calls(MachineFunction& function);

/// Reorders each block so that long latencies start early, within a bound on register pressure.
void schedule(MachineFunction& function);

struct Allocation {
  unsigned registers = 0;  ///< general registers used
  unsigned predicates = 0;
  bool ok = true;  ///< false: not even spilling made the function fit
};
/// Maps virtual registers to physical ones, spilling to local memory what does not fit `function.register_limit`.
[[nodiscard]] Allocation allocate_registers(MachineFunction& function);

}  // namespace heddle::compile
