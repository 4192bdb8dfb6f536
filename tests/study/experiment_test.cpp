// Experiments: from runs to verdicts, and the files that ship.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

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
  EXPECT_NEAR(result.cells[2][1]->value, 0.32, 1e-12);
  ASSERT_EQ(result.judgements.size(), 2u);
  EXPECT_EQ(result.judgements[0].verdict, Verdict::reproduced);
  EXPECT_EQ(result.judgements[0].found, "32 (back to back 32)");
  EXPECT_EQ(result.judgements[1].verdict, Verdict::reproduced);
}

TEST(Experiment, takes_differences_to_the_baseline) {
  Experiment experiment = sample();
  experiment.metric.relative = Relative::difference;
  const ExperimentResult result = evaluate(experiment, cycles({{"ideal", 100}, {"d1", 312.5}, {"d2", 200}}));
  EXPECT_EQ(result.rows, (std::vector<std::string>{"a", "b", "mean"}));
  EXPECT_NEAR(result.cells[0][1]->value, 212.5, 1e-12);
  EXPECT_NEAR(result.cells[2][1]->value, 212.5, 1e-12);
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
  EXPECT_EQ(verdict(300, 250, 200, 400), Verdict::not_reproduced) << "the order of the means breaks";
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
  EXPECT_EQ(judged(125, 201, 200).verdict, Verdict::same_direction) << "below one percent there is no difference";
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

TEST(Experiment, judges_figures_of_one_design_that_rise_one_above_the_other) {
  const auto verdict = [](double a) {
    return evaluate(
               with_answer("claim = 'order'\nrises = ['a', '10', 'b']\n"),
               [=](const Key&, const results::Expression& metric) {
                 return metric.value([&](const std::string& name) { return std::optional(name == "a" ? a : 20.0); });
               })
        .judgements[0]
        .verdict;
  };
  EXPECT_EQ(verdict(5), Verdict::reproduced);
  EXPECT_EQ(verdict(10), Verdict::same_direction);
  EXPECT_EQ(verdict(15), Verdict::not_reproduced);
  EXPECT_THROW((void)with_answer("claim = 'order'\nrises = ['a', 'b']\nvalue = 'x'\n"), UserError);
}

TEST(Experiment, changes_parameters_of_all_designs_and_divides_sms_of_mixes) {
  const Experiment experiment = sample(
      "title = 't'\ngpu = 'g'\nworkloads = ['a']\ndesigns = ['ideal', 'v']\nbaseline = 'ideal'\nshows = 's'\n"
      "set = ['sharing.window=5']\nalone = 'd'\n[[variant]]\nname = 'v'\ndesign = 'd'\nset = ['x=1']\n");
  EXPECT_EQ(experiment.splits, std::vector<std::string>{"even"});
  const auto points = points_of(experiment);
  EXPECT_EQ(points[0].second.changes, std::vector<std::string>{"sharing.window=5"});
  EXPECT_EQ(points[1].second.changes, (std::vector<std::string>{"sharing.window=5", "x=1"}));
  EXPECT_THROW((void)sample("title = 't'\ngpu = 'g'\nworkloads = ['a']\ndesigns = ['d']\nrelative = 'none'\n"
                            "shows = 's'\nsplits = ['even']\n"),
               UserError);
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
  says("claim = 'slow'\nmean = 'harmonic'", "answer.mean: must be \"geometric\", \"arithmetic\" or \"back to back\"");
  says("claim = 'slow'\nagainst = 'd1'", "answer.against: 'd1' measured against itself proves nothing");
}

TEST(Claim, judges_bounds_as_they_are_stated) {
  Claim claim;
  claim.relation = Relation::at_most;
  claim.high = 2;
  claim.neutral = 0;
  EXPECT_EQ(judge(claim, {-5, 0}), Verdict::reproduced);
  EXPECT_EQ(judge(claim, {2.1, 0}), Verdict::not_reproduced);
  claim.relation = Relation::at_least;
  claim.low = 20;
  claim.high.reset();
  EXPECT_EQ(judge(claim, {19.9, 0}), Verdict::same_direction);
  EXPECT_EQ(judge(claim, {-1, 0}), Verdict::not_reproduced);
  claim.relation = Relation::range;
  claim.high = 50;
  EXPECT_EQ(judge(claim, {50, 0}), Verdict::reproduced);
  EXPECT_EQ(judge(claim, {51, 0}), Verdict::same_direction);
}

TEST(Claim, a_range_around_no_effect_has_no_direction) {
  Claim claim;
  claim.relation = Relation::range;
  claim.unit = "percent";
  claim.low = -0.1;
  claim.high = 0.1;
  claim.neutral = 0;
  EXPECT_EQ(judge(claim, {0.05, 0}), Verdict::reproduced);
  EXPECT_EQ(judge(claim, {-11.28, 0}), Verdict::not_reproduced);
  EXPECT_EQ(judge(claim, {11.28, 0}), Verdict::not_reproduced);
}

TEST(Claim, an_effect_counts_above_noise_only) {
  Claim claim;
  claim.relation = Relation::at_least;
  claim.unit = "percent";
  claim.low = 20;
  claim.neutral = 0;
  EXPECT_EQ(judge(claim, {1.1, 0}), Verdict::same_direction);
  EXPECT_EQ(judge(claim, {0.9, 0}), Verdict::not_reproduced) << "below one percent";
  EXPECT_EQ(judge(claim, {5, 6}), Verdict::not_reproduced) << "seeds spread wider than the effect";
  claim.neutral.reset();
  EXPECT_EQ(judge(claim, {5, 0}), Verdict::not_reproduced) << "a share has no direction";
}

TEST(Order, must_rise_by_more_than_noise_and_must_not_break) {
  const auto judged = [](std::vector<std::vector<double>> values) {
    std::vector<std::vector<Figure>> groups;
    for (const auto& group : values) {
      auto& figures = groups.emplace_back();
      for (const double value : group) figures.push_back({value, 0});
    }
    return judge_order(groups);
  };
  EXPECT_EQ(judged({{1}, {1.2}, {1.5}}), Verdict::reproduced);
  EXPECT_EQ(judged({{1}, {1.005}, {1.5}}), Verdict::same_direction) << "two are equal";
  EXPECT_EQ(judged({{1}, {1.001}}), Verdict::not_reproduced) << "equal all along is no order";
  EXPECT_EQ(judged({{1}, {0.9}, {1.5}}), Verdict::not_reproduced) << "an order that breaks";
  EXPECT_EQ(judged({{1, 0.5}, {1.2}}), Verdict::reproduced) << "inside a group they may lie anyhow";
  EXPECT_EQ(judged({{1, 1.3}, {1.2}}), Verdict::not_reproduced);
  EXPECT_EQ(judge_order({{{1, 0.3}}, {{1.2, 0}}}), Verdict::not_reproduced) << "seeds spread wider than the step";
}

TEST(Verdicts, of_many_workloads_leave_out_as_many_as_is_said) {
  const std::vector<Verdict> some{Verdict::reproduced, Verdict::not_reproduced, Verdict::reproduced,
                                  Verdict::same_direction};
  EXPECT_EQ(judge_all(some, 0), Verdict::not_reproduced);
  EXPECT_EQ(judge_all(some, 1), Verdict::same_direction);
  EXPECT_EQ(judge_all(some, 2), Verdict::reproduced);
  EXPECT_EQ(judge_all({}, 2), Verdict::not_run);
}

TEST(Experiment, knows_almost_every_and_not_in_every_workload) {
  const auto judged = [](const std::string& over, double a, double b, double c) {
    return evaluate(with_answer("claim = 'slow'\nvalue = '100 * x'\nover = '" + over + "'"),
                    cycles_of({{"a", a}, {"b", b}, {"c", c}}))
        .judgements[0]
        .verdict;
  };
  EXPECT_EQ(judged("almost every", 333, 333, 80), Verdict::reproduced);
  EXPECT_EQ(judged("almost every", 333, 80, 80), Verdict::not_reproduced);
  EXPECT_EQ(judged("most", 333, 333, 80), Verdict::reproduced);
  EXPECT_EQ(judged("most, not all", 333, 333, 80), Verdict::reproduced);
  EXPECT_EQ(judged("most, not all", 333, 333, 333), Verdict::same_direction) << "it holds in every one";
  EXPECT_EQ(judged("most, not all", 80, 333, 80), Verdict::not_reproduced);
}

TEST(Experiment, takes_the_mean_back_to_back_as_sum_over_sum) {
  const Measure measure = [](const Key& key, const results::Expression& metric) -> std::optional<double> {
    const bool long_one = key.workload == "a";
    if (metric.text() == "cycles") return key.design == "ideal" ? 100 : long_one ? 1000 : 100;
    return long_one ? 1 : 10;  // events per cycle
  };
  const auto found = [&](const std::string& answer) {
    return evaluate(with_answer("claim = 'slow'\nover = 'mean'\nmean = 'back to back'\n" + answer), measure)
        .judgements[0]
        .found;
  };
  EXPECT_EQ(found("value = '100 * x'"), "25 (arithmetic 70)") << "300 cycles over 1200";
  EXPECT_EQ(found("metric = 'events'\nrelative = 'none'"), "2.5 (arithmetic 7)") << "3000 events over 1200 cycles";
}

TEST(Experiment, says_over_how_many_workloads_a_mean_is) {
  const auto found =
      evaluate(with_answer("claim = 'slow'\nvalue = '100 * x'"), cycles_of({{"a", 200}, {"b", 200}})).judgements[0];
  EXPECT_EQ(found.found, "50 (back to back 50) (2 of 3 workloads)");
}

TEST(Experiment, reports_the_spread_over_seeds) {
  Experiment experiment = with_answer("claim = 'slow'\nvalue = '100 * x'\nover = ['a']");
  experiment.seeds = {"1", "2"};
  const auto result = evaluate(experiment, [](const Key& key, const results::Expression&) -> std::optional<double> {
    return key.design == "ideal" ? 100 : key.seed == "1" ? 200 : 400;
  });
  EXPECT_EQ(result.judgements[0].found, "a 37.5 ± 18");
}

TEST(Experiment, puts_the_parts_of_a_claim_together_and_keeps_readings_apart) {
  Judgement part;
  part.claim.id = "c";
  part.found = "1";
  part.verdict = Verdict::reproduced;
  Judgement worse = part;
  worse.found = "2";
  worse.verdict = Verdict::not_reproduced;
  Judgement reading = part;
  reading.reading = "without leaves";
  const auto all = put_together({part, worse, reading});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].verdict, Verdict::not_reproduced);
  EXPECT_EQ(all[0].found, "1; 2");
  EXPECT_EQ(all[1].verdict, Verdict::reproduced);
}

