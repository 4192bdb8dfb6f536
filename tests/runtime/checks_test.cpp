// Checks of programs: each fault is found where it is, and what is right is not taken for a fault.
#include "gpu/parameters.h"
#include "kernel_bench.h"

namespace heddle::runtime {
namespace {

Device::Options checked(bool timed = false) {
  Device::Options options;
  options.checks = {true, true, true};
  if (timed) options.gpu = std::make_shared<gpu::GpuParameters>();
  return options;
}

/// What is found when the body runs with an output array of so many bytes, which have values.
CheckReport findings(std::string_view body, Dim3 block = {32}, std::size_t bytes = 4096, bool timed = false,
                     Dim3 grid = {1}, std::string_view before = "") {
  Device device(checked(timed));
  const Module module = device.load(kernel_text(body, before), "test.ptx");
  DeviceArray<std::uint8_t> out(device, bytes);
  out.fill(0);
  device.launch(module.kernel("k"), grid, block, 0, out.address());
  return device.check_report();
}

/// One finding, with these parts in its text.
void expect_one(const CheckReport& report, const std::string& kind, const std::vector<std::string>& parts) {
  ASSERT_EQ(report.findings.size(), 1u) << (report.findings.empty() ? "nothing was found"
                                                                    : report.findings.back().text);
  EXPECT_EQ(report.findings[0].kind, kind);
  for (const std::string& part : parts)
    EXPECT_NE(report.findings[0].text.find(part), std::string::npos) << part << " in\n" << report.findings[0].text;
}

void expect_none(const CheckReport& report) {
  EXPECT_EQ(report.total, 0u) << (report.findings.empty() ? "" : report.findings[0].text);
}

constexpr const char* kOutside = "outside every allocation";
constexpr const char* kFreed = "use after free";
constexpr const char* kUninitialised = "uninitialised read";
constexpr const char* kRace = "race in shared memory";
constexpr const char* kDivergent = "barrier in divergent code";

TEST(MemoryChecks, FindAWriteThatBeginsAtTheEndOfAnAllocation) {
  // The last of 32 threads writes one byte past 31: one byte is enough.
  const CheckReport report = findings("cvt.u64.u32 %d2, %r0; add.u64 %d2, %d2, %d0;\nst.global.u8 [%d2], 1;", {32}, 31);
  expect_one(report, kOutside,
             {"write of 1 byte", "kernel 'k'", "test.ptx:5", "block (0, 0, 0)", "thread (31, 0, 0)",
              "0 bytes past the end of an allocation of 31 bytes"});
  EXPECT_EQ(report.total, 1u);
}

TEST(MemoryChecks, FindAReadWhoseLastByteIsPastTheEnd) {
  const CheckReport report = findings("ld.global.u32 %r3, [%d1]; st.global.u32 [%d0], %r3;", {32}, 127);
  expect_one(report, kOutside, {"read of 4 bytes", "thread (31, 0, 0)", "its last 1 bytes are past the end"});
}

TEST(MemoryChecks, FindNothingInsideAnAllocation) {
  expect_none(findings("ld.global.u32 %r3, [%d1]; add.u32 %r3, %r3, 1; st.global.u32 [%d1], %r3;", {32}, 128));
}

TEST(MemoryChecks, WorkInATimedRunAsWell) {
  const auto body = "cvt.u64.u32 %d2, %r0; add.u64 %d2, %d2, %d0;\nst.global.u8 [%d2], 1;";
  expect_one(findings(body, {32}, 31, true), kOutside, {"thread (31, 0, 0)"});
  expect_none(findings(body, {32}, 32, true));
}

TEST(MemoryChecks, CountTheSamePlaceOnce) {
  const CheckReport report = findings("st.global.u8 [%d0+31], 1;", {64}, 31);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.total, 64u);
  EXPECT_EQ(report.findings[0].times, 64u);
}

TEST(MemoryChecks, KeepABoundedNumberOfPlaces) {
  std::string body;
  for (int i = 0; i < 150; ++i) body += "st.global.u8 [%d0+31], 1;\n";
  const CheckReport report = findings(body, {1}, 31);
  EXPECT_EQ(report.findings.size(), 100u);
  EXPECT_EQ(report.total, 150u);
  EXPECT_EQ(report.left_out, 50u);
}

TEST(MemoryChecks, FindUseOfWhatTheHostFreed) {
  Device device(checked());
  const Module module = device.load(kernel_text("st.global.u32 [%d0+8], 1;"), "test.ptx");
  const DeviceAddress gone = device.allocate(64);
  device.launch(module.kernel("k"), {1}, {1}, 0, gone);
  device.free(gone);
  // Somebody else's memory does not come to lie where it was.
  EXPECT_NE(device.allocate(64), gone);
  EXPECT_THROW(device.launch(module.kernel("k"), {1}, {1}, 0, gone), LaunchError);
  expect_one(device.check_report(), kFreed,
             {"write of 4 bytes", "8 bytes into an allocation of 64 bytes", "freed by the host after 1 kernel launch"});
}

TEST(MemoryChecks, FindUseOfWhatAThreadFreed) {
  const auto before = ".extern .func (.param .b64 r) malloc(.param .b64 n); .extern .func free(.param .b64 p); ";
  const auto body =
      "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 16; call (r), malloc, (n); ld.param.b64 %d2, [r]; }\n"
      "st.u32 [%d2], 1;\n"
      "{ .param .b64 p; st.param.b64 [p], %d2; call free, (p); }\n"
      "st.u32 [%d2+4], 1;";
  Device device(checked());
  const Module module = device.load(kernel_text(body, before), "test.ptx");
  EXPECT_THROW(device.launch(module.kernel("k"), {1}, {1}, 0, std::uint64_t{0}), LaunchError);
  expect_one(device.check_report(), kFreed, {"4 bytes into an allocation of 16 bytes", "freed by", "test.ptx:6"});
}

TEST(MemoryChecks, FindReadsOfDeviceMemoryThatNobodyWrote) {
  Device device(checked());
  const Module module = device.load(kernel_text("ld.global.u32 %r3, [%d1];\nst.global.u32 [%d1], %r3;"), "test.ptx");
  const DeviceAddress memory = device.allocate(128);
  const std::vector<std::uint8_t> values(124, 1);
  device.copy_to_device(memory, values.data(), values.size());
  device.launch(module.kernel("k"), {1}, {32}, 0, memory);
  expect_one(device.check_report(), kUninitialised,
             {"read of 4 bytes", "test.ptx:4", "thread (31, 0, 0)", "124 bytes into an allocation of 128 bytes"});
}

TEST(MemoryChecks, TakeWhatAKernelWroteForWritten) {
  Device device(checked());
  const Module writes = device.load(kernel_text("st.global.u32 [%d1], 7;"), "writes.ptx");
  const Module reads = device.load(kernel_text("ld.global.u32 %r3, [%d1]; st.global.u32 [%d1], %r3;"), "reads.ptx");
  const DeviceAddress memory = device.allocate(128);
  device.launch(writes.kernel("k"), {1}, {32}, 0, memory);
  device.launch(reads.kernel("k"), {1}, {32}, 0, memory);
  expect_none(device.check_report());
}

TEST(MemoryChecks, TellVariablesOfAModuleApart) {
  const auto before = ".global .align 4 .b8 first[4] = {1, 2, 3, 4}; .global .align 4 .b8 second[4]; ";
  expect_none(findings("ld.global.u32 %r3, [first]; ld.global.u32 %r4, [second];", {1}, 4, false, {1}, before));
  expect_one(findings("ld.global.u32 %r3, [first+4]; st.global.u32 [%d0], %r3;", {1}, 4, false, {1}, before), kOutside,
             {"0 bytes past the end of variable 'first' of 4 bytes"});
}

TEST(MemoryChecks, FindReadsOfSharedMemoryThatNobodyWrote) {
  expect_one(findings("ld.shared.u32 %r3, [shared_data+8]; st.global.u32 [%d1], %r3;", {1}, 4), kUninitialised,
             {"read of 4 bytes", "no thread of the block has written it"});
  // Not what the block before left there.
  const auto body =
      "mov.u32 %r4, %ctaid.x; setp.eq.u32 %p0, %r4, 0; @%p0 st.shared.u32 [shared_data], 5;\n"
      "ld.shared.u32 %r3, [shared_data]; st.global.u32 [%d1], %r3;";
  expect_one(findings(body, {1}, 64, false, {2}), kUninitialised, {"block (1, 0, 0)"});
}

// Thread t writes word t of shared memory, then reads word t ^ 32: that of the other warp.
std::string exchange(const std::string& between, const std::string& store = "st.shared.u32",
                     const std::string& load = "ld.shared.u32") {
  return "mov.u32 %r9, shared_data; and.b32 %r3, %r2, 63; mad.lo.u32 %r10, %r3, 4, %r9; xor.b32 %r4, %r3, 32; "
         "mad.lo.u32 %r11, %r4, 4, %r9; add.u32 %r12, %r2, 1;\n" +
         store + " [%r10], %r12;\n" + between + "\n" + load + " %r5, [%r11];\nst.global.u32 [%d1], %r5;";
}

TEST(RaceChecks, FindAReadOfAnotherWarpsWriteWithoutABarrier) {
  const CheckReport report = findings(exchange(""), {64});
  std::size_t races = 0;
  for (const auto& finding : report.findings) races += finding.kind == kRace ? 1 : 0;
  ASSERT_GE(races, 1u);
  const std::string& text = report.findings.back().text;
  EXPECT_NE(text.find("test.ptx:"), std::string::npos) << text;
  EXPECT_NE(text.find("thread ("), std::string::npos) << text;
}

TEST(RaceChecks, FindNothingWhereABarrierIsBetween) {
  expect_none(findings(exchange("bar.sync 0;"), {64}));
  expect_none(findings(exchange("bar.sync 0;"), {64}, 4096, true));
  expect_none(findings(exchange("barrier.sync 1, 64;"), {64}));
  expect_none(findings(exchange("bar.red.popc.u32 %r6, 0, %p0;"), {64}));
}

TEST(RaceChecks, FindAWriteAfterARead) {
  // Both warps read word 0, which one of them then changes.
  const auto body =
      "setp.eq.u32 %p0, %r2, 0; @%p0 st.shared.u32 [shared_data], 3; bar.sync 0;\n"
      "ld.shared.u32 %r5, [shared_data]; setp.eq.u32 %p1, %r2, 0; add.u32 %r5, %r5, 1;\n"
      "st.global.u32 [%d1], %r5; @%p1 st.shared.u32 [shared_data], %r5;";
  expect_one(findings(body, {64}), kRace, {"write of 4 bytes", "thread (0, 0, 0)", "read by block"});
}

TEST(RaceChecks, FindABarrierOfOtherWarpsOnly) {
  // Warps 0 and 1 meet; warp 2 reads what warp 0 wrote without having met them.
  const auto body =
      "shr.u32 %r3, %r2, 5; setp.eq.u32 %p0, %r2, 0; @%p0 st.shared.u32 [shared_data], 3;\n"
      "setp.eq.u32 %p1, %r3, 2; @%p1 bra READ; bar.sync 1, 64; bra E;\n"
      "READ: ld.shared.u32 %r5, [shared_data]; st.global.u32 [%d1], %r5;\nE: ret;";
  expect_one(findings(body, {96}), kRace, {"read of 4 bytes", "thread (64, 0, 0)", "written by"});
}

TEST(RaceChecks, KnowArrivals) {
  expect_none(
      findings("shr.u32 %r3, %r2, 5; setp.eq.u32 %p0, %r3, 1; mov.u32 %r5, 1; @%p0 bra CONSUMER;\nst.shared.u32 "
               "[shared_data], 42; bar.arrive 3, 64; bra E;\n"
               "CONSUMER: bar.sync 3, 64; ld.shared.u32 %r5, [shared_data];\nE: st.global.u32 [%d1], %r5;",
               {64}));
}

TEST(RaceChecks, KnowThatABarrierWaitsForWarpsToEnd) {
  expect_none(
      findings("setp.lt.u32 %p0, %r2, 32; @%p0 st.shared.u32 [shared_data], 9; @%p0 exit; bar.sync 0;\n"
               "ld.shared.u32 %r5, [shared_data]; st.global.u32 [%d1], %r5;",
               {64}));
}

TEST(RaceChecks, LetAtomicsMeet) {
  expect_none(
      findings("setp.eq.u32 %p0, %r2, 0; @%p0 st.shared.u32 [shared_data], 0; bar.sync 0;\n"
               "atom.shared.add.u32 %r3, [shared_data], 1; bar.sync 0; ld.shared.u32 %r5, [shared_data];\n"
               "st.global.u32 [%d1], %r5;",
               {128}));
}

TEST(RaceChecks, FindAPlainReadBesideAnAtomic) {
  const auto body =
      "setp.eq.u32 %p0, %r2, 0; @%p0 st.shared.u32 [shared_data], 0; bar.sync 0;\n"
      "setp.lt.u32 %p1, %r2, 32; @%p1 red.shared.add.u32 [shared_data], 1;\n"
      "mov.u32 %r5, 0; @!%p1 ld.shared.u32 %r5, [shared_data]; st.global.u32 [%d1], %r5;";
  expect_one(findings(body, {64}), kRace, {"atomic of 4 bytes", "read by"});
}

TEST(RaceChecks, KnowLocks) {
  // Every warp adds to word 1 while it holds the lock in word 0.
  const auto body =
      "setp.eq.u32 %p0, %r2, 0; @%p0 st.shared.v2.u32 [shared_data], {0, 0}; bar.sync 0;\n"
      "and.b32 %r3, %r2, 31; setp.ne.u32 %p1, %r3, 0; @%p1 bra E;\n"
      "AGAIN: atom.shared.cas.b32 %r4, [shared_data], 0, 1; setp.ne.u32 %p2, %r4, 0; @%p2 bra AGAIN;\n"
      "ld.shared.u32 %r5, [shared_data+4]; add.u32 %r5, %r5, 1; st.shared.u32 [shared_data+4], %r5; membar.cta;\n"
      "atom.shared.exch.b32 %r4, [shared_data], 0;\nE: ret;";
  expect_none(findings(body, {128}));
}

TEST(RaceChecks, DoNotMindWarpsThatRelyOnTheirThreadsRunningTogether) {
  expect_none(
      findings("mov.u32 %r9, shared_data; mad.lo.u32 %r10, %r2, 4, %r9; st.shared.u32 [%r10], %r2;\n"
               "bar.warp.sync 0xffffffff; xor.b32 %r4, %r2, 1; mad.lo.u32 %r11, %r4, 4, %r9;\n"
               "ld.shared.u32 %r5, [%r11]; st.global.u32 [%d1], %r5;",
               {32}));
}

TEST(RaceChecks, FindTwoLanesThatWriteDifferentValues) {
  expect_one(findings("st.shared.u32 [shared_data], %r2;", {32}), kRace, {"write of 4 bytes", "written by"});
  expect_none(findings("st.shared.u32 [shared_data], 7;", {32}));
}

TEST(RaceChecks, DoNotMindAWriteOfWhatIsThere) {
  const auto body =
      "setp.eq.u32 %p0, %r2, 0; @%p0 st.shared.u32 [shared_data], 1; bar.sync 0; st.shared.u32 [shared_data], 1;";
  expect_none(findings(body, {128}));
}

TEST(RaceChecks, TakeACopyToSharedMemoryForAWrite) {
  const auto copy =
      "mov.u32 %r9, shared_data; mad.lo.u32 %r10, %r2, 4, %r9; xor.b32 %r4, %r2, 32; mad.lo.u32 %r11, %r4, 4, %r9;\n"
      "cp.async.ca.shared.global [%r10], [%d1], 4; cp.async.commit_group; cp.async.wait_group 0;\n";
  const auto read = "ld.shared.u32 %r5, [%r11]; st.global.u32 [%d1], %r5;";
  expect_none(findings(std::string(copy) + "bar.sync 0;" + read, {64}));
}

TEST(SyncChecks, FindABarrierThatOnlySomeLanesReach) {
  const CheckReport report =
      findings("setp.lt.u32 %p0, %r2, 16; @!%p0 bra E;\nbar.sync 0;\nE: bar.sync 0; st.global.u32 [%d1], 1;", {32});
  expect_one(report, kDivergent, {"kernel 'k'", "test.ptx:6", "warp 0", "0x0000ffff are not at this barrier"});
}

TEST(SyncChecks, DoNotMindLanesThatEndedOrBarriersForSome) {
  expect_none(findings("setp.ge.u32 %p0, %r2, 40; @%p0 exit; bar.sync 0; st.global.u32 [%d1], 1;", {64}));
  expect_none(findings("setp.lt.u32 %p0, %r2, 32; @!%p0 bra E;\nbar.sync 1, 32;\nE: st.global.u32 [%d1], 1;", {64}));
  expect_none(
      findings("setp.lt.u32 %p0, %r2, 16; @%p0 bra A; barrier.sync 0; bra E;\nA: barrier.sync 0;\n"
               "E: st.global.u32 [%d1], 1;",
               {32}));
}

TEST(Checks, ChangeNothing) {
  Device::Options plain = checked(true);
  plain.checks = {};
  std::vector<std::uint64_t> cycles;
  for (const Device::Options& options : {plain, checked(true)}) {
    Device device(options);
    const Module module = device.load(kernel_text(exchange("bar.sync 0;")), "test.ptx");
    DeviceArray<std::uint32_t> out(device, 64);
    out.fill(0);
    cycles.push_back(device.launch(module.kernel("k"), {1}, {64}, 0, out.address()).cycles);
    const std::vector<std::uint32_t> values = out.download();
    for (std::uint32_t t = 0; t < 64; ++t) EXPECT_EQ(values[t], (t ^ 32) + 1);
    EXPECT_EQ(device.check_report().total, 0u);
  }
  EXPECT_EQ(cycles[0], cycles[1]);
}

}  // namespace
}  // namespace heddle::runtime
