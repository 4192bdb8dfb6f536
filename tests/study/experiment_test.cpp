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

TEST(Experiment, an_order_that_holds_for_the_mean_alone_is_the_same_direction) {
  const auto verdict = [](double a_with_d1, double a_with_d2, double b_with_d1, double b_with_d2) {
    return evaluate(sample(),
                    [=](const Key& key, const results::Expression&) -> std::optional<double> {
                      if (key.design == "ideal") return 100;
                      if (key.workload == "a") return key.design == "d1" ? a_with_d1 : a_with_d2;
                      return key.design == "d1" ? b_with_d1 : b_with_d2;
                    })
        .judgements[1]
        .verdict;
  };
  EXPECT_EQ(verdict(200, 100, 200, 150), Verdict::reproduced);
  EXPECT_EQ(verdict(400, 100, 200, 250), Verdict::same_direction);
  EXPECT_EQ(verdict(300, 250, 200, 400), Verdict::not_reproduced);
}

TEST(Experiment, says_what_was_not_run) {
  const ExperimentResult result = evaluate(sample(), cycles({{"ideal", 100}, {"d2", 200}}));
  EXPECT_EQ(result.judgements[0].verdict, Verdict::not_run);
  EXPECT_EQ(result.judgements[1].verdict, Verdict::not_run);
  EXPECT_FALSE(result.cells[0][1].has_value());
  EXPECT_TRUE(result.cells[0][2].has_value());
}

/// Cycles by workload on d1; the baseline has 100.
Measure cycles_of(std::map<std::string, double> by_workload) {
  return [by_workload](const Key& key, const results::Expression&) -> std::optional<double> {
    if (key.design != "d1") return 100;
    const auto found = by_workload.find(key.workload);
    return found == by_workload.end() ? std::nullopt : std::optional<double>(found->second);
  };
}

Experiment with_answer(const std::string& answer) {
  return sample(
      "title = 't'\ngpu = 'g'\nworkloads = ['a', 'b', 'c']\ndesigns = ['ideal', 'd1']\nbaseline = 'ideal'\n"
      "shows = 's'\n[[answer]]\ndesign = 'd1'\n" +
      answer);
}

TEST(Experiment, judges_which_workloads_are_highest) {
  const Experiment experiment = with_answer("claim = 'order'\nhighest = ['a', 'b']");
  const auto judged = [&](double a, double b, double c) {
    return evaluate(experiment, cycles_of({{"a", a}, {"b", b}, {"c", c}})).judgements[0];
  };
  EXPECT_EQ(judged(125, 200, 400).verdict, Verdict::reproduced);
  EXPECT_EQ(judged(125, 200, 400).found, "a 0.8, b 0.5; the others c 0.25");
  EXPECT_EQ(judged(125, 201, 200).verdict, Verdict::reproduced) << "one percent counts as equal";
  EXPECT_EQ(judged(125, 400, 200).verdict, Verdict::same_direction) << "only the mean is higher";
  EXPECT_EQ(judged(400, 400, 200).verdict, Verdict::not_reproduced);
  const auto partly = evaluate(experiment, cycles_of({{"a", 125}, {"c", 400}})).judgements[0];
  EXPECT_EQ(partly.verdict, Verdict::reproduced);
  EXPECT_EQ(partly.found, "a 0.8; the others c 0.25 (2 of 3 workloads)");
  EXPECT_EQ(evaluate(experiment, cycles_of({{"a", 125}})).judgements[0].verdict, Verdict::not_run);
}

TEST(Experiment, judges_which_workloads_are_lowest_among_some) {
  const Experiment experiment = with_answer("claim = 'order'\nlowest = ['a']\namong = ['b']");
  const auto judged = [&](double a, double b) {
    return evaluate(experiment, cycles_of({{"a", a}, {"b", b}, {"c", 1000}})).judgements[0].verdict;
  };
  EXPECT_EQ(judged(200, 100), Verdict::reproduced);
  EXPECT_EQ(judged(100, 200), Verdict::not_reproduced);
}

TEST(Experiment, judges_the_largest_and_the_smallest) {
  const Measure measure = cycles_of({{"a", 312.5}, {"b", 1000}, {"c", 500}});
  const auto largest = evaluate(with_answer("claim = 'slow'\nvalue = '100 * x'\nover = 'largest'"), measure);
  EXPECT_EQ(largest.judgements[0].found, "a 32");
  EXPECT_EQ(largest.judgements[0].verdict, Verdict::reproduced);
  const auto smallest = evaluate(with_answer("claim = 'slow'\nvalue = '100 * x'\nover = 'smallest'"), measure);
  EXPECT_EQ(smallest.judgements[0].found, "b 10");
  EXPECT_EQ(smallest.judgements[0].verdict, Verdict::same_direction);
}

TEST(Experiment, names_line_and_key_of_mistakes_in_comparisons) {
  const auto message = [](const std::string& answer) -> std::string {
    try {
      (void)with_answer(answer);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  const std::string place = "p/figure1.toml:10:";
  const auto says = [&](const std::string& answer, const std::string& expected) {
    const std::string found = message(answer);
    EXPECT_NE(found.find(expected), std::string::npos) << found;
    EXPECT_NE(found.find(place), std::string::npos) << found;
  };
  says("claim = 'order'\nhighest = ['z']", "answer.highest: 'z' is not in this experiment (there are: a, b, c)");
  says("claim = 'order'\nlowest = ['a', 'b', 'c']", "answer.lowest: leaves no workload to compare with");
  says("claim = 'slow'\nlowest = ['a']", "answer.lowest: 'slow' is about a number");
  says("claim = 'order'\nover = 'each'\nhighest = ['a']", "answer.over: does not go with highest");
  says("claim = 'order'\nlowest = ['b']\nhighest = ['a']", "answer.lowest: does not go with highest");
  says("claim = 'slow'\namong = ['b']", "answer.among: goes with highest or lowest only");
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
