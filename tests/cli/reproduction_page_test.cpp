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
