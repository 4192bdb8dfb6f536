// The page that `heddle reproduce PAPER --markdown` prints.
#include "cli/reproduction_page.h"

#include <gtest/gtest.h>

#include "cli/experiments.h"
#include "cli/simulation.h"

namespace heddle::cli {
namespace {

study::Claim claim(const std::string& id, const std::string& untested = "") {
  study::Claim result;
  result.id = id;
  result.statement = "Statement of " + id + ".";
  result.untested = untested;
  return result;
}

PaperResults sample() {
  PaperResults results;
  results.paper = "p";
  results.title = "A paper";
  results.command = "heddle reproduce p --markdown";
  for (const char* id : {"A1_holds", "A2_fails", "A3_open"}) results.claims.emplace(id, claim(id));
  results.claims.emplace("A4_never", claim("A4_never", "about software"));
  results.notes.reasons = {{{"A1_holds", "A2_fails"}, "The cause."}, {{"A1_holds"}, "Not needed."}};
  results.notes.changes = {"A rule changed."};
  study::Experiment experiment;
  experiment.title = "Figure 1";
  experiment.seeds = {"1", "2"};
  experiment.designs = {"d1"};
  study::ExperimentResult result;
  result.rows = {"a", "b"};
  result.cells = {{study::Figure{0.5, 0.1}}, {std::nullopt}};
  using study::Verdict;
  result.judgements = {{claim("A1_holds"), Verdict::reproduced, "1 | 2", "", "figure1"},
                       {claim("A2_fails"), Verdict::not_reproduced, "3", "one way", "figure1"},
                       {claim("A2_fails"), Verdict::reproduced, "4", "another way", "figure1"}};
  results.experiments.emplace_back(experiment, result);
  return results;
}

void expect_on_page(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

TEST(ReproductionPage, CountsClaimsOnceAndShowsEveryReading) {
  const std::string page = reproduction_page(sample());
  expect_on_page(page, "2 claims are judged: 1 reproduced, 0 in the same direction, 1 not reproduced, 0 not run.");
  expect_on_page(page, "50 % hold in direction and 50 % in range");
  expect_on_page(page, "| A1 | Statement of A1_holds. | an order | 1 \\| 2 | reproduced | figure1 |");
  expect_on_page(page, "| A2 (one way) |");
  expect_on_page(page, "| A2 (another way) |");
}

TEST(ReproductionPage, ShortensOnlyNumbersOfClaims) {
  EXPECT_EQ(short_name("W04_design3_overhead"), "W04");
  EXPECT_EQ(short_name("t3_mask_1"), "t3_mask_1");
  EXPECT_EQ(short_name("t3_mask_2"), "t3_mask_2");
  EXPECT_EQ(short_name("vc_near_ideal"), "vc_near_ideal");
}

TEST(ReproductionPage, GivesReasonsForWhatDoesNotHoldOnly) {
  const std::string page = reproduction_page(sample());
  expect_on_page(page, "- **A2**: The cause.");
  EXPECT_EQ(page.find("Not needed."), std::string::npos);
  expect_on_page(page, "- A rule changed.");
}

TEST(ReproductionPage, SaysWhatIsNotTestedAndWhy) {
  const std::string page = reproduction_page(sample());
  expect_on_page(page, "| A3 | Statement of A3_open. | no experiment yet |");
  expect_on_page(page, "| A4 | Statement of A4_never. | about software |");
}

TEST(ReproductionPage, ShowsFiguresWithTheirSpreadOverSeeds) {
  const std::string page = reproduction_page(sample());
  expect_on_page(page, "seeds 1, 2.");
  expect_on_page(page, "| a | 0.5 ± 0.1 |");
  expect_on_page(page, "| b | - |");
}

TEST(ReproductionPage, SaysSeedsAndSpreadOnce) {
  expect_on_page(reproduction_page(sample()), "Values are means over 2 seeds of inputs, ± their standard deviation");
  PaperResults one = sample();
  one.experiments[0].first.seeds = {"1"};
  EXPECT_EQ(reproduction_page(one).find("Values are means"), std::string::npos);
}

study::Judgement judged(const std::string& id, study::Verdict verdict, const std::string& found, std::size_t held = 0,
                        std::size_t values = 0) {
  return {claim(id), verdict, found, "", "figure1", held, values};
}

SensitivityResults sensitivity() {
  using study::Verdict;
  const std::string eight = "a 1.111, b 2.222, c 3.333, d 4.444, e 5.555, f 6.666, g 7.777, h 8.888";
  SensitivityResults results;
  results.seeds = {"1"};
  results.as_it_is = {judged("A3_stays", Verdict::same_direction, eight, 3, 8),
                      judged("A1_holds", Verdict::reproduced, "1"), judged("A2_fails", Verdict::not_reproduced, "3")};
  study::JudgedAgain wide{
      {},
      {judged("A1_holds", Verdict::same_direction, "1.5"), judged("A2_fails", Verdict::reproduced, "30", 1, 1),
       judged("A3_stays", Verdict::same_direction, eight, 5, 8)}};
  wide.assumption.name = "wide";
  wide.assumption.says = "The paper says | nothing:";
  wide.assumption.changes = {"sm.a=1"};
  results.assumptions = {wide};
  return results;
}

TEST(Sensitivity, SectionHasARowForWhatDoesNotHoldAndMarksWhatTurnsIt) {
  const std::string section = sensitivity_section(sensitivity());
  expect_on_page(section, "judged again, over seed 1.");
  expect_on_page(section, "| as above | nothing | 1 | 1 | 1 | | |");
  expect_on_page(section, "| wide | The paper says \\| nothing: `sm.a=1` | 1 | 2 | 0 | A2 | A1 |");
  expect_on_page(section, "| A2 | an order | 3: not reproduced | **30: reproduced** | wide |");
  expect_on_page(section, "| A3 | an order | 3 of 8: same direction | 5 of 8: same direction | - |");
  EXPECT_LT(section.find("| A2 |"), section.find("| A3 |")) << "in the order of claims";
  EXPECT_EQ(section.find("| A1 | an order"), std::string::npos) << "it holds as it is";
  expect_on_page(section, "Neither an assumption nor another reading turns A3.");
}

TEST(Sensitivity, ReadingsOfAClaimAreOpenTogether) {
  using study::Verdict;
  const auto read = [](const char* claim, const char* reading, Verdict verdict) {
    study::Judgement one = judged(claim, verdict, "1");
    one.reading = reading;
    return one;
  };
  const auto bad = Verdict::not_reproduced, fair = Verdict::same_direction, good = Verdict::reproduced;
  SensitivityResults results;
  results.as_it_is = {read("A1_x", "text", fair), read("A1_x", "note", good),  // another reading holds
                      read("A2_x", "text", bad),  read("A2_x", "note", bad),   // an assumption turns the other reading
                      read("A3_x", "text", fair), read("A3_x", "note", bad),   // likewise, but no better than the first
                      read("A4_x", "text", good), read("A4_x", "note", bad)};  // the one that counts holds
  study::JudgedAgain wide{{}, results.as_it_is};
  wide.judgements[3].verdict = wide.judgements[5].verdict = fair;
  results.assumptions = {wide};
  const std::string section = sensitivity_section(results);
  expect_on_page(section, "Another reading than the one that counts comes closer: A1 (note).");
  expect_on_page(section, "Neither an assumption nor another reading turns A3.");
  const std::string lines = sensitivity_lines(results);
  expect_on_page(lines, "closer in another reading: A1 (note)\n");
  expect_on_page(lines, "turned by none: A3\n");
}

TEST(Sensitivity, IsOnThePageIfItWasAskedFor) {
  PaperResults results = sample();
  EXPECT_EQ(reproduction_page(results).find("Which assumption"), std::string::npos);
  results.sensitivity = sensitivity();
  const std::string page = reproduction_page(results);
  EXPECT_LT(page.find("## Why the rest differ"), page.find("## Which assumption turns it"));
  EXPECT_LT(page.find("## Which assumption turns it"), page.find("## Claims without an experiment"));
}

TEST(Sensitivity, LinesSayWhatTurnsAndWhatBreaks) {
  const std::string lines = sensitivity_lines(sensitivity());
  expect_on_page(lines, "as it is: 1 reproduced, 1 in the same direction, 1 not reproduced, 0 not run");
  expect_on_page(lines, "wide, `sm.a=1`: 1 reproduced, 2 in the same direction, 0 not reproduced, 0 not run");
  expect_on_page(lines, "  turns  A2: 3: not reproduced -> 30: reproduced");
  expect_on_page(lines, "  breaks A1: 1: reproduced -> 1.5: same direction");
  expect_on_page(lines, "turned by none: A3");
}

TEST(Notes, ThatShipNameClaimsThereAre) {
  for (const std::string& paper : experiment_papers()) EXPECT_FALSE(paper_results(paper).title.empty()) << paper;
}

TEST(Inputs, ArePartOfTheIdentityOfARun) {
  const auto identity = [](const std::string& workload, const std::string& input) {
    RunRequest request;
    request.workload = workload;
    request.size = "tiny";
    request.input = input;
    return results::identity(prepare(request).description);
  };
  EXPECT_EQ(identity("bfs", ""), identity("bfs", "uniform"));
  EXPECT_NE(identity("bfs", ""), identity("bfs", "road"));
  EXPECT_NE(identity("bfs+triad", ""), identity("bfs:tiny:1:road+triad", ""));
}

}  // namespace
}  // namespace heddle::cli
