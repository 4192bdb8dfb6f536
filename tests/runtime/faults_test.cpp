// What programs do wrong: the CUDA error a GPU reports, and a report a person can act on.
#include <fmt/format.h>

#include "gpu/parameters.h"
#include "kernel_bench.h"

namespace heddle::runtime {
namespace {

void expect_report(const LaunchError& error, int code, std::initializer_list<std::string> parts) {
  EXPECT_EQ(error.cuda_error(), code) << error.what();
  for (const std::string& part : parts)
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << part << " is missing in\n" << error.what();
}

TEST(Faults, OfAnAddressOutOfBoundsNameEverything) {
  const LaunchError error = Bench().fault(
      "mov.u32 %r3, 0;\nsetp.eq.u32 %p0, %r0, 37;\n@%p0 ld.global.u32 %r3, [%d0+8192];\nst.global.u32 [%d1], %r3;", {2},
      {32});
  expect_report(error, 700,
                {"kernel 'k' failed: cudaErrorIllegalAddress (700)", "test.ptx:6", "LD.GLOBAL",
                 "block (1, 0, 0), thread (5, 0, 0)", "4 bytes of global memory", "nearest allocation: 0x",
                 "4096 bytes; the address is 4096 bytes past its end"});
  EXPECT_EQ(error.cuda_name(), "cudaErrorIllegalAddress");
}

TEST(Faults, OfStoresAndAtomicsAreTheSame) {
  expect_report(Bench().fault("st.global.u64 [%d0+8192], %d0;"), 700, {"8 bytes of global memory"});
  expect_report(Bench().fault("atom.global.add.u32 %r3, [%d0+8192], 1;"), 700, {"past its end"});
  expect_report(Bench().fault("st.global.v4.u32 [%d0+8192], {%r0, %r0, %r0, %r0};"), 700, {"16 bytes"});
}

TEST(Faults, OfTheNullPointerSayItsAddress) {
  expect_report(Bench().fault("mov.u64 %d3, 0; ld.u32 %r3, [%d3]; st.global.u32 [%d1], %r3;"), 700,
                {"address 0x0", "before it"});
  expect_report(Bench().fault("mov.u64 %d3, 0; st.global.u32 [%d3+16], %r3;"), 700, {"address 0x10"});
}

TEST(Faults, OfMisalignedAddressesComeBeforeAnythingElse) {
  expect_report(Bench().fault("ld.global.u32 %r3, [%d0+2]; st.global.u32 [%d1], %r3;"), 716,
                {"cudaErrorMisalignedAddress", "not a multiple of the access size"});
  expect_report(Bench().fault("ld.global.v2.u32 {%r3, %r4}, [%d0+4]; st.global.u32 [%d1], %r3;"), 716, {"8 bytes"});
  expect_report(Bench().fault("st.shared.u64 [shared_data+4], %d0;"), 716, {"shared memory"});
}

TEST(Faults, OfSharedMemorySayItsSize) {
  expect_report(Bench().fault("st.shared.u32 [shared_data], %r0; mov.u32 %r3, 4096; st.shared.u32 [%r3], %r3;"), 700,
                {"address 0x1000", "shared memory has 256 bytes here"});
  expect_report(Bench().fault("mov.u32 %r3, shared_data; ld.shared.u32 %r4, [%r3-4]; st.global.u32 [%d1], %r4;"), 700,
                {"shared memory"});
}

TEST(Faults, OfLocalMemorySayItsSize) {
  expect_report(
      Bench().fault(
          ".local .align 4 .b8 mine[64]; mov.u32 %r4, 1000; st.local.u32 [%r4], %r4; st.local.u32 [mine], %r4;"),
      700, {"local memory has 64 bytes here"});
}

TEST(Faults, OfAFreedAllocationAreSeen) {
  Bench bench;
  const Module module = bench.device().load(kernel_text("st.global.u32 [%d1], 1;"), "test.ptx");
  const DeviceAddress address = bench.device().allocate(128);
  bench.device().free(address);
  try {
    bench.device().launch(module.kernel("k"), {1}, {32}, 0, address);
    FAIL();
  } catch (const LaunchError& error) {
    expect_report(error, 700, {"nothing is allocated"});
  }
}

TEST(Faults, InFunctionsNameTheFunction) {
  expect_report(
      Bench().fault("call f; ", {1}, {32}, ".func f() { .reg .b64 d; mov.u64 d, 64; st.global.u32 [d], 1; ret; }"), 700,
      {"in function 'f'", "kernel 'k'"});
}

TEST(Faults, OfTheProgramsOwnMaking) {
  expect_report(Bench().fault("setp.eq.u32 %p0, %r0, 3;\n@%p0 trap;"), 719,
                {"cudaErrorLaunchFailure", "test.ptx:5", "thread (3, 0, 0)", "executed trap"});
  expect_report(Bench().fault("T: .branchtargets A; mov.u32 %r3, 7; brx.idx %r3, T; A:"), 715,
                {"1 targets, but the index is 7"});
  expect_report(Bench().fault("mov.u32 %r3, 16; bar.sync %r3;"), 715, {"barriers 0 to 15"});
  expect_report(Bench().fault("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%d0, {%r0}]; st.global.f32 [%d1], %f0;"), 700,
                {"texture"});
}

TEST(Faults, OfTheHeapAreSeen) {
  expect_report(Bench().fault(".param .b64 a; st.param.b64 [a], %d0; call free, (a);", {1}, {32},
                              ".extern .func free(.param .b64 a);"),
                700, {"malloc() did not return"});
}

TEST(Faults, OfAnEndlessLoopComeAtTheLimit) {
  Device::Options options;
  options.instruction_limit = 100'000;
  Bench bench(options);
  expect_report(bench.fault("L: bra L;"), 702,
                {"cudaErrorLaunchTimeout", "more than 100000 warp instructions", "kernel 'k'"});
}

TEST(Faults, OfTimedKernelsThatNeverEndAreTheSame) {
  Device::Options options;
  options.gpu = std::make_shared<gpu::GpuParameters>();
  options.instruction_limit = 100'000;
  expect_report(Bench(options).fault("L: bra L;"), 702,
                {"cudaErrorLaunchTimeout", "more than 100000 warp instructions", "kernel 'k'"});
  const std::string body = "setp.lt.u32 %p0, %r2, 32; @%p0 bra W;\nbar.sync 2;\nbra E;\nW: bar.sync 1;\nE:";
  const LaunchError functional = Bench().fault(body, {1}, {64});
  const LaunchError timed = Bench(options).fault(body, {1}, {64});
  EXPECT_EQ(timed.cuda_error(), functional.cuda_error());
  EXPECT_STREQ(timed.what(), functional.what());
}

TEST(Faults, LeaveTheDeviceUsable) {
  Bench bench;
  bench.fault("trap;");
  EXPECT_EQ(bench.run_warp("st.global.u32 [%d1], %r0;"), lanes([](auto lane) { return lane; }));
}

class LaunchErrors : public testing::Test {
 protected:
  void expect(int code, std::string_view part, Dim3 grid, Dim3 block, std::uint32_t shared = 0,
              std::string_view directives = "") {
    std::string text = kernel_text("st.global.u32 [%d1], 1;");
    text.insert(text.find('{'), std::string(directives) + " ");
    const Module module = bench_.device().load(text, "test.ptx");
    const DeviceArray<std::uint32_t> out(bench_.device(), 4096);
    try {
      bench_.device().launch(module.kernel("k"), grid, block, shared, out.address());
      FAIL() << part;
    } catch (const LaunchError& error) {
      expect_report(error, code, {std::string(part)});
    }
  }
  Bench bench_;
};

TEST_F(LaunchErrors, AreThoseOfTheShape) {
  expect(9, "a block of 1025 x 1 x 1 threads is too large", {1}, {1025});
  expect(9, "too large", {1}, {1, 1, 65});
  expect(9, "too large", {1}, {32, 64});
  expect(9, "empty", {0}, {32});
  expect(9, "empty", {1}, {0});
  expect(9, "a grid of 1 x 65536 x 1 blocks is too large", {1, 65536}, {32});
}

TEST_F(LaunchErrors, AreThoseOfSharedMemory) {
  expect(1, "bytes of shared memory are too many", {1}, {32}, 300 * 1024);
}

TEST_F(LaunchErrors, AreThoseOfLaunchBounds) {
  expect(1, "at most 64 threads per block (.maxntid), not 96", {1}, {96}, 0, ".maxntid 64, 1, 1");
  expect(1, "requires blocks of 32 x 2 x 1 threads", {1}, {64}, 0, ".reqntid 32, 2, 1");
}

TEST_F(LaunchErrors, AreThoseOfRegisters) {
  std::string body;
  for (int i = 0; i < 45; ++i) body += fmt::format("ld.volatile.global.u64 %d{}, [%d0];\n", i + 20);
  for (int i = 0; i < 45; ++i) body += fmt::format("st.global.u64 [%d0], %d{};\n", i + 20);
  std::string text = kernel_text(body);
  text.replace(text.find("%d<20>"), 6, "%d<99>");
  const Module module = bench_.device().load(text, "test.ptx");
  const DeviceArray<std::uint32_t> out(bench_.device(), 4096);
  EXPECT_GT(module.kernel("k").info().registers, 64u);
  try {
    bench_.device().launch(module.kernel("k"), {1}, {1024}, 0, out.address());
    FAIL();
  } catch (const LaunchError& error) {
    expect_report(error, 701, {"do not fit in 65536 registers"});
  }
}

TEST_F(LaunchErrors, OfArgumentsSayWhichAndWhy) {
  const Module module = bench_.device().load(kernel_text(""), "test.ptx");
  const auto message = [&](auto&&... arguments) {
    try {
      bench_.device().launch(module.kernel("k"), {1}, {32}, 0, arguments...);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(), "kernel 'k' takes 1 arguments, not 0");
  EXPECT_EQ(message(std::uint64_t{1}, 2), "kernel 'k' takes 1 arguments, not 2");
  EXPECT_EQ(message(std::uint32_t{1}), "kernel 'k': argument 0 ('out') has 4 bytes, the parameter 8");
}

TEST_F(LaunchErrors, OfNamesListTheKernels) {
  const Module module = bench_.device().load(kernel_text(""), "test.ptx");
  try {
    (void)module.kernel("missing");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "test.ptx has no kernel 'missing' (it has: k)");
  }
}

TEST(LoadErrors, OfOneKernelLeaveTheOthersUsableIfAskedTo) {
  Device::Options options;
  options.keep_going = true;
  Bench bench(options);
  const std::string lacks =
      ".func bad(.param .u64 a) { .reg .f64 e; .reg .b64 d; ld.param.u64 d, [a];\nfma.rn.sat.f64 e, e, e, e;\n"
      "st.global.f64 [d], e; ret; }\n";
  const std::string other =
      ".visible .entry uses(.param .u64 out) { .reg .b64 d; ld.param.u64 d, [out]; .param .u64 p; st.param.u64 [p], d; "
      "call bad, (p); ret; }\n";
  const Module module = bench.device().load(kernel_text("st.global.u32 [%d1], %r0;", lacks + other), "test.ptx");
  const DeviceArray<std::uint32_t> out(bench.device(), 32);
  bench.device().launch(module.kernel("k"), {1}, {32}, 0, out.address());
  EXPECT_EQ(out.download(), lanes([](auto lane) { return lane; }));
  try {
    (void)module.kernel("uses");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("test.ptx:2:1"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("the machine has no 'FFMA.RN.SAT.F64"), std::string::npos) << error.what();
  }
}

TEST(LoadErrors, NameTheLineOfAnInstructionThatTheMachineLacks) {
  Bench bench;
  try {
    (void)bench.run_warp("mov.u32 %r3, 1;\nsin.approx.f64 %e1, %e0; st.global.f64 [%d0], %e1;");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("test.ptx:5:"), std::string::npos) << error.what();
  }
}

TEST(Progress, MayStopALaunch) {
  Device::Options options;
  int calls = 0;
  options.progress = [&](const Progress& progress) {
    EXPECT_EQ(progress.kernel, "k");
    EXPECT_EQ(progress.blocks, 10u);
    return ++calls < 5;
  };
  Bench bench(options);
  EXPECT_THROW((void)bench.run("L: bra L;", {10}, {32}, 320), Interrupted);
  EXPECT_EQ(calls, 5);
}

}  // namespace
}  // namespace heddle::runtime
