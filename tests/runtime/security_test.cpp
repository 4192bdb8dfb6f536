// What a simulated program must not reach: the simulator's own memory, and what other kernels have. Most of these are
// only seen to fail by the address sanitizer.
#include <fmt/format.h>

#include "kernel_bench.h"

namespace heddle::runtime {
namespace {

void expect_one_fault(const LaunchError& error, int code, const std::string& part) {
  EXPECT_EQ(error.cuda_error(), code) << error.what();
  EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
}

TEST(Security, SharedMemoryEndsFor64BitAddressesToo) {
  for (const char* address :
       {"0x8000000000000000", "0xc000000000000000", "0xc000000000100000", "0xfffffffffffffff8", "0x100000000"}) {
    for (const char* type : {"u32 %r3", "u64 %d4"}) {
      expect_one_fault(Bench().fault(fmt::format(
                           "mov.u64 %d5, {}; st.volatile.global.u64 [%d0+1024], %d5; "
                           "ld.volatile.global.u64 %d3, [%d0+1024]; ld.shared.{}, [%d3]; st.global.u32 [%d1], %r3; "
                           "st.global.u64 [%d0], %d4; st.shared.u32 [shared_data], %r3;",
                           address, type)),
                       700, "shared memory has 256 bytes here");
    }
  }
}

// Another kernel with far more registers than the first.
std::string large_kernel() {
  std::string body =
      ".visible .entry large(.param .u64 out) { .reg .b32 %r<200>; .reg .b64 %d<2>; ld.param.u64 %d0, "
      "[out]; ";
  for (int r = 0; r < 180; ++r) body += fmt::format("ld.global.u32 %r{}, [%d0+{}]; ", r, 4 * r);
  for (int r = 0; r < 180; ++r) body += fmt::format("st.global.u32 [%d0+{}], %r{}; ", 4 * r, 179 - r);
  return body + "ret; }";
}

TEST(Security, IndirectCallsEnterFunctionsOnly) {
  // Kernels, the middle of functions, and this kernel itself are no functions that a pointer may name.
  const std::string others = large_kernel() + "\n.func f() { .reg .b32 x; mov.u32 x, 1; add.u32 x, x, 1; ret; }";
  for (const int instruction : {0, 1, 30}) {
    expect_one_fault(Bench().fault(fmt::format("P: .callprototype _ (); mov.u64 %d3, {}; call %d3, (), P;",
                                               0x1000 + 16 * instruction),
                                   {1}, {32}, others, 65536),
                     718, "not a function");
  }
}

TEST(Security, RecursionEndsAlsoWithoutFrames) {
  const std::string_view forever = ".func f() { call f, (); ret; }";
  for (const char* divergence : {"stack", "independent"}) {
    Device::Options options;
    options.divergence = exec::divergence_named(divergence);
    options.instruction_limit = 10'000'000;
    expect_one_fault(Bench(options).fault("call f, ();", {1}, {32}, forever), 714, "calls inside each other");
  }
}

TEST(Security, LocalMemoryOfAThreadIsBounded) {
  Bench bench;
  const auto text = [](unsigned bytes) {
    return kernel_text(
        fmt::format(".local .align 4 .b8 mine[{}]; st.local.u32 [mine], %r0; ld.local.u32 %r3, [mine]; "
                    "st.global.u32 [%d1], %r3;",
                    bytes));
  };
  const DeviceArray<std::uint32_t> out(bench.device(), 32);
  const Module fits = bench.device().load(text(512 * 1024), "test.ptx");
  EXPECT_NO_THROW(bench.device().launch(fits.kernel("k"), {1}, {32}, 0, out.address()));
  const Module large = bench.device().load(text(512 * 1024 + 16), "test.ptx");
  try {
    bench.device().launch(large.kernel("k"), {1}, {32}, 0, out.address());
    FAIL();
  } catch (const LaunchError& error) {
    expect_one_fault(error, 701, "524304 bytes of local memory");
  }
}

constexpr std::string_view kVprintf = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);";

std::string print_call(std::string_view format_address) {
  return fmt::format(
      "{{ .param .b64 f, a; .param .b32 r; cvta.global.u64 %d5, {}; cvta.local.u64 %d6, %d4; "
      "st.param.b64 [f], %d5; st.param.b64 [a], %d6; call (r), vprintf, (f, a); }}",
      format_address);
}

TEST(Security, PrintingIsBounded) {
  // 4,000 numbers of 60,000 characters each; and widths that the host's printf would have to take seriously.
  std::string numbers;
  for (int i = 0; i < 4000; ++i) numbers += "37,54,48,48,48,48,100,";  // %60000d
  const std::string many = fmt::format("{} .global .align 1 .b8 text[28001] = {{{}0}};", kVprintf, numbers);
  Bench bench;
  bench.run_warp(
      ".local .align 8 .b8 values[16384]; mov.u64 %d4, values; mov.u64 %d7, text; setp.ne.u32 %p0, %r0, 0; "
      "@%p0 bra END;\n" +
          print_call("%d7") + "\nEND:",
      many);
  EXPECT_LE(bench.printed().size(), 1024u * 1024u);
  EXPECT_GT(bench.printed().size(), 512u * 1024u);
  // "%.2000000000f%d"
  const std::string wide = fmt::format(
      "{} .global .align 1 .b8 text[17] = {{37,46,50,48,48,48,48,48,48,48,48,48,102,37,100,33,0}};", kVprintf);
  Bench other;
  other.run_warp(
      ".local .align 8 .b8 values[16]; mov.u64 %d4, values; st.local.u32 [values+8], 5; mov.u64 %d7, text; "
      "setp.ne.u32 %p0, %r0, 0; @%p0 bra END;\n" +
          print_call("%d7") + "\nEND:",
      wide);
  EXPECT_EQ(other.printed(), "5!");
}

TEST(Security, ResultsOf32BitsDoNotGoTo64BitRegisters) {
  for (const char* instruction : {"vote.sync.ballot.b32 %d5, %p0, -1;", "activemask.b32 %d5;",
                                  "elect.sync %d5|%p1, -1;", "match.any.sync.b32 %d5, %r0, -1;",
                                  "redux.sync.add.u32 %d5, %r0, -1;", "shfl.sync.idx.b32 %d5, %r0, 0, 31, -1;"}) {
    Device device;
    EXPECT_THROW(
        (void)device.load(
            kernel_text(fmt::format("setp.eq.u32 %p0, %r0, 0; {} st.global.u64 [%d0], %d5;", instruction)), "test.ptx"),
        UserError)
        << instruction;
  }
}

TEST(Security, KernelParametersCannotBeWritten) {
  for (const char* store : {"st.u64 [%d4], %d0;", "atom.add.u32 %r4, [%d4], 1;", "st.v2.u32 [%d4], {%r0, %r0};"}) {
    expect_one_fault(Bench().fault(fmt::format("mov.b64 %d3, out; cvta.param.u64 %d4, %d3; {}", store)), 700,
                     "parameters cannot be written");
  }
}

}  // namespace
}  // namespace heddle::runtime
