#include "results/report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sample_run.h"

namespace heddle::results {
namespace {

nlohmann::json data_of(const std::string& page) {
  const std::string begin = "id=\"report\">";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

TEST(Report, is_one_page_that_asks_for_nothing) {
  const std::string page = Report("a title").html();
  for (const char* outside : {"src=", "<link", "@import", "fetch(", "XMLHttpRequest", "sourceMappingURL"})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  EXPECT_NE(page.find("Chart.js v4"), std::string::npos);
}

TEST(Report, cannot_be_broken_out_of_by_names) {
  Report report("</title><script>alert(1)</script>");
  report.add(TextSection{"t", "", "</script><!-- \xff"});
  const std::string page = report.html();
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  const nlohmann::json data = data_of(page);
  EXPECT_EQ(data.at("title"), "</title><script>alert(1)</script>");
  EXPECT_EQ(data.at("sections").at(0).at("text").get<std::string>().substr(0, 13), "</script><!--");
}

TEST(Report, leaves_a_gap_for_what_is_missing) {
  Report report("t");
  report.add(BarSection{"bars", "", "y", {"a", "b"}, {{"s", {1.5, std::nullopt}}}, false, {}});
  const nlohmann::json values = data_of(report.html()).at("sections").at(0).at("series").at(0).at("values");
  EXPECT_EQ(values.at(0), 1.5);
  EXPECT_TRUE(values.at(1).is_null());
}

TEST_F(ResultsTest, a_run_report_tells_how_to_repeat_the_run) {
  Store store(file_);
  RunDescription run = sample_run();
  run.design = "no-mmu";
  run.changes = {"sm.l1.kib=16", "sms=15"};
  store.finish(store.begin(run), sample_outcome());
  const RunRow row = find_run(store.database(), "1");
  EXPECT_EQ(command_of(row),
            "heddle run bfs --size tiny --seed 1 --gpu h200 --design no-mmu --set sm.l1.kib=16 --set sms=15");
  const nlohmann::json sections = data_of(run_report(store.database(), row).html()).at("sections");
  EXPECT_EQ(sections.back().at("text"), command_of(row));
}

TEST_F(ResultsTest, several_applications_are_repeated_with_their_sizes) {
  Store store(file_);
  RunDescription run = sample_run();
  run.workload = "bfs+gups";
  run.size = "tiny+small:7";
  store.begin(run);
  EXPECT_EQ(command_of(find_run(store.database(), "1")), "heddle run bfs:tiny gups:small:7 --seed 1 --gpu h200");
}

TEST_F(ResultsTest, phases_are_no_change_of_the_machine) {
  Store store(file_);
  RunDescription run = sample_run();
  run.changes = {"sms=15", "phases: timed from launch 2"};
  store.begin(run);
  EXPECT_EQ(command_of(find_run(store.database(), "1")),
            "heddle run bfs --size tiny --seed 1 --gpu h200 --set sms=15  # phases: timed from launch 2");
}

}  // namespace
}  // namespace heddle::results
