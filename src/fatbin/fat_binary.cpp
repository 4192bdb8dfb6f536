#include "fatbin/fat_binary.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <limits>

#include "base/diagnostics.h"

namespace heddle::fatbin {
namespace {

// The layout, measured on what nvcc 13 writes. All numbers are little endian.
//   header: u32 magic, u16 version, u16 header bytes, u64 bytes of the entries that follow
//   entry:  u16 kind, u16 0x101, u32 header bytes, u64 payload bytes, u32 compressed bytes (0: not compressed),
//           u32 options offset, u16 minor, u16 major, u32 architecture, u32 name offset, u32 name bytes, u64 flags,
//           u64 0, u64 uncompressed bytes
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kEntryBytes = 64;
constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;
constexpr std::uint64_t kFlagSpecific = 0x100000;
/// More than any program's code and PTX; a damaged size must not make us ask for all memory.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostText = std::uint64_t{256} << 20;

template <typename T>
T read(std::span<const std::byte> bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string unpack(std::span<const std::byte> packed, std::uint64_t flags, std::uint64_t bytes, std::size_t place) {
  const auto damaged = [&](const char* what) {
    return UserError(fmt::format("fat binary: the {} data of the entry at byte {} are damaged", what, place));
  };
  // Neither format expands its input by more than this; what claims to is not worth an allocation.
  if (bytes > kMostText || bytes / 1024 > (packed.size() + 1) * 64) throw damaged("compressed");
  std::string text(bytes, '\0');
  if ((flags & kFlagZstd) != 0) {
    const std::size_t written = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
    if (ZSTD_isError(written) != 0) throw damaged("zstd");
    text.resize(written);
  } else if ((flags & kFlagLz4) != 0) {
    const int written = LZ4_decompress_safe(reinterpret_cast<const char*>(packed.data()), text.data(),
                                            static_cast<int>(packed.size()), static_cast<int>(text.size()));
    if (written < 0) throw damaged("LZ4");
    text.resize(static_cast<std::size_t>(written));
  } else {
    throw UserError(
        fmt::format("fat binary: the entry at byte {} is compressed in an unknown way (flags {:#x})", place, flags));
  }
  return text;
}

}  // namespace

std::size_t fat_binary_bytes(const std::byte* header) {
  const std::span<const std::byte> bytes(header, kHeaderBytes);
  if (read<std::uint32_t>(bytes, 0) != kFatBinaryMagic)
    throw UserError(fmt::format("fat binary: it starts with {:#x}, not with {:#x}", read<std::uint32_t>(bytes, 0),
                                kFatBinaryMagic));
  const std::uint64_t size = read<std::uint64_t>(bytes, 8);
  if (size > kMostBytes) throw UserError(fmt::format("fat binary: a size of {} bytes cannot be right", size));
  return read<std::uint16_t>(bytes, 6) + size;
}

std::vector<FatBinaryEntry> read_fat_binary(std::span<const std::byte> container) {
  if (container.size() < kHeaderBytes) throw UserError("fat binary: shorter than its header");
  const std::size_t end = fat_binary_bytes(container.data());
  if (end > container.size())
    throw UserError(fmt::format("fat binary: {} bytes according to its header, but only {}", end, container.size()));
  const std::size_t first = read<std::uint16_t>(container, 6);
  if (first < kHeaderBytes) throw UserError(fmt::format("fat binary: a header of {} bytes is too short", first));

  std::vector<FatBinaryEntry> entries;
  for (std::size_t at = first; at < end;) {
    const std::span<const std::byte> rest = container.subspan(at, end - at);
    if (rest.size() < kEntryBytes) throw UserError(fmt::format("fat binary: the entry at byte {} is cut short", at));
    const std::size_t header = read<std::uint32_t>(rest, 4);
    const std::uint64_t payload = read<std::uint64_t>(rest, 8);
    if (header < kEntryBytes || header > rest.size() || payload > rest.size() - header)
      throw UserError(fmt::format("fat binary: the entry at byte {} is longer than the container", at));
    FatBinaryEntry entry;
    const auto kind = read<std::uint16_t>(rest, 0);
    entry.kind = kind == 1   ? FatBinaryEntry::Kind::ptx
                 : kind == 2 ? FatBinaryEntry::Kind::machine_code
                             : FatBinaryEntry::Kind::other;
    entry.architecture = read<std::uint32_t>(rest, 28);
    const std::uint64_t flags = read<std::uint64_t>(rest, 40);
    entry.specific = (flags & kFlagSpecific) != 0;
    entry.flags = flags;
    entry.place = at;
    entry.data = rest.subspan(header, payload);
    if (const std::size_t packed = read<std::uint32_t>(rest, 16); packed != 0) {
      if (packed > payload)
        throw UserError(fmt::format("fat binary: the entry at byte {} has fewer bytes than it says", at));
      entry.data = entry.data.first(packed);
      entry.unpacked_bytes = read<std::uint64_t>(rest, 56);
    }
    entries.push_back(entry);
    at += header + payload;
  }
  return entries;
}

std::string unpack_ptx(const FatBinaryEntry& entry) {
  std::string text = entry.unpacked_bytes == 0
                         ? std::string(reinterpret_cast<const char*>(entry.data.data()), entry.data.size())
                         : unpack(entry.data, entry.flags, entry.unpacked_bytes, entry.place);
  // Text is padded with NULs.
  text.resize(std::strlen(text.c_str()));
  return text;
}

const FatBinaryEntry* choose_ptx(const std::vector<FatBinaryEntry>& entries, unsigned capability) {
  const FatBinaryEntry* best = nullptr;
  for (const FatBinaryEntry& entry : entries) {
    if (entry.kind != FatBinaryEntry::Kind::ptx || entry.data.empty()) continue;
    if (best == nullptr) {
      best = &entry;
      continue;
    }
    const bool fits = entry.architecture <= capability && (!entry.specific || entry.architecture == capability);
    const bool best_fits = best->architecture <= capability && (!best->specific || best->architecture == capability);
    if (fits != best_fits) {
      if (fits) best = &entry;
    } else if (fits ? entry.architecture >= best->architecture : entry.architecture < best->architecture) {
      best = &entry;
    }
  }
  return best;
}

std::string machine_code_names(const std::vector<FatBinaryEntry>& entries) {
  std::string names;
  for (const FatBinaryEntry& entry : entries) {
    if (entry.kind == FatBinaryEntry::Kind::machine_code)
      names += fmt::format("{}sm_{}", names.empty() ? "" : ", ", entry.architecture);
  }
  return names;
}

}  // namespace heddle::fatbin
