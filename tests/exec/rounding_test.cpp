// Rounding, against exact arithmetic: half precision over all or many operands, conversions in every mode.
#include <bit>
#include <cmath>

#include "row_bench.h"

namespace heddle::test {
namespace {

using Narrow = RowBench::Narrow;

double half_value(std::uint32_t bits) {
  const int exponent = static_cast<int>((bits >> 10) & 31);
  const double mantissa = bits & 1023u;
  const double magnitude = exponent == 31  ? (mantissa != 0 ? NAN : INFINITY)
                           : exponent == 0 ? std::ldexp(mantissa, -24)
                                           : std::ldexp(mantissa + 1024, exponent - 25);
  return (bits & 0x8000u) != 0 ? -magnitude : magnitude;
}

/// By search through the positive halves, not by arithmetic on bits: the last one not above the magnitude, or the next.
std::uint32_t round_to_half(double exact, isa::Rounding mode) {
  const bool negative = std::signbit(exact);
  const double magnitude = std::fabs(exact);
  if (std::isnan(exact)) {
    return 0x7fff;
  }
  std::uint32_t below = 0, above = 0x7c00;
  while (above - below > 1) {
    const std::uint32_t middle = (below + above) / 2;
    (half_value(middle) <= magnitude ? below : above) = middle;
  }
  const double high = above == 0x7c00 ? 65536.0 : half_value(above);
  const double low = half_value(below);
  bool up = false;
  if (magnitude != low) {
    const bool away = (mode == isa::Rounding::rp && !negative) || (mode == isa::Rounding::rm && negative);
    const bool nearest = mode == isa::Rounding::rn;
    up = away || (nearest &&
                  (magnitude - low > high - magnitude || (magnitude - low == high - magnitude && (below & 1u) != 0)));
  }
  const std::uint32_t rounded = std::isinf(exact) ? 0x7c00u : up ? above : below;
  return rounded | (negative ? 0x8000u : 0u);
}

std::uint32_t next(std::uint32_t& state) {
  state = state * 1664525u + 1013904223u;
  return state ^ (state >> 15);
}

TEST(Rounding, EveryHalfWidensToItsValueAndComesBack) {
  for (std::uint32_t first = 0; first < 0x10000; first += kWarpSize) {
    const Narrow halves = filled([first](unsigned lane) { return first + lane; });
    Narrow floats{}, back{};
    RowBench("cvt.f32.f16").source(0, halves).destination(0, floats).run();
    RowBench("cvt.rn.f16.f32").source(0, floats).destination(0, back).run();
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const double value = half_value(halves[lane]);
      if (std::isnan(value)) {
        ASSERT_EQ(floats[lane], 0x7fffffffu);
        ASSERT_EQ(back[lane], 0x7fffu);
      } else {
        ASSERT_EQ(double{std::bit_cast<float>(floats[lane])}, value);
        ASSERT_EQ(back[lane], halves[lane]);
      }
    }
  }
}

TEST(Rounding, FloatsRoundToTheRightHalfInEveryMode) {
  const std::pair<const char*, isa::Rounding> modes[] = {{"cvt.rn.f16.f32", isa::Rounding::rn},
                                                         {"cvt.rz.f16.f32", isa::Rounding::rz},
                                                         {"cvt.rm.f16.f32", isa::Rounding::rm},
                                                         {"cvt.rp.f16.f32", isa::Rounding::rp}};
  std::uint32_t state = 1;
  for (unsigned round = 0; round < 4000; ++round) {
    // Around halves and the points between them, and anything.
    const Narrow floats = filled([&state](unsigned lane) {
      const std::uint32_t random = next(state);
      const double half = half_value(random & 0x7bffu);
      const auto exact = std::bit_cast<std::uint32_t>(static_cast<float>(half)) + ((random >> 16) & 1u) * 0x1000u;
      return lane % 3 == 2 ? next(state) : (exact + (random >> 17) % 3 - 1) ^ (random & 0x80000000u);
    });
    for (const auto& [name, mode] : modes) {
      Narrow halves{};
      RowBench(name).source(0, floats).destination(0, halves).run();
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        ASSERT_EQ(halves[lane], round_to_half(double{std::bit_cast<float>(floats[lane])}, mode))
            << name << " of 0x" << std::hex << floats[lane];
      }
    }
  }
}

