// Operands for which divisions, reciprocals and roots take their longer way.
#include "exec/long_way.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace heddle::exec {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

bool divides(float a, float b) {
  return divides_long(std::bit_cast<std::uint32_t>(a), std::bit_cast<std::uint32_t>(b));
}
bool divides(double a, double b) {
  return divides_long_double(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b));
}
bool inverts(float x) { return inverts_long(std::bit_cast<std::uint32_t>(x)); }
bool root(float x) { return takes_root_long(std::bit_cast<std::uint32_t>(x)); }

TEST(LongWay, OfDivisionsIsForExtremeOperands) {
  for (const auto& [a, b] : {std::pair{1.0f, 3.0f}, {-7.5f, 1e20f}, {1e30f, 1e10f}, {1e-20f, 1e10f}})
    EXPECT_FALSE(divides(a, b)) << a << " / " << b;
  for (const auto& [a, b] : {std::pair{0.0f, 3.0f},
                             {-0.0f, 3.0f},
                             {1.0f, 0.0f},
                             {1e-35f, 1.0f},
                             {1.0f, 1e-40f},
                             {1e-20f, 1e20f},
                             {1e20f, 1e-20f},
                             {1.0f, 3e38f},
                             {kInfinity, 1.0f},
                             {1.0f, std::nanf("")}})
    EXPECT_TRUE(divides(a, b)) << a << " / " << b;
  EXPECT_FALSE(divides(1.0, 3.0));
  EXPECT_FALSE(divides(1e-200, 1e50));
  for (const auto& [a, b] : {std::pair{0.0, 3.0}, {1e-300, 1.0}, {1.0, 0.0}, {1e-200, 1e120}, {1.0, std::nan("")}})
    EXPECT_TRUE(divides(a, b)) << a << " / " << b;
}

// What the short way computes (an approximate inverse, corrected by fused multiply-adds) is right wherever it is taken.
TEST(LongWay, IsTakenWhereverTheShortWayOfADivisionWouldBeWrong) {
  std::mt19937 random(1);
  unsigned shorts = 0;
  for (int n = 0; n < 2'000'000; ++n) {
    const auto a = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    const auto b = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (divides(a, b)) continue;
    ++shorts;
    float inverse = 1.0f / b;
    inverse = std::fma(inverse, std::fma(-b, inverse, 1.0f), inverse);
    float quotient = a * inverse;
    quotient = std::fma(inverse, std::fma(-b, quotient, a), quotient);
    const float got = std::fma(inverse, std::fma(-b, quotient, a), quotient);
    ASSERT_EQ(got, a / b) << a << " / " << b;
  }
  EXPECT_GT(shorts, 1'000'000u);
}

TEST(LongWay, OfReciprocalsAndRootsGoesByTheExponent) {
  for (const float x : {1.0f, -3.0f, 1.17549435e-38f, 4.25e37f}) EXPECT_FALSE(inverts(x)) << x;
  for (const float x : {0.0f, 1e-40f, 1e38f, kInfinity, std::nanf("")}) EXPECT_TRUE(inverts(x)) << x;
  for (const float x : {1.0f, 1e-30f, 3e38f}) EXPECT_FALSE(root(x)) << x;
  for (const float x : {0.0f, 1e-37f, -1.0f, kInfinity, std::nanf("")}) EXPECT_TRUE(root(x)) << x;
}

TEST(LongWay, IsNotForApproximations) {
  isa::Instruction i;
  i.op = isa::Opcode::fdiv;
  i.type = isa::Type::f32;
  i.rounding = isa::Rounding::rn;
  EXPECT_TRUE(has_long_way(i));
  i.rounding = isa::Rounding::approx;
  EXPECT_FALSE(has_long_way(i));
  i.op = isa::Opcode::idiv;
  i.rounding = isa::Rounding::none;
  EXPECT_FALSE(has_long_way(i));
}

}  // namespace
}  // namespace heddle::exec
