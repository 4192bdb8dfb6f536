// Measurements of hardware: how they are read, split and compared.
#include <gtest/gtest.h>

#include "base/diagnostics.h"
#include "study/validation.h"

namespace heddle::study {
namespace {

constexpr const char* kHeader =
    "# how it was recorded\n"
    "kind,program,size,launch,kernel,blocks,threads,cycles,instructions,l2_sectors,dram_bytes,registers\n";

std::string complaint_about(const std::string& text) {
  try {
    (void)parse_measurements(text, "m.csv");
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

ValidatedKernel pair(double measured, double simulated) {
  ValidatedKernel kernel;
  kernel.measured.figures = {measured, 10, 0, 0};
  kernel.simulated = {simulated, 20, 0, 0};
  return kernel;
}

TEST(Validation, reads_a_kernel_per_line) {
  const auto kernels =
      parse_measurements(std::string(kHeader) + "program,radix_sort,,2,_Z7scatter,12,128,5000,900,70,64,32\n", "m.csv");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].kind, MeasuredKernel::Kind::program);
  EXPECT_EQ(kernels[0].program, "radix_sort");
  EXPECT_EQ(kernels[0].launch, 2u);
  EXPECT_EQ(kernels[0].kernel, "_Z7scatter");
  EXPECT_EQ(kernels[0].figures.cycles, 5000);
  EXPECT_EQ(kernels[0].figures.instructions, 900);
  EXPECT_EQ(kernels[0].figures.l2_sectors, 70);
  EXPECT_EQ(kernels[0].figures.dram_bytes, 64);
  EXPECT_EQ(kernels[0].registers, 32u);
}

TEST(Validation, names_the_line_that_is_wrong_and_what_is_allowed) {
  EXPECT_EQ(complaint_about(std::string(kHeader) + "kernel,a,,0,k,1,1,1,1,1,1,1\n"),
            "m.csv:3: kind is 'kernel', and must be workload or program");
  EXPECT_NE(complaint_about(std::string(kHeader) + "program,a,,0,k\n").find("m.csv:3: 5 fields, and there must be 12"),
            std::string::npos);
  EXPECT_NE(complaint_about("program,a\n").find("m.csv:1: the first line must name the columns"), std::string::npos);
  EXPECT_NE(complaint_about(std::string(kHeader) + "program,a,,0,k,1,1,0,1,1,1,1\n").find("must be at least 1"),
            std::string::npos);
}

TEST(Validation, splits_programs_by_name_alone) {
  // The halves must not move: figures of one version are compared with those of another.
  EXPECT_TRUE(for_fitting("bc"));
  EXPECT_FALSE(for_fitting("huge_grid"));
  EXPECT_FALSE(for_fitting("empty_launches"));
}

TEST(Validation, sums_errors_up) {
  const std::vector<ValidatedKernel> kernels{pair(100, 110), pair(1000, 400), pair(10000, 10000), pair(50, 150)};
  const Accuracy a = accuracy(kernels);
  EXPECT_EQ(a.kernels, 4u);
  EXPECT_NEAR(a.mean_error, (0.1 + 0.6 + 0 + 2) / 4, 1e-12);
  EXPECT_NEAR(a.median_error, 0.35, 1e-12);
  EXPECT_EQ(a.close, 2u);
  EXPECT_EQ(a.far, 2u);
  EXPECT_NEAR(a.instructions, 2, 1e-12);
  EXPECT_GT(a.correlation, 0.8);
  EXPECT_LT(a.correlation, 1);
  EXPECT_NEAR(accuracy(std::vector{pair(10, 20), pair(100, 200)}).correlation, 1, 1e-9);
}

}  // namespace
}  // namespace heddle::study