TEST(Experiment, names_sizes_inputs_windows_and_variants_of_its_runs) {
  const Experiment experiment = sample(
      "title = 't'\ngpu = 'g'\nsize = 'small'\nworkloads = ['a', 'b']\ndesigns = ['ideal', 'wide']\n"
      "baseline = 'ideal'\nshows = 's'\n[sizes]\na = 500\n[inputs]\nb = 'road'\n[windows.a]\nstart_kernel = 2\n"
      "window = 1000\n[[variant]]\nname = 'wide'\ndesign = 'd1'\nset = ['x.y=4']\n");
  for (const auto& [key, point] : points_of(experiment)) {
    EXPECT_EQ(point.size, key.workload == "a" ? "500" : "small");
    EXPECT_EQ(point.input, key.workload == "b" ? "road" : "");
    EXPECT_EQ(point.window.start_kernel, key.workload == "a" ? 2u : 0u);
    EXPECT_EQ(point.window.window, key.workload == "a" ? "1000" : "");
    EXPECT_EQ(point.design, key.design == "wide" ? "d1" : "ideal");
    EXPECT_EQ(point.changes, key.design == "wide" ? std::vector<std::string>{"x.y=4"} : std::vector<std::string>{});
  }
  Experiment quick = experiment;
  quick.take_size("tiny");
  for (const auto& [key, point] : points_of(quick)) {
    EXPECT_EQ(point.size, "tiny");
    EXPECT_EQ(point.window.window, "");
  }
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
    if (!std::filesystem::exists(folder / "claims" / (name + ".toml"))) continue;
    const auto claims = read_claims((folder / "claims" / (name + ".toml")).string());
    for (const auto& figure : std::filesystem::directory_iterator(paper.path())) {
      EXPECT_FALSE(read_experiment(figure.path().string(), claims).answers.empty()) << figure.path();
      ++count;
    }
  }
  EXPECT_GE(count, 20u);
  for (const auto& file : std::filesystem::directory_iterator(folder / "claims"))
    EXPECT_FALSE(read_claims(file.path().string()).empty()) << file.path();
}

TEST(Experiments, answer_every_claim_or_the_claim_says_why_not) {
  const std::filesystem::path folder(HEDDLE_EXPERIMENTS);
  for (const auto& paper : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path file = folder / "claims" / (paper.path().filename().string() + ".toml");
    if (!std::filesystem::exists(file)) continue;
    const auto claims = read_claims(file.string());
    std::set<std::string> answered;
    for (const auto& figure : std::filesystem::directory_iterator(paper.path())) {
      for (const Answer& answer : read_experiment(figure.path().string(), claims).answers)
        answered.insert(answer.claim.id);
    }
    for (const auto& [id, claim] : claims)
      EXPECT_NE(answered.contains(id), !claim.untested.empty()) << id << ": an experiment, or else a reason";
  }
}

}  // namespace
}  // namespace heddle::study
