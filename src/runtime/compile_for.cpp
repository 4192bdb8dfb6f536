#include "runtime/compile_for.h"

#include <algorithm>

#include "isa/regions.h"

namespace heddle::runtime {

compile::CompileOptions compile_for(const gpu::GpuParameters& gpu, unsigned register_limit) {
  compile::CompileOptions options;
  options.register_limit = register_limit;
  if (gpu.sm.operands.is("spill"))
    options.register_limit = std::min(options.register_limit, gpu.sm.spill.registers_per_warp(gpu.sm.warps));
  options.free_registers = gpu.compiler.free_registers;
  options.latency_warps = gpu.compiler.latency_warps;
  options.lane_registers = gpu.sm.registers / kWarpSize;
  options.branching_divisions = gpu.compiler.branching_divisions;
  options.unroll = gpu.compiler.unroll;
  options.predicate = gpu.compiler.predicate;
  options.fold_offsets = gpu.compiler.fold_offsets;
  options.combine_loads = gpu.compiler.combine_loads;
  if (gpu.compiler.spread_banks)
    options.banks = gpu.sm.operands.is("regless") ? isa::kRegionBanks : gpu.sm.register_banks.get();
  return options;
}

}  // namespace heddle::runtime
