// Assumptions: what they change in an experiment, what they turn, and the files that ship.
#include "study/sensitivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/diagnostics.h"
#include "base/files.h"

namespace heddle::study {
namespace {

namespace fs = std::filesystem;

const char* const kAssumedUnder = R"(
title = "Figure 1"
gpu = "g"
size = "tiny"
workloads = ["a", "b"]
designs = ["no-mmu", "d1", "d1 wide"]
baseline = "no-mmu"
shows = "performance"
set = ["sm.warps=8"]
[sizes]
b = 7
[[variant]]
name = "d1 wide"
design = "d1"
set = ["sm.mmu.tlb.ways=2"]
)";

Experiment assumed_under(const std::string& more = "") {
  return parse_experiment(more + kAssumedUnder, "p/figure1.toml", {});
}

Sensitivity parsed(const std::string& text) { return parse_sensitivity(text, "p.toml", {assumed_under()}); }

std::string complaint(const std::string& text) {
  try {
    (void)parsed(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

/// The runs of the sample under an assumption, by workload and design.
std::map<std::string, Point> runs_under(const std::string& assumption) {
  const Sensitivity sensitivity = parsed("[[assumption]]\nname = 'x'\nsays = 's'\n" + assumption);
  std::map<std::string, Point> runs;
  for (const auto& [key, point] : points_of(under(sensitivity.assumptions.at(0), assumed_under())))
    runs.emplace(key.workload + " " + key.design, point);
  return runs;
}

using Texts = std::vector<std::string>;

TEST(Sensitivity, changes_parameters_below_those_that_a_figure_is_about) {
  const auto runs = runs_under("set = ['sm.mmu.tlb.ways=4']");
  EXPECT_EQ(runs.at("a d1").changes, (Texts{"sm.warps=8", "sm.mmu.tlb.ways=4"}));
  EXPECT_EQ(runs.at("a d1 wide").changes, (Texts{"sm.warps=8", "sm.mmu.tlb.ways=4", "sm.mmu.tlb.ways=2"}))
      << "the later one counts, so the figure's own comes last";
  EXPECT_EQ(runs.at("a no-mmu").changes, (Texts{"sm.warps=8", "sm.mmu.tlb.ways=4"}));
}

TEST(Sensitivity, leaves_designs_alone_that_it_means_nothing_to) {
  const auto runs = runs_under("set = ['sm.mmu.tlb.ways=4']\nexcept = ['no-mmu']");
  EXPECT_EQ(runs.at("a no-mmu").changes, Texts{"sm.warps=8"});
  EXPECT_EQ(runs.at("a d1").changes, (Texts{"sm.warps=8", "sm.mmu.tlb.ways=4"}));
  EXPECT_EQ(runs.at("a d1").design, "d1");
  EXPECT_EQ(runs.at("a d1 wide").changes, (Texts{"sm.warps=8", "sm.mmu.tlb.ways=4", "sm.mmu.tlb.ways=2"}));
  const auto none = runs_under("set = ['sm.mmu.tlb.ways=4']\nexcept = ['d1']");
  EXPECT_EQ(none.at("a d1 wide").changes, (Texts{"sm.warps=8", "sm.mmu.tlb.ways=2"}))
      << "a variant is left out with its design";
}

TEST(Sensitivity, changes_sizes_inputs_and_windows_of_single_workloads) {
  const auto runs = runs_under("size = 'small'\n[assumption.inputs]\na = 'road'\n[assumption.windows.b]\nwindow = 500");
  EXPECT_EQ(runs.at("a d1").size, "small");
  EXPECT_EQ(runs.at("a d1").input, "road");
  EXPECT_EQ(runs.at("b d1").size, "7") << "one of its own stays";
  EXPECT_EQ(runs.at("b d1").window.window, "500");
  EXPECT_EQ(runs_under("[assumption.sizes]\nb = 9").at("b d1").size, "9");
}

TEST(Sensitivity, changes_several_together) {
  const Sensitivity sensitivity = parsed(
      "[[assumption]]\nname = 'x'\nsays = 's'\nset = ['sm.a=4']\n"
      "[[assumption]]\nname = 'y'\nsays = 's'\nset = ['sm.b=1']\nexcept = ['no-mmu']\n[assumption.sizes]\nb = 9\n"
      "[[assumption]]\nname = 'both'\nsays = 's'\ntogether = ['x', 'y']\n");
  const Assumption& both = sensitivity.assumptions.at(2);
  std::map<std::string, Point> runs;
  for (const auto& [key, point] : points_of(under(both, assumed_under())))
    runs.emplace(key.workload + " " + key.design, point);
  EXPECT_EQ(runs.at("a no-mmu").changes, (Texts{"sm.warps=8", "sm.a=4"})) << "each keeps the designs it leaves out";
  EXPECT_EQ(runs.at("a d1").changes, (Texts{"sm.warps=8", "sm.a=4", "sm.b=1"}));
  EXPECT_EQ(runs.at("b d1 wide").changes, (Texts{"sm.warps=8", "sm.a=4", "sm.b=1", "sm.mmu.tlb.ways=2"}));
  EXPECT_EQ(runs.at("b d1").size, "9");
  EXPECT_EQ(changes_text(both), "x and y");
}

TEST(Sensitivity, judges_the_figures_it_names) {
  const std::string good = "[[assumption]]\nname = 'x'\nsays = 's'\nsize = 'small'\n";
  Experiment other = assumed_under();
  other.figure = "figure2";
  EXPECT_TRUE(parsed(good).judges(other)) << "all, when it names none";
  const Sensitivity one = parsed("figures = ['figure1']\n" + good);
  EXPECT_TRUE(one.judges(assumed_under()));
  EXPECT_FALSE(one.judges(other));
  EXPECT_NE(complaint("figures = ['figure9']\n" + good)
                .find("figures: 'figure9' is no experiment of this paper (there are: figure1)"),
            std::string::npos);
}

TEST(Sensitivity, of_mixes_leaves_out_no_design_unless_runs_alone_are_on_it) {
  Experiment mixes = assumed_under("alone = 'd1'\n");
  Assumption assumption;
  assumption.name = "x";
  assumption.changes = {"sm.warps=4"};
  assumption.except = {"no-mmu"};
  EXPECT_THROW((void)under(assumption, mixes), UserError);
  mixes.alone = "no-mmu";
  EXPECT_NO_THROW((void)under(assumption, mixes));
  mixes.alone = "d1";
  assumption.except.clear();
  EXPECT_EQ(under(assumption, mixes).changes, (Texts{"sm.warps=8", "sm.warps=4"})) << "runs alone have these too";
}

TEST(Sensitivity, files_that_are_wrong_are_refused_with_every_mistake) {
  const std::string good = "[[assumption]]\nname = 'x'\nsays = 's'\n";
  EXPECT_EQ(complaint(good + "size = 'small'"), "");
  EXPECT_NE(complaint("seeds = [1]").find("assumption: is missing"), std::string::npos);
  EXPECT_NE(complaint(good).find("changes nothing"), std::string::npos);
  EXPECT_NE(complaint(good + "set = ['ways']").find("'ways' is not PATH=VALUE"), std::string::npos);
  EXPECT_NE(complaint(good + "set = ['a=1']\nexcept = ['d9']").find("'d9' is no design"), std::string::npos);
  EXPECT_NE(complaint(good + "size = 'small'\nexcept = ['d1']").find("except: goes with set only"), std::string::npos);
  EXPECT_NE(complaint(good + "[assumption.sizes]\nc = 1").find("sizes.c: is no workload"), std::string::npos);
  EXPECT_NE(complaint(good + "together = ['y']").find("'y' is no assumption that stands before it"), std::string::npos);
  EXPECT_NE(complaint(good + "together = ['x']").find("'x' is no assumption that stands before it"), std::string::npos);
  EXPECT_NE(complaint(good + "size = 'small'\n[[assumption]]\nname = 'z'\nsays = 's'\nset = ['a=1']\ntogether = ['x']")
                .find("together: goes without set"),
            std::string::npos);
  EXPECT_NE(complaint(good + "size = 'small'\n" + good + "size = 'medium'").find("'x' is there twice"),
            std::string::npos);
}

TEST(Sensitivity, says_what_is_changed) {
  const Sensitivity sensitivity = parsed(
      "[[assumption]]\nname = 'x'\nsays = 's'\nset = ['a=1']\nexcept = ['no-mmu']\n[assumption.sizes]\nb = 9\n"
      "[assumption.windows.b]\nstart_kernel = 3\n");
  EXPECT_EQ(changes_text(sensitivity.assumptions[0]), "b 9, b from launch 3 on for the rest, `a=1` (not in no-mmu)");
}

Judgement judgement(const std::string& id, Verdict verdict, const std::string& reading = "") {
  Judgement result;
  result.claim.id = id;
  result.verdict = verdict;
  result.reading = reading;
  return result;
}

TEST(Sensitivity, compares_claims_reading_by_reading) {
  const std::vector<Judgement> base{judgement("A", Verdict::not_reproduced, "one"),
                                    judgement("A", Verdict::same_direction, "two"),
                                    judgement("B", Verdict::reproduced)};
  const std::vector<JudgedAgain> again{
      {{}, {judgement("A", Verdict::reproduced, "two"), judgement("A", Verdict::same_direction, "one")}}};
  const auto rows = compare(base, again);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].under[0].verdict, Verdict::same_direction);
  EXPECT_EQ(rows[1].under[0].verdict, Verdict::reproduced);
  EXPECT_EQ(rows[2].under[0].verdict, Verdict::not_run) << "nobody judged it";
  EXPECT_EQ(rows[2].under[0].found, "runs or figures are missing");
}

TEST(Sensitivity, turns_what_comes_closer_and_breaks_what_goes_away) {
  const auto after = [](Verdict before, Verdict then) {
    const Judgement one = judgement("A", before);
    const Judgement other = judgement("A", then);
    return std::pair(turns(one, other), breaks(one, other));
  };
  EXPECT_EQ(after(Verdict::not_reproduced, Verdict::same_direction), std::pair(true, false));
  EXPECT_EQ(after(Verdict::same_direction, Verdict::reproduced), std::pair(true, false));
  EXPECT_EQ(after(Verdict::reproduced, Verdict::same_direction), std::pair(false, true));
  EXPECT_EQ(after(Verdict::reproduced, Verdict::reproduced), std::pair(false, false));
  EXPECT_EQ(after(Verdict::not_run, Verdict::reproduced), std::pair(false, false)) << "nothing was known before";
  EXPECT_EQ(after(Verdict::reproduced, Verdict::not_run), std::pair(false, false)) << "nothing is known after";
}

TEST(Sensitivity, that_ships_names_workloads_and_designs_of_its_paper) {
  const fs::path folder(HEDDLE_EXPERIMENTS);
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "sensitivity")) {
    const std::string paper = entry.path().stem().string();
    SCOPED_TRACE(paper);
    const auto claims = read_claims((folder / "claims" / (paper + ".toml")).string());
    std::vector<Experiment> experiments;
    for (const fs::directory_entry& figure : fs::directory_iterator(folder / paper))
      experiments.push_back(read_experiment(figure.path().string(), claims));
    const Sensitivity sensitivity = parse_sensitivity(read_file(entry.path().string()), paper, experiments);
    EXPECT_FALSE(sensitivity.assumptions.empty());
    EXPECT_TRUE(
        std::any_of(experiments.begin(), experiments.end(), [&](const auto& e) { return sensitivity.judges(e); }));
    ++files;
  }
  EXPECT_GE(files, 3u);
}

}  // namespace
}  // namespace heddle::study
