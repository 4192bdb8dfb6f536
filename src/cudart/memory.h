// Which memory is whose: allocations by kind, arrays, and what a pointer points into.
//
// Device memory has the same addresses in the simulated GPU and in this process (runtime::Device does that), so pinned
// and managed memory are allocations like any other that the host program may touch as well.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

#include "cudart/abi.h"
#include "exec/texture.h"
#include "runtime/device.h"

namespace heddle::cudart {

class Context;

enum class MemoryKind : std::uint8_t { device, managed, pinned, symbol, registered };

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  unsigned flags = 0;
  std::uint64_t mapped = 0;  ///< of registered memory: where kernels find it; elsewhere both addresses are the same
};

/// cudaArray: elements in rows, rows in slices.
struct Array {
  std::uint64_t address = 0;
  ChannelFormat format{};
  Extent extent{};  ///< height and depth are 0 as the program gave them
  unsigned flags = 0;
  std::uint64_t pitch = 0;

  [[nodiscard]] unsigned element_bytes() const {
    return static_cast<unsigned>(format.x + format.y + format.z + format.w) / 8;
  }
  [[nodiscard]] std::uint64_t rows() const { return extent.height == 0 ? 1 : extent.height; }
  [[nodiscard]] std::uint64_t slices() const { return extent.depth == 0 ? 1 : extent.depth; }
};

struct TextureObject {
  ResourceDescription resource{};
  TextureDescription texture{};
};

struct Block;

class Memory {
 public:
  /// New memory. Throws Failure(cudaErrorMemoryAllocation).
  [[nodiscard]] std::uint64_t allocate(Context& context, std::uint64_t bytes, MemoryKind kind, unsigned flags = 0);
  /// Frees the allocation that starts there; fails with `error` if none of these kinds does.
  void free(Context& context, const void* pointer, bool pinned, int error);
  /// The allocation that contains the address.
  [[nodiscard]] const Allocation* find(const void* pointer) const;
  /// Whether the GPU can reach all these bytes, and whether only it can.
  [[nodiscard]] bool is_device(const void* pointer, std::uint64_t bytes) const;
  /// A module's variable: found like an allocation, freed with its module.
  void add_symbol(std::uint64_t address, std::uint64_t bytes);
  /// Host memory of the program's own that kernels may reach at its address.
  void register_host(Context& context, void* pointer, std::uint64_t bytes, unsigned flags);
  void unregister_host(Context& context, void* pointer);
  /// The same bytes as the host finds them.
  [[nodiscard]] Block on_host(Block block) const;
  [[nodiscard]] std::uint64_t used() const { return used_; }

  [[nodiscard]] Array* make_array(Context& context, const ChannelFormat& format, Extent extent, unsigned flags);
  void free_array(Context& context, Array* array);
  [[nodiscard]] Array& array(const Array* array) const;

  std::unordered_map<std::uint64_t, TextureObject> textures;  ///< by handle
  /// Everything is gone with its device.
  void forget_all(Context& context);

 private:
  std::map<std::uint64_t, Allocation> allocations_;  ///< by first address
  std::map<const Array*, std::unique_ptr<Array>> arrays_;
  std::uint64_t used_ = 0;
};

/// Rows of bytes somewhere, as copies and fills of one to three dimensions see them.
struct Block {
  std::uint8_t* base = nullptr;
  std::uint64_t pitch = 0;  ///< from row to row
  std::uint64_t slice = 0;  ///< from slice to slice
};
struct BlockSize {
  std::uint64_t bytes = 0;  ///< of a row
  std::uint64_t rows = 1;
  std::uint64_t slices = 1;

  [[nodiscard]] std::uint64_t total() const { return bytes * rows * slices; }
  /// From the first to behind the last byte in such a block.
  [[nodiscard]] std::uint64_t span(const Block& block) const {
    return total() == 0 ? 0 : (slices - 1) * block.slice + (rows - 1) * block.pitch + bytes;
  }
};

}  // namespace heddle::cudart
