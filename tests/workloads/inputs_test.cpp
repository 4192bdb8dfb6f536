// Generators of genomes, images, points and requests: functions of the seed, with the shape their headers promise.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "workloads/common/dna.h"
#include "workloads/common/image.h"
#include "workloads/common/points.h"
#include "workloads/common/requests.h"

namespace heddle::workloads {
namespace {

TEST(Genome, IsAFunctionOfItsSeedAndHoldsBasesOnly) {
  const auto genome = random_genome(5'000, 1);
  EXPECT_EQ(genome.size(), 5'000u);
  EXPECT_EQ(genome, random_genome(5'000, 1));
  EXPECT_NE(genome, random_genome(5'000, 2));
  EXPECT_LE(*std::max_element(genome.begin(), genome.end()), 3);
}

TEST(Genome, RepeatsItselfFarMoreThanChanceWould) {
  // By chance no stretch of 24 random bases occurs twice among 5,000.
  const auto genome = random_genome(5'000, 1);
  std::set<std::vector<std::uint8_t>> seen;
  int repeats = 0;
  for (std::size_t i = 0; i + 24 <= genome.size(); ++i) {
    if (!seen.insert({genome.begin() + static_cast<std::ptrdiff_t>(i),
                      genome.begin() + static_cast<std::ptrdiff_t>(i + 24)})
             .second) {
      ++repeats;
    }
  }
  EXPECT_GT(repeats, 200);
}

TEST(Reads, ComeMostlyFromTheGenome) {
  const auto genome = random_genome(2'000, 3);
  const auto reads = random_reads(genome, 100, 25, 1'000'000, 3);
  ASSERT_EQ(reads.size(), 2'500u);
  EXPECT_EQ(reads, random_reads(genome, 100, 25, 1'000'000, 3));
  int found = 0;
  for (std::size_t i = 0; i < reads.size(); i += 25) {
    const auto begin = reads.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::search(genome.begin(), genome.end(), begin, begin + 25) != genome.end()) ++found;
  }
  EXPECT_GT(found, 75);
  EXPECT_LT(found, 100);
}

TEST(Reads, MayBeLongerThanTheGenome) { EXPECT_EQ(random_reads({1, 2}, 3, 25, 40, 1).size(), 75u); }

TEST(SpeckledImage, IsAFunctionOfItsSeedAndBrighterInsideADisc) {
  const std::vector<Disc> disc{{20.0f, 20.0f, 10.0f, 100.0f}};
  const Image image = speckled_image(40, 50, disc, 0.1f, 1);
  EXPECT_EQ(image.pixels, speckled_image(40, 50, disc, 0.1f, 1).pixels);
  EXPECT_NE(image.pixels, speckled_image(40, 50, disc, 0.1f, 2).pixels);
  EXPECT_EQ(image.pixels.size(), 2'000u);
  EXPECT_GT(image.at(20, 20), 140.0f);
  EXPECT_LT(image.at(0, 45), 70.0f);
  for (const float pixel : image.pixels) {
    EXPECT_GE(pixel, 1.0f);
    EXPECT_LE(pixel, 255.0f);
  }
}

TEST(SpeckledImage, DrawsDiscsThatReachOverItsEdge) {
  EXPECT_EQ(speckled_image(8, 8, {{-3.0f, 7.0f, 30.0f, 60.0f}}, 0.0f, 1).pixels, std::vector<float>(64, 120.0f));
}

TEST(ClusteredPoints, LieAroundTheirCentres) {
  // One centre: no two points can be further apart than twice the spread in any dimension.
  const auto points = clustered_points(100, 3, 1, 0.25f, 7);
  ASSERT_EQ(points.size(), 300u);
  EXPECT_EQ(points, clustered_points(100, 3, 1, 0.25f, 7));
  for (std::size_t d = 0; d < 3; ++d) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(100 * d);
    const auto [least, most] = std::minmax_element(begin, begin + 100);
    EXPECT_LE(*most - *least, 0.5f);
    EXPECT_GT(*most - *least, 0.3f);
  }
}

TEST(Zipf, DrawsTheFirstRankTwiceAsOftenAsTheSecond) {
  const Zipf zipf(100);
  Random random(1);
  std::vector<int> seen(100, 0);
  for (int i = 0; i < 100'000; ++i) ++seen.at(zipf.draw(random));
  // 1 / (1 + 1/2 + ... + 1/100) = 0.1928
  EXPECT_NEAR(seen[0], 19'280, 500);
  EXPECT_NEAR(seen[1], 9'640, 400);
  EXPECT_GT(seen[99], 100);
}

TEST(TitleKeys, AreDistinctAndAsLongAsPromised) {
  const auto keys = title_keys(3'000, 40, 5);
  EXPECT_EQ(keys, title_keys(3'000, 40, 5));
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), 3'000u);
  for (const std::string& key : keys) {
    EXPECT_GE(key.size(), 8u);
    EXPECT_LE(key.size(), 40u);
  }
}

}  // namespace
}  // namespace heddle::workloads
