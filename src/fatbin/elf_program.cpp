#include "fatbin/elf_program.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "fatbin/fat_binary.h"

namespace heddle::fatbin {
namespace {

class Reader {
 public:
  explicit Reader(std::span<const std::byte> file) : file_(file) {}

  template <typename T>
  [[nodiscard]] std::optional<T> at(std::uint64_t offset) const {
    if (offset > file_.size() || sizeof(T) > file_.size() - offset) return std::nullopt;
    T value;
    std::memcpy(&value, file_.data() + offset, sizeof(T));
    return value;
  }
  /// The text that ends with a NUL; empty if it does not.
  [[nodiscard]] std::string text(std::uint64_t offset) const {
    if (offset >= file_.size()) return {};
    const auto* begin = reinterpret_cast<const char*>(file_.data()) + offset;
    const void* end = std::memchr(begin, 0, file_.size() - offset);
    return end == nullptr ? std::string() : std::string(begin, static_cast<const char*>(end));
  }

 private:
  std::span<const std::byte> file_;
};

void read_dynamic(const Reader& reader, const Elf64_Shdr& section, std::uint64_t names, ElfProgram& program) {
  for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= section.sh_size; at += sizeof(Elf64_Dyn)) {
    const auto entry = reader.at<Elf64_Dyn>(section.sh_offset + at);
    if (!entry || entry->d_tag == DT_NULL) return;
    if (entry->d_tag == DT_RPATH) program.has_rpath = true;
    if (entry->d_tag == DT_NEEDED) program.libraries.push_back(reader.text(names + entry->d_un.d_val));
  }
}

void read_symbols(const Reader& reader, const Elf64_Shdr& section, std::uint64_t names, ElfProgram& program) {
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
    const auto symbol = reader.at<Elf64_Sym>(section.sh_offset + at);
    if (!symbol) return;
    if (symbol->st_shndx == SHN_UNDEF && reader.text(names + symbol->st_name) == "__cudaRegisterFatBinary")
      program.imports_runtime = true;
  }
}

}  // namespace

ElfProgram inspect_program(std::span<const std::byte> file) {
  ElfProgram program;
  const Reader reader(file);
  const auto header = reader.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB || header->e_shentsize != sizeof(Elf64_Shdr))
    return program;
  const auto section = [&](std::uint64_t index) {
    return reader.at<Elf64_Shdr>(header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  const auto names = section(header->e_shstrndx);
  if (!names) return program;
  program.is_elf = true;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto found = section(i);
    if (!found) break;
    const std::string name = reader.text(names->sh_offset + found->sh_name);
    if (name == ".nvFatBinSegment" || name == ".nv_fatbin") program.has_gpu_code = true;
    // Relocatable device code has a section of its own.
    const bool inside = found->sh_offset <= file.size() && found->sh_size <= file.size() - found->sh_offset;
    if ((name == ".nv_fatbin" || name == "__nv_relfatbin") && found->sh_type != SHT_NOBITS && inside)
      program.gpu_sections.push_back(file.subspan(found->sh_offset, found->sh_size));
    const auto linked = section(found->sh_link);
    if (!linked) continue;
    if (found->sh_type == SHT_DYNAMIC) read_dynamic(reader, *found, linked->sh_offset, program);
    if (found->sh_type == SHT_DYNSYM) read_symbols(reader, *found, linked->sh_offset, program);
  }
  return program;
}

ProgramPtx ptx_of(const ElfProgram& program, unsigned capability) {
  constexpr std::size_t kHeader = 16;
  constexpr std::size_t kAlignment = 8;
  ProgramPtx found;
  for (const std::span<const std::byte> section : program.gpu_sections) {
    for (std::size_t at = 0; at + kHeader <= section.size();) {
      std::uint32_t magic = 0;
      std::memcpy(&magic, section.data() + at, sizeof(magic));
      if (magic != kFatBinaryMagic) {  // the linker puts zeros between containers
        at += kAlignment;
        continue;
      }
      const std::size_t bytes = std::min(fat_binary_bytes(section.data() + at), section.size() - at);
      const std::vector<FatBinaryEntry> entries = read_fat_binary(section.subspan(at, section.size() - at));
      if (const FatBinaryEntry* best = choose_ptx(entries, capability)) {
        found.modules.push_back(unpack_ptx(*best));
      } else if (!entries.empty()) {
        found.machine_code += (found.machine_code.empty() ? "" : ", ") + machine_code_names(entries);
      }
      at += std::max((bytes + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
    }
  }
  return found;
}

}  // namespace heddle::fatbin
