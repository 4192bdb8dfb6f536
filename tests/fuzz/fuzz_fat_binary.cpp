// Any bytes may be registered as a fat binary, and any file be given to `heddle exec`: neither may crash.
#include <cstddef>
#include <cstdint>

#include "base/diagnostics.h"
#include "cli/elf_program.h"
#include "cudart/fat_binary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  static_cast<void>(heddle::cli::inspect_program(bytes));
  try {
    const auto entries = heddle::cudart::read_fat_binary(bytes);
    if (const auto* entry = heddle::cudart::choose_ptx(entries, 90))
      static_cast<void>(heddle::cudart::unpack_ptx(*entry));
    static_cast<void>(heddle::cudart::machine_code_names(entries));
  } catch (const heddle::UserError&) {  // the only way to refuse
  }
  return 0;
}
