// libFuzzer target: any bytes as PTX. The parser must not crash, hang or deliver an inconsistent module without errors.
//
//   clang++ -std=c++20 -O1 -fsanitize=fuzzer,address,undefined ... tests/fuzz/fuzz_ptx.cpp src/ptx/*.cpp src/base/*.cpp
//   ./fuzz_ptx tests/fuzz/corpus/ptx tests/ptx/samples -dict=tests/fuzz/ptx.dict -max_len=16384
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "../ptx/check_module.h"
#include "ptx/module.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  heddle::Diagnostics diagnostics("fuzz");
  const heddle::ptx::Module module = heddle::ptx::parse({reinterpret_cast<const char*>(data), size}, diagnostics);
  if (!diagnostics.ok()) return 0;
  if (const std::string problem = heddle::ptx::inconsistency_of(module); !problem.empty()) {
    std::fprintf(stderr, "no errors, but %s\n", problem.c_str());
    std::abort();
  }
  return 0;
}
