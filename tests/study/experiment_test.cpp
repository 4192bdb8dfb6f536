// Experiments: from runs to verdicts, and the files that ship.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/diagnostics.h"
#include "study/experiment.h"

namespace heddle::study {
namespace {

const char* const kClaims = R"(
paper = "p"
title = "A paper"
[[claim]]
id = "slow"
statement = "d1 is at 30 percent"
section = "4"
relation = "approx"
lo = 30
hi = 30
unit = "percent"
neutral = 100
[[claim]]
id = "order"
statement = "d1 is slower than d2"
section = "5"
relation = "ordinal"
)";

const char* const kExperiment = R"(
title = "Figure 1"
gpu = "g"
workloads = ["a", "b"]
designs = ["ideal", "d1", "d2"]
baseline = "ideal"
shows = "performance"
[[answer]]
claim = "slow"
design = "d1"
value = "100 * x"
[[answer]]
claim = "order"
order = ["d1", "d2"]
over = "each"
)";

Experiment sample(const std::string& text = kExperiment) {
  return parse_experiment(text, "p/figure1.toml", parse_claims(kClaims, "claims.toml"));
}

/// Cycles by design; a run that is missing has none.
Measure cycles(std::map<std::string, double> by_design) {
  return [by_design](const Key& key, const results::Expression& metric) -> std::optional<double> {
    EXPECT_EQ(metric.text(), "cycles");
    const auto found = by_design.find(key.design);
    return found == by_design.end() ? std::nullopt : std::optional<double>(found->second);
  };
}

TEST(Experiment, normalises_to_the_baseline_and_judges) {
  const Experiment experiment = sample();
  EXPECT_EQ(experiment.paper, "p");
  EXPECT_EQ(points_of(experiment).size(), 6u);
  const ExperimentResult result = evaluate(experiment, cycles({{"ideal", 100}, {"d1", 312.5}, {"d2", 200}}));
  EXPECT_EQ(result.rows, (std::vector<std::string>{"a", "b", "geomean"}));
  EXPECT_NEAR(*result.cells[2][1], 0.32, 1e-12);
  ASSERT_EQ(result.judgements.size(), 2u);
  EXPECT_EQ(result.judgements[0].verdict, Verdict::reproduced);
  EXPECT_EQ(result.judgements[0].found, "32");
  EXPECT_EQ(result.judgements[1].verdict, Verdict::reproduced);
}

TEST(Experiment, tells_the_same_direction_from_none) {
  const auto verdict = [](double d1) {
    return evaluate(sample(), cycles({{"ideal", 100}, {"d1", d1}, {"d2", 200}})).judgements[0].verdict;
  };
  EXPECT_EQ(verdict(125), Verdict::same_direction);
  EXPECT_EQ(verdict(90), Verdict::not_reproduced);
  const auto order = evaluate(sample(), cycles({{"ideal", 100}, {"d1", 150}, {"d2", 200}})).judgements[1];
  EXPECT_EQ(order.verdict, Verdict::not_reproduced);
}

TEST(Experiment, says_what_was_not_run) {
  const ExperimentResult result = evaluate(sample(), cycles({{"ideal", 100}, {"d2", 200}}));
  EXPECT_EQ(result.judgements[0].verdict, Verdict::not_run);
  EXPECT_EQ(result.judgements[1].verdict, Verdict::not_run);
  EXPECT_FALSE(result.cells[0][1].has_value());
  EXPECT_TRUE(result.cells[0][2].has_value());
}

TEST(Claim, judges_bounds_as_they_are_stated) {
  Claim claim;
  claim.relation = Relation::at_most;
  claim.high = 2;
  claim.neutral = 0;
  EXPECT_EQ(judge(claim, -5), Verdict::reproduced);
  EXPECT_EQ(judge(claim, 2.1), Verdict::not_reproduced);
  claim.relation = Relation::at_least;
  claim.low = 20;
  claim.high.reset();
  EXPECT_EQ(judge(claim, 19.9), Verdict::same_direction);
  EXPECT_EQ(judge(claim, -1), Verdict::not_reproduced);
  claim.relation = Relation::range;
  claim.high = 50;
  EXPECT_EQ(judge(claim, 50), Verdict::reproduced);
  EXPECT_EQ(judge(claim, 51), Verdict::same_direction);
}

TEST(Experiment, names_line_and_key_of_every_mistake) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      (void)sample(text);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  const std::string base = "title='t'\ngpu='g'\nworkloads=['a']\ndesigns=['d']\nshows='s'\n";
  EXPECT_NE(message(base).find("baseline: is missing"), std::string::npos);
  EXPECT_NE(message(base + "baseline='e'\n").find("p/figure1.toml:6:10: error: baseline: 'e' is not in this"),
            std::string::npos);
  const std::string fine = base + "baseline='d'\n[[answer]]\n";
  EXPECT_NE(
      message(fine + "claim='slo'\ndesign='d'").find("p/figure1.toml:8:7: error: answer.claim: there is no claim"),
      std::string::npos);
  EXPECT_NE(message(fine + "claim='slow'\ndesign='d'\nvalue='y+'").find("answer.value"), std::string::npos);
  EXPECT_NE(message(fine + "claim='slow'\ndesign='d'\nvalue='y'").find("only x"), std::string::npos);
  EXPECT_NE(message(fine + "claim='order'\ndesign='d'").find("is about an order"), std::string::npos);
  EXPECT_NE(message(fine + "claim='slow'\ndesign='d'\nmetrik='c'").find("unknown key 'answer.metrik'"),
            std::string::npos);
}

TEST(Claims, name_line_and_key_of_every_mistake) {
  EXPECT_THROW(
      parse_claims("paper='p'\ntitle='t'\n[[claim]]\nid='a'\nstatement='s'\nsection='1'\nrelation='about'", "c"),
      UserError);
  EXPECT_THROW(
      parse_claims("paper='p'\ntitle='t'\n[[claim]]\nid='a'\nstatement='s'\nsection='1'\nrelation='range'\nlo=1", "c"),
      UserError);
}

TEST(Experiments, that_ship_are_read_without_a_mistake) {
  const std::filesystem::path folder(HEDDLE_EXPERIMENTS);
  std::size_t count = 0;
  for (const auto& paper : std::filesystem::directory_iterator(folder)) {
    const std::string name = paper.path().filename().string();
    if (name == "claims") continue;
    const auto claims = read_claims((folder / "claims" / (name + ".toml")).string());
    for (const auto& figure : std::filesystem::directory_iterator(paper.path())) {
      EXPECT_FALSE(read_experiment(figure.path().string(), claims).answers.empty()) << figure.path();
      ++count;
    }
  }
  EXPECT_GE(count, 7u);
  for (const auto& file : std::filesystem::directory_iterator(folder / "claims"))
    EXPECT_FALSE(read_claims(file.path().string()).empty()) << file.path();
}

}  // namespace
}  // namespace heddle::study
