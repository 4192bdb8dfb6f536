// Any bytes may be registered as a fat binary, and any file be given to `heddle exec`: neither may crash.
#include <cstddef>
#include <cstdint>

#include "base/diagnostics.h"
#include "fatbin/elf_program.h"
#include "fatbin/fat_binary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto program = heddle::fatbin::inspect_program(bytes);
  try {
    static_cast<void>(heddle::fatbin::ptx_of(program, 90));
    const auto entries = heddle::fatbin::read_fat_binary(bytes);
    if (const auto* entry = heddle::fatbin::choose_ptx(entries, 90))
      static_cast<void>(heddle::fatbin::unpack_ptx(*entry));
    static_cast<void>(heddle::fatbin::machine_code_names(entries));
  } catch (const heddle::UserError&) {  // the only way to refuse
  }
  return 0;
}