TEST(Rounding, HalfArithmeticRoundsOnce) {
  std::uint32_t state = 7;
  for (unsigned round = 0; round < 4000; ++round) {
    const auto any_half = [&state](unsigned) { return next(state) & 0xffffu; };
    const Narrow a = filled(any_half), b = filled(any_half), c = filled(any_half);
    Narrow sum{}, product{}, fused{};
    RowBench("add.f16").source(0, a).source(1, b).destination(0, sum).run();
    RowBench("mul.f16").source(0, a).source(1, b).destination(0, product).run();
    RowBench("fma.rn.f16").source(0, a).source(1, b).source(2, c).destination(0, fused).run();
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const double x = half_value(a[lane]), y = half_value(b[lane]), z = half_value(c[lane]);
      ASSERT_EQ(sum[lane], round_to_half(x + y, isa::Rounding::rn));
      ASSERT_EQ(product[lane], round_to_half(x * y, isa::Rounding::rn));
      // 64 bits of significand hold x * y + z exactly, except where z is so large that x * y can only break a tie.
      const long double exact = static_cast<long double>(x) * y + z;
      const auto near = static_cast<double>(exact);
      if (static_cast<long double>(near) == exact || std::isnan(near)) {
        ASSERT_EQ(fused[lane], round_to_half(near, isa::Rounding::rn));
      }
    }
  }
}

TEST(Rounding, AFusedTieIsBrokenByTheSmallestAddend) {
  // 7 * 37 = 259 lies between 258 and 260 in bf16; an addend of 2^-126 decides, though no double holds the sum.
  const Narrow a = filled(0x40e0), b = filled(0x4214);
  const Narrow c = filled([](unsigned lane) { return lane % 3 == 0 ? 0x0000 : lane % 3 == 1 ? 0x0080 : 0x8080; });
  Narrow d{};
  RowBench("fma.rn.bf16").source(0, a).source(1, b).source(2, c).destination(0, d).run();
  EXPECT_EQ(d[0], 0x4382u);  // even
  EXPECT_EQ(d[1], 0x4382u);
  EXPECT_EQ(d[2], 0x4381u);
}

TEST(Rounding, DirectedSumsBracketTheExactOne) {
  std::uint32_t state = 11;
  for (unsigned round = 0; round < 500; ++round) {
    const auto number = [&state](unsigned) { return (next(state) & 0x83ffffffu) + 0x3c000000u; };
    const Narrow a = filled(number), b = filled(number);
    Narrow down{}, up{}, zero{};
    RowBench("mul.rm.f32").source(0, a).source(1, b).destination(0, down).run();
    RowBench("mul.rp.f32").source(0, a).source(1, b).destination(0, up).run();
    RowBench("mul.rz.f32").source(0, a).source(1, b).destination(0, zero).run();
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const double exact = double{std::bit_cast<float>(a[lane])} * double{std::bit_cast<float>(b[lane])};
      const float low = std::bit_cast<float>(down[lane]), high = std::bit_cast<float>(up[lane]);
      ASSERT_LE(double{low}, exact);
      ASSERT_GE(double{high}, exact);
      ASSERT_TRUE(low == high || std::nextafter(low, high) == high);
      ASSERT_EQ(zero[lane], exact < 0 ? up[lane] : down[lane]);
    }
  }
}

