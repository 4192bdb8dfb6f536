#include <bit>

#include "parse_text.h"

namespace heddle::ptx {
namespace {

std::int64_t value_of(std::string_view expression) {
  const Parsed parsed = good_module(".global .s64 x = " + std::string(expression) + ";");
  std::int64_t value = 0;
  const auto& bytes = parsed.module.variables.at(0).initial;
  for (std::size_t i = 0; i < bytes.size(); ++i) value |= static_cast<std::int64_t>(std::uint64_t{bytes[i]} << (8 * i));
  return value;
}

double real_of(std::string_view expression) {
  const Parsed parsed = good_module(".global .f64 x = " + std::string(expression) + ";");
  std::uint64_t bits = 0;
  const auto& bytes = parsed.module.variables.at(0).initial;
  for (std::size_t i = 0; i < bytes.size(); ++i) bits |= std::uint64_t{bytes[i]} << (8 * i);
  return std::bit_cast<double>(bits);
}

TEST(PtxConstants, IntegersAreReadInAllBases) {
  EXPECT_EQ(value_of("42"), 42);
  EXPECT_EQ(value_of("0x2aU"), 42);
  EXPECT_EQ(value_of("052"), 42);
  EXPECT_EQ(value_of("0b101010"), 42);
  EXPECT_EQ(value_of("18446744073709551615"), -1);
}

TEST(PtxConstants, OperatorsHaveThePrecedenceOfC) {
  EXPECT_EQ(value_of("2 + 3 * 4"), 14);
  EXPECT_EQ(value_of("(2 + 3) * 4"), 20);
  EXPECT_EQ(value_of("1 << 2 + 1"), 8);
  EXPECT_EQ(value_of("7 & 3 == 3"), 1);
  EXPECT_EQ(value_of("1 | 6 ^ 4 & 12"), 3);
  EXPECT_EQ(value_of("10 - 4 - 3"), 3);
  EXPECT_EQ(value_of("1 || 0 && 0"), 1);
}

TEST(PtxConstants, UnaryOperatorsNest) {
  EXPECT_EQ(value_of("- -5"), 5);
  EXPECT_EQ(value_of("~0"), -1);
  EXPECT_EQ(value_of("!0 + !7"), 1);
  EXPECT_EQ(value_of("-(3 - 5)"), 2);
}

TEST(PtxConstants, DivisionFollowsTheSign) {
  EXPECT_EQ(value_of("-7 / 2"), -3);
  EXPECT_EQ(value_of("-7 % 2"), -1);
  EXPECT_EQ(value_of("(.u64) -1 / 2"), INT64_MAX);
  EXPECT_EQ(value_of("-1 / 2U"), INT64_MAX);
  EXPECT_EQ(value_of("(-9223372036854775807 - 1) / -1"), INT64_MIN);
}

TEST(PtxConstants, ShiftsFollowTheLeftSideAndSaturate) {
  EXPECT_EQ(value_of("-8 >> 1"), -4);
  EXPECT_EQ(value_of("-8 >> 200"), -1);
  EXPECT_EQ(value_of("1 << 64"), 0);
  EXPECT_EQ(value_of("(.u64) -1 >> 63"), 1);
}

TEST(PtxConstants, ConditionsChooseAValue) {
  EXPECT_EQ(value_of("3 > 2 ? 10 : 20"), 10);
  EXPECT_EQ(value_of("0 ? 1 : 0 ? 2 : 3"), 3);
  EXPECT_EQ(value_of("-1 < 1U ? 1 : 2"), 2);
}

TEST(PtxConstants, TheWarpSizeIsAConstant) { EXPECT_EQ(value_of("WARP_SZ * 2 - 1"), 63); }

TEST(PtxConstants, RealNumbersAreReadInAllForms) {
  EXPECT_EQ(real_of("1.5"), 1.5);
  EXPECT_EQ(real_of("-1."), -1.0);
  EXPECT_EQ(real_of(".5"), 0.5);
  EXPECT_EQ(real_of("25e-2"), 0.25);
  EXPECT_EQ(real_of("1.e2"), 100.0);
  EXPECT_EQ(real_of("0d3FF8000000000000"), 1.5);
  EXPECT_EQ(real_of("0f3FC00000"), 1.5);
  EXPECT_EQ(real_of("1.0 / 4 + 2"), 2.25);
}

TEST(PtxConstants, DivisionByZeroIsAnError) {
  expect_error(parse_module(".global .s32 x = 1 / (2 - 2);"), {2, 20}, "division by zero");
  expect_error(parse_module(".global .s32 x = 1 % 0;"), {2, 20}, "division by zero");
}

TEST(PtxConstants, ANumberBeyond64BitsIsAnError) {
  expect_error(parse_module(".global .s64 x = 18446744073709551616;"), {2, 18}, "does not fit");
  expect_error(parse_module(".global .s64 x = 089;"), {2, 18}, "malformed");
  expect_error(parse_module(".global .f64 x = 1e999;"), {2, 18}, "does not fit");
}

TEST(PtxConstants, IntegerOperatorsRefuseRealNumbers) {
  expect_error(parse_module(".global .f64 x = 1.0 % 2.0;"), {2, 22}, "integers only");
  expect_error(parse_module(".global .f64 x = ~1.0;"), {2, 18}, "integers only");
}

}  // namespace
}  // namespace heddle::ptx
