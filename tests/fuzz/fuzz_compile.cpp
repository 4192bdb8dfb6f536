// libFuzzer target: any bytes as PTX, parsed and compiled. Whatever the parser accepts, the compiler must lower, refuse
// with a message, or compile, in bounded time and memory.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "compile/program.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::Diagnostics diagnostics("fuzz");
  const heddle::ptx::Module module = heddle::ptx::parse({reinterpret_cast<const char*>(data), size}, diagnostics);
  if (!diagnostics.ok()) return 0;
  heddle::compile::CompileOptions options;
  options.register_limit = 16 + size % 240;
  (void)heddle::compile::compile(module, options, diagnostics);
  return 0;
}
