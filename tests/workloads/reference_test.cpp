// The CPU references on examples small enough to check by hand.
#include <gtest/gtest.h>

#include "workloads/common/graph.h"
#include "workloads/hotspot/reference.h"
#include "workloads/kmeans/reference.h"
#include "workloads/neural/reference.h"
#include "workloads/nw/reference.h"
#include "workloads/pathfinder/reference.h"
#include "workloads/spmv/reference.h"

namespace heddle::workloads {
namespace {

TEST(Reference, BreadthFirstLevelsCountHopsAndMarkTheUnreachable) {
  // 0 - 1 - 2 and 0 - 3; 4 alone.
  const CsrGraph graph{{0, 2, 4, 5, 6, 6}, {1, 3, 0, 2, 1, 0}};
  EXPECT_EQ(breadth_first_levels(graph, 0), (std::vector<std::int32_t>{0, 1, 2, 1, -1}));
  EXPECT_EQ(breadth_first_levels(graph, 2), (std::vector<std::int32_t>{2, 1, 0, 3, -1}));
  EXPECT_EQ(hub(graph), 0u);
}

TEST(Reference, SparseProductsAgreeOnSmallIntegers) {
  // | 1 2 0 |   | 1 |   | 5 |
  // | 0 0 0 | x | 2 | = | 0 |
  // | 3 0 4 |   | 3 |   | 15 |
  const CsrMatrix matrix{3, {0, 2, 2, 4}, {0, 1, 0, 2}, {1, 2, 3, 4}};
  const std::vector<float> x{1, 2, 3};
  const std::vector<float> y{5, 0, 15};
  EXPECT_EQ(spmv::multiply_scalar(matrix, x), y);
  EXPECT_EQ(spmv::multiply_vector(matrix, x), y);
}

TEST(SpmvReference, SortsRowsByLengthAndLaysThemOutEntryByEntry) {
  const CsrMatrix matrix{3, {0, 1, 4, 6}, {0, 0, 1, 2, 1, 2}, {1, 2, 3, 4, 5, 6}};
  const spmv::JdsMatrix jds = spmv::to_jds(matrix);
  EXPECT_EQ(jds.permutation, (std::vector<std::uint32_t>{1, 2, 0}));
  EXPECT_EQ(jds.length, (std::vector<std::uint32_t>{3, 2, 1}));
  EXPECT_EQ(jds.jag_start, (std::vector<std::uint32_t>{0, 3, 5}));
  EXPECT_EQ(jds.value, (std::vector<float>{2, 5, 1, 3, 6, 4}));
}

TEST(Reference, KmeansPutsPointsToTheNearestCentreAndAveragesThem) {
  const kmeans::Problem problem{4, 1, 2, {0, 1, 10, 12}};
  const auto membership = kmeans::assign(problem, {0, 10});
  EXPECT_EQ(membership, (std::vector<std::int32_t>{0, 0, 1, 1}));
  EXPECT_EQ(kmeans::update_centres(problem, membership, {0, 10}), (std::vector<float>{0.5f, 11.0f}));
}

TEST(Reference, KmeansPrefersTheFirstOfTwoEqualCentresAndKeepsAnEmptyOne) {
  const kmeans::Problem problem{1, 1, 2, {5}};
  const auto membership = kmeans::assign(problem, {4, 6});
  EXPECT_EQ(membership, (std::vector<std::int32_t>{0}));
  EXPECT_EQ(kmeans::update_centres(problem, membership, {4, 6}), (std::vector<float>{5.0f, 6.0f}));
}

TEST(Reference, HotspotLeavesAUniformChipAtAmbientTemperatureAlone) {
  const std::vector<float> temperature(12, 80.0f);
  const auto k = hotspot::coefficients(3, 4);
  EXPECT_EQ(hotspot::step(temperature, std::vector<float>(12, 0.0f), 3, 4, k), temperature);
}

TEST(Reference, HotspotSpreadsAHotCellToItsFourNeighbours) {
  hotspot::Coefficients k;
  k.step_over_capacity = 0.5f;
  k.gx = k.gy = 0.25f;
  k.gz = 0.0f;
  const std::vector<float> hot{0, 0, 0, 0, 8, 0, 0, 0, 0};
  // Centre: 8 + 0.5 * (-16 * 0.25 - 16 * 0.25) = 4; neighbours: 0.5 * 8 * 0.25 = 1.
  EXPECT_EQ(hotspot::step(hot, std::vector<float>(9, 0.0f), 3, 3, k), (std::vector<float>{0, 1, 0, 1, 4, 1, 0, 1, 0}));
}

TEST(Reference, PathfinderTakesTheCheapestOfThreeNeighbours) {
  EXPECT_EQ(pathfinder::cheapest_paths({5, 1, 9, 2,  //
                                        1, 1, 1, 1,  //
                                        0, 7, 0, 3},
                                       4),
            (std::vector<std::int32_t>{2, 9, 2, 5}));
  EXPECT_EQ(pathfinder::cheapest_paths({4, 2, 1}, 1), (std::vector<std::int32_t>{7}));
}

TEST(Reference, AlignmentChoosesBetweenMatchAndGap) {
  // Scores of two residues against two, gap penalty 2.
  const std::vector<std::int32_t> scores{0, 0,  0,   //
                                         0, 3,  -5,  //
                                         0, -5, 3};
  EXPECT_EQ(nw::align(scores, 2, 2), (std::vector<std::int32_t>{0, -2, -4,  //
                                                                -2, 3, 1,   //
                                                                -4, 1, 6}));
}

TEST(Reference, NeuronsAddTheirBiasAndSquash) {
  // 0.25 + 1 * 0.5 + 0.5 * -1 = 0.25, and 1.7159 tanh(1/6) = 0.28337.
  const std::vector<float> out = neural::connect({1.0f, 0.5f}, 2, {0.25f, 0.5f, -1.0f}, 1);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_NEAR(out[0], 0.28337f, 1e-5f);
}

TEST(Reference, WindowsOfAMapAreTwoApart) {
  // A map of 7 x 7 has windows at 0 and 2; only the last pixel is set, and only the last tap counts.
  std::vector<float> map(49, 0.0f);
  map[48] = 1.0f;
  std::vector<float> weights(26, 0.0f);
  weights[25] = 1.0f;
  const std::vector<float> out = neural::convolve(map, 1, 7, weights, 1);
  ASSERT_EQ(out.size(), 4u);
  EXPECT_EQ(out[0], 0.0f);
  EXPECT_EQ(out[1], 0.0f);
  EXPECT_EQ(out[2], 0.0f);
  EXPECT_NEAR(out[3], 1.0f, 1e-4f);  // the squashing function is 1 at 1
}

}  // namespace
}  // namespace heddle::workloads
