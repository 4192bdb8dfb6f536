// The CPU references of the Rodinia workloads on examples small enough to check by hand.
#include <gtest/gtest.h>

#include <numeric>

#include "workloads/backprop/reference.h"
#include "workloads/cfd/reference.h"
#include "workloads/dwt2d/reference.h"
#include "workloads/gaussian/reference.h"
#include "workloads/heartwall/reference.h"
#include "workloads/leukocyte/reference.h"
#include "workloads/lud/reference.h"
#include "workloads/mummergpu/reference.h"
#include "workloads/mummergpu/suffix_tree.h"
#include "workloads/myocyte/reference.h"
#include "workloads/srad_v1/reference.h"
#include "workloads/srad_v2/reference.h"
#include "workloads/streamcluster/reference.h"

namespace heddle::workloads {
namespace {

TEST(Reference, BackpropSumsSixteenProductsAndMovesWeightsAlongTheError) {
  backprop::Network network{std::vector<float>(17, 1.0f), std::vector<float>(17 * 17, 0.5f),
                            std::vector<float>(17 * 17, 1.0f)};
  EXPECT_EQ(backprop::partial_sums(network), std::vector<float>(16, 8.0f));
  backprop::adjust(network, std::vector<float>(17, 1.0f));
  EXPECT_FLOAT_EQ(network.last_change[17 + 1], 0.6f);  // rate * delta * input + momentum * last change
  EXPECT_FLOAT_EQ(network.weights[17 + 1], 1.1f);
  EXPECT_EQ(network.weights[17], 0.5f) << "word 0 of a row belongs to no hidden unit";
}

TEST(Reference, GaussianEliminationSolvesASmallSystem) {
  gaussian::System system{2, {2, 1, 1, 3}, {5, 10}};
  gaussian::eliminate(system);
  EXPECT_EQ(gaussian::substitute_back(system), (std::vector<float>{1, 3}));
}

TEST(Reference, LuFactorsMultiplyToTheMatrix) {
  constexpr std::size_t kSize = 32;
  std::vector<float> matrix(kSize * kSize);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] = i % (kSize + 1) == 0 ? 40.0f : static_cast<float>(i % 7);
  std::vector<float> factors = matrix;
  lud::decompose(factors, kSize);
  for (std::size_t y = 0; y < kSize; ++y) {
    for (std::size_t x = 0; x < kSize; ++x) {
      double product = y <= x ? static_cast<double>(factors[y * kSize + x]) : 0.0;
      for (std::size_t k = 0; k < std::min(y, x + 1); ++k) {
        product += static_cast<double>(factors[y * kSize + k]) * static_cast<double>(factors[k * kSize + x]);
      }
      EXPECT_NEAR(product, static_cast<double>(matrix[y * kSize + x]), 1e-4);
    }
  }
}

TEST(Reference, DiffusionLeavesAnEvenImageAlone) {
  Image image{3, 3, std::vector<float>(9, 7.0f)};
  srad_v2::step(image, 0.05f);
  EXPECT_EQ(image.pixels, std::vector<float>(9, 7.0f));
}

TEST(Reference, DiffusionEvensOutASmallBump) {
  Image image{3, 3, {10, 10, 10, 10, 11, 10, 10, 10, 10}};
  srad_v2::step(image, 0.5f);
  EXPECT_LT(image.pixels[4], 11.0f);
  EXPECT_GT(image.pixels[1], 10.0f);
}

TEST(Reference, TreeSumAddsEverything) {
  std::vector<float> numbers(1'300);
  std::iota(numbers.begin(), numbers.end(), 1.0f);
  EXPECT_EQ(srad_v1::tree_sum(numbers), 845'650.0f);
  // 1, 3: mean 2, variance 1.
  EXPECT_EQ(srad_v1::speckle_squared(4.0f, 10.0f, 2), 0.25f);
}

TEST(Reference, StreamclusterOpensACentreWhereItPays) {
  // Two heaps of two points on a line, ten apart.
  const streamcluster::Problem problem{4, 1, {0, 1, 10, 11}, {1, 1, 1, 1}, 5.0f};
  auto state = streamcluster::first_state(problem);
  EXPECT_EQ(state.table[3].cost, 121.0f);
  streamcluster::decide(problem, state, 2, streamcluster::gains(problem, state, 2));
  EXPECT_EQ(state.centres, 2);
  EXPECT_EQ(state.table[1].centre, 0);
  EXPECT_EQ(state.table[3].centre, 2);
  EXPECT_EQ(state.table[3].cost, 1.0f);
  // A third one spares 1 and costs 5: nothing changes.
  streamcluster::decide(problem, state, 3, streamcluster::gains(problem, state, 3));
  EXPECT_EQ(state.table[3].centre, 2);
}

TEST(Reference, StreamclusterClosesACentreThatNoLongerPays) {
  const streamcluster::Problem problem{3, 1, {0, 4, 5}, {1, 1, 1}, 20.0f};
  auto state = streamcluster::first_state(problem);
  streamcluster::decide(problem, state, 1, streamcluster::gains(problem, state, 1));
  EXPECT_EQ(state.centres, 1) << "point 0 pays 16 more, a centre costs 20";
  EXPECT_EQ(state.table[0].centre, 1);
  EXPECT_EQ(state.table[0].cost, 16.0f);
}

TEST(SuffixTree, HasALeafPerSuffixAndSpellsThemAll) {
  const std::vector<std::uint8_t> text{0, 1, 0, 1, 2, 0, 1, 0, 0, 3, 3, 3, 3};
  const auto tree = mummergpu::build_suffix_tree(text);
  std::size_t leaves = 0;
  for (std::size_t node = 1; node < tree.nodes.size(); ++node) {
    const SuffixNode& n = tree.nodes[node];
    EXPECT_EQ(n.depth, tree.nodes[tree.ups[node].parent].depth + n.length);
    if (n.start + n.length == text.size() + 1) ++leaves;
    const SuffixNode& linked = tree.nodes[n.link];
    if (n.link != 0) {
      EXPECT_EQ(linked.depth + 1, n.depth);
    }
  }
  EXPECT_EQ(leaves, text.size() + 1);
}

TEST(Reference, AutomatonFindsLongestMatchesAndTheirPlaces) {
  std::vector<std::uint8_t> read(kReadLength);
  for (std::size_t i = 0; i < read.size(); ++i) read[i] = i % 3 == 0 ? 1 : 2;
  std::vector<std::uint8_t> text{0, 0};  // then the read, something else, and all of it but its first base
  text.insert(text.end(), read.begin(), read.end());
  text.push_back(3);
  text.insert(text.end(), read.begin() + 1, read.end());
  const auto result = mummergpu::ReversedAutomaton(text).match(read.data());
  EXPECT_EQ(result.lengths[0], 25u);
  EXPECT_EQ(result.lengths[24], 1u);
  EXPECT_EQ(result.places[0].count, 1u);
  EXPECT_EQ(result.places[0].first, 2u);
  EXPECT_EQ(result.places[1].count, 2u);
  EXPECT_EQ(result.places[1].first, 3u);
  EXPECT_EQ(result.places[10].count, 0u) << "too short to be looked up";
}

TEST(Reference, WaveletOfALineIsMeansAndDifferences) {
  EXPECT_EQ(dwt2d::transform_line({5, 5, 5, 5}), (std::vector<std::int32_t>{5, 5, 0, 0}));
  // Details: 9 - (4 + 2) / 2 = 6 and 8 - 2 = 6; smooth: 4 + (6 + 6 + 2) / 4 = 7 and 2 + 3 = 5.
  EXPECT_EQ(dwt2d::transform_line({4, 9, 2, 8}), (std::vector<std::int32_t>{7, 5, 6, 6}));
  EXPECT_EQ(dwt2d::transform_line({3}), (std::vector<std::int32_t>{3}));
}

TEST(Reference, HeartwallFollowsAPictureThatMoves) {
  const HeartGeometry g = heart_geometry(40, 3, 7);
  std::vector<float> before(1'600, 10.0f);
  std::vector<float> after = before;
  for (std::size_t i = 0; i < 9; ++i) {
    const std::size_t at = (18 + i / 3) * 40 + 18 + i % 3;
    before[at] = 50.0f + 10.0f * static_cast<float>(i);
    after[at + 2 * 40 - 1] = before[at];
  }
  heartwall::Point point{20, 20, {}};
  const heartwall::Tracker tracker(g);
  tracker.take_template(before, point);
  tracker.track(after, false, point);
  EXPECT_EQ(point.row, 22);
  EXPECT_EQ(point.column, 19);
}

TEST(Reference, LeukocyteStepGoesFromZeroToOne) {
  EXPECT_EQ(leukocyte::step_at(0.0f), 0.5f);
  EXPECT_NEAR(leukocyte::step_at(10.0f), 1.0f, 0.01f);
  EXPECT_NEAR(leukocyte::step_at(-10.0f), 0.0f, 0.01f);
}

TEST(Reference, LeukocyteFlowOfAnEmptyFieldSettlesAtOnce) {
  const std::vector<float> cell(kFieldRows * kFieldColumns, 0.0f);
  const auto [field, rounds] = leukocyte::flow_field(cell.data(), 10, 0.001f);
  EXPECT_EQ(field, cell);
  EXPECT_EQ(rounds, 1);
}

TEST(Reference, CfdKeepsAnUndisturbedFlowInAClosedCell) {
  // One cell, far field all round, normals that add up to zero: nothing changes.
  const cfd::Grid grid{1, {1.0f}, {-2, -2, -2, -2}, {1, -1, 0, 0, 0, 0, -1, 1, 0, 0, 0, 0}};
  const cfd::Cell flow{1.4, 1.0, 0.2, 0.0, 3.0};
  std::vector<cfd::Cell> cells{flow};
  cfd::advance(grid, cells, flow);
  for (std::size_t v = 0; v < flow.size(); ++v) EXPECT_NEAR(cells[0][v], flow[v], 1e-12);
}

TEST(Reference, CfdPushesAgainstAWall) {
  // The same cell with a wall on its right: what comes from the left no longer leaves, so density grows.
  const cfd::Grid grid{1, {1.0f}, {-1, -2, -2, -2}, {1, -1, 0, 0, 0, 0, -1, 1, 0, 0, 0, 0}};
  const cfd::Cell flow{1.4, 1.0, 0.2, 0.0, 3.0};
  std::vector<cfd::Cell> cells{flow};
  cfd::advance(grid, cells, flow);
  EXPECT_GT(cells[0][0], flow[0]);
}

TEST(Reference, AHeartCellRestsWithoutAStimulusAndFiresWithOne) {
  double highest = -100;
  for (const double stimulus : {0.0, 60.0}) {
    const double parameters[myocyte_model::kParameters] = {stimulus, 1.0, 5.4, 0.1};
    myocyte::State y = myocyte::resting_state();
    highest = -100;
    for (int i = 0; i < 1'000; ++i) {  // 5 ms
      y = myocyte::advance(y, parameters, i * 0.005, 0.005).state;
      highest = std::max(highest, y[0]);
    }
    if (stimulus == 0.0) {
      EXPECT_NEAR(y[0], -84.5, 1.0);
    }
    double calmodulin = 0;
    for (std::size_t v = 8; v < 14; ++v) calmodulin += y[v];
    EXPECT_NEAR(calmodulin, 1.0, 1e-6) << "calmodulin is neither made nor lost";
  }
  EXPECT_GT(highest, 20.0) << "the upstroke of an action potential";
  EXPECT_LT(highest, 70.0);
}

}  // namespace
}  // namespace heddle::workloads
