// CUDA's fat binary: a container of a program's GPU code, as PTX and as machine code, for several architectures.
//
// Containers of CUDA 11 to 13. Entries hold their code as it is, as one LZ4 block or as a zstd frame. Everything a
// container says about sizes and offsets is checked: it may be cut short or damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace heddle::fatbin {

inline constexpr std::uint32_t kFatBinaryMagic = 0xba55ed50;
inline constexpr std::uint32_t kWrapperMagic = 0x466243b1;

struct FatBinaryEntry {
  enum class Kind : std::uint8_t { ptx, machine_code, other };
  Kind kind = Kind::other;
  unsigned architecture = 0;        ///< 75 for sm_75 and compute_75
  bool specific = false;            ///< for this architecture alone: sm_90a, sm_100f
  std::span<const std::byte> data;  ///< in the container, perhaps compressed
  std::uint64_t flags = 0;
  std::uint64_t unpacked_bytes = 0;  ///< 0: the data are not compressed
  std::size_t place = 0;             ///< byte of the container where it starts
};

/// All entries of a container, which must live as long as they do. Nothing is unpacked yet. Throws UserError that says
/// what is wrong and where.
[[nodiscard]] std::vector<FatBinaryEntry> read_fat_binary(std::span<const std::byte> container);

/// The text of a PTX entry. Throws UserError if it is damaged or larger than any program.
[[nodiscard]] std::string unpack_ptx(const FatBinaryEntry& entry);

/// Bytes of a container, from its header; throws UserError if it is none. `header` has at least 16 bytes.
[[nodiscard]] std::size_t fat_binary_bytes(const std::byte* header);

/// The PTX to run on a GPU of this compute capability (90 for 9.0): the newest that it has, else the oldest of those
/// that are newer. Nothing if there is no PTX.
[[nodiscard]] const FatBinaryEntry* choose_ptx(const std::vector<FatBinaryEntry>& entries, unsigned capability);

/// "sm_80, sm_90": what machine code a container has, for a message.
[[nodiscard]] std::string machine_code_names(const std::vector<FatBinaryEntry>& entries);

}  // namespace heddle::fatbin
