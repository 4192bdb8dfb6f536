// What the simulated GPU is to a program: limits, properties, occupancy.
#pragma once

#include <cstdint>
#include <string>

#include "cudart/abi.h"

namespace heddle::cudart {

class Context;
struct Function;

struct DeviceLimits {
  unsigned threads_per_block = 1024;
  unsigned threads_per_sm = 0;
  unsigned blocks_per_sm = 0;
  unsigned registers_per_sm = 0;
  unsigned shared_per_block = 0;        ///< without asking
  unsigned shared_per_block_optin = 0;  ///< with cudaFuncSetAttribute
  unsigned shared_per_sm = 0;
  unsigned shared_reserved = 0;  ///< of each block, for the system
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
};

[[nodiscard]] DeviceLimits device_limits(Context& context);
[[nodiscard]] std::string device_name(Context& context);
/// Fills a cudaDeviceProp in the layout of the program's CUDA version.
void write_properties(Context& context, void* properties);
/// cudaDeviceGetAttribute. Fails for numbers that are no attribute.
[[nodiscard]] int device_attribute(Context& context, int attribute);

/// Blocks of the kernel that fit on an SM at the same time.
[[nodiscard]] unsigned blocks_per_sm(Context& context, Function& function, unsigned threads, std::size_t shared);
/// Fails unless all blocks of a cooperative launch fit at the same time.
void check_cooperative(Context& context, const void* function, const GridSize& grid, const GridSize& block,
                       std::size_t shared);

}  // namespace heddle::cudart