TEST(Rounding, FlushingLooksAtTheResultAfterRounding) {
  // Recorded: 2^-126 * (1 - 2^-24) has 24 bits and is flushed; (1 + 2^-23)(1 - 2^-23) * 2^-126 rounds to 2^-126 and is
  // not.
  const Narrow a = filled([](unsigned lane) { return lane % 2 == 0 ? 0x00800000 : 0x00800001; });
  const Narrow b = filled([](unsigned lane) { return lane % 2 == 0 ? 0x3f7fffff : 0x3f7ffffe; });
  const Narrow zero{};
  Narrow d{};
  for (const char* name : {"mul.rn.ftz.f32", "mul.rp.ftz.f32"}) {
    RowBench(name).source(0, a).source(1, b).destination(0, d).run();
    EXPECT_EQ(d[0], 0u) << name;
    EXPECT_EQ(d[1], 0x00800000u) << name;
  }
  for (const char* name : {"fma.rn.ftz.f32", "fma.rp.ftz.f32"}) {
    RowBench(name).source(0, a).source(1, b).source(2, zero).destination(0, d).run();
    EXPECT_EQ(d[0], 0u) << name;
    EXPECT_EQ(d[1], 0x00800000u) << name;
  }
  const Narrow twice = filled(0x00ffffff), two = filled(0x40000000);
  RowBench("div.rn.ftz.f32").source(0, twice).source(1, two).destination(0, d).run();
  EXPECT_EQ(d[0], 0u);
  const Narrow half = filled([](unsigned lane) { return lane % 2 == 0 ? 0x0400 : 0x0401; });
  const Narrow less = filled([](unsigned lane) { return lane % 2 == 0 ? 0x3bff : 0x3bfe; });
  RowBench("mul.ftz.f16").source(0, half).source(1, less).destination(0, d).run();
  EXPECT_EQ(d[0], 0u);
  EXPECT_EQ(d[1], 0x0400u);
  const RowBench::Wide wide =
      filled<RowBench::Wide>([](unsigned lane) { return lane % 2 == 0 ? 0x380fffffe0000000u : 0x380ffffff0000000u; });
  RowBench("cvt.rn.ftz.f32.f64").source(0, wide).destination(0, d).run();
  EXPECT_EQ(d[0], 0u);
  EXPECT_EQ(d[1], 0x00800000u);
}

TEST(Rounding, SineAndCosineAreZeroWhereTheMachineHasThemZero) {
  // Recorded around quarter and half turns: sign and zero exactly, the value within 2^-25 turns.
  const std::uint32_t angles[] = {0x3fc90fd9, 0x3fc90fda, 0x3fc90fdb, 0x3fc90fdc, 0x40490fda, 0x40490fdb, 0xc0490fdb,
                                  0x40490fdc, 0xc0490fdc, 0x40c90fdb, 0xc0c90fdb, 0x40c90fdc, 0xc0c90fdc, 0x40c90fdd};
  const std::uint32_t sines[] = {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x34491200, 0x00000000, 0x80000000,
                                 0x80000000, 0x00000000, 0xb4491200, 0x34491200, 0x00000000, 0x80000000, 0x35491200};
  const std::uint32_t cosines[] = {0x34491200, 0x00000000, 0x00000000, 0x80000000, 0xbf800000, 0xbf800000, 0xbf800000,
                                   0xbf800000, 0xbf800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000};
  const Narrow x = filled([&angles](unsigned lane) { return angles[lane % std::size(angles)]; });
  Narrow sine{}, cosine{};
  RowBench("sin.approx.f32").source(0, x).destination(0, sine).run();
  RowBench("cos.approx.f32").source(0, x).destination(0, cosine).run();
  for (unsigned i = 0; i < std::size(angles); ++i) {
    EXPECT_EQ(sine[i] >> 31, sines[i] >> 31) << std::hex << angles[i] << " " << sine[i];
    EXPECT_EQ(sine[i] << 1 == 0, sines[i] << 1 == 0) << std::hex << angles[i] << " " << sine[i];
    EXPECT_NEAR(std::bit_cast<float>(sine[i]), std::bit_cast<float>(sines[i]), 2e-7) << std::hex << angles[i];
    EXPECT_EQ(cosine[i] >> 31, cosines[i] >> 31) << std::hex << angles[i] << " " << cosine[i];
    EXPECT_EQ(cosine[i] << 1 == 0, cosines[i] << 1 == 0) << std::hex << angles[i] << " " << cosine[i];
    EXPECT_NEAR(std::bit_cast<float>(cosine[i]), std::bit_cast<float>(cosines[i]), 2e-7) << std::hex << angles[i];
  }
}

}  // namespace
}  // namespace heddle::test
