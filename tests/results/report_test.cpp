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
  report.add(BarSection{"bars", "", "y", {"a", "b"}, {{"s", {1.5, std::nullopt}, {}}}, false, {}});
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

nlohmann::json section_named(const std::string& page, const std::string& title) {
  const nlohmann::json data = data_of(page);
  for (const nlohmann::json& section : data.at("sections")) {
    if (section.at("title") == title) return section;
  }
  return {};
}

TEST(Report, offers_charts_as_figures_with_the_values_behind_them) {
  Report report("t");
  report.add(BarSection{"bars", "", "y", {"a", "b"}, {{"s", {1.5, std::nullopt}, {0.5, 0}}}, false, {}});
  const nlohmann::json figure = section_named(report.html(), "bars").at("figure");
  EXPECT_NE(figure.at("svg").get<std::string>().find("<title>a, s: 1.5 (1 to 2)</title>"), std::string::npos);
  EXPECT_TRUE(figure.at("pdf").get<std::string>().starts_with("%PDF-1.4"));
  EXPECT_EQ(figure.at("csv"), "group,variant,value,low,high,runs\na,s,1.5,1,2,1\nb,s,,,,0\n");
}

RunOutcome translated_outcome() {
  RunOutcome outcome;
  outcome.status = Status::passed;
  outcome.statistics = {{"gpu.cycles", 1000},
                        {"gpu.sm.instructions", 2000},
                        {"gpu.sm.active_cycles", 800},
                        {"gpu.sm.warp_cycles", 6400},
                        {"gpu.sm.l1_reads", 100},
                        {"gpu.sm.l1_hits", 25},
                        {"gpu.dram.reads", 10},
                        {"gpu.sm.mmu.lookups", 400},
                        {"gpu.sm.mmu.hits", 300},
                        {"gpu.sm.mmu.misses", 100},
                        {"gpu.sm.mmu.miss_latency", 7000},
                        {"gpu.sm.mmu.stall_walker", 80},
                        {"gpu.mmu.walker.walks", 50},
                        {"gpu.mmu.walker.latency", 5000},
                        {"energy.total", 10},
                        {"energy.l1", 4},
                        {"energy.l1.dynamic", 3},
                        {"energy.dram", 6},
                        {"energy.dram.dynamic", 6}};
  return outcome;
}

TEST_F(ResultsTest, a_run_report_shows_what_the_terminal_shows) {
  Store store(file_);
  RunDescription run = sample_run();
  run.configuration = {{"core_mhz", "1000"},       {"sm.warps", "16"},         {"dram.bus_bytes", "8"},
                       {"dram.burst_length", "8"}, {"dram.burst_cycles", "4"}, {"dram.clock_mhz", "1000"},
                       {"memory.partitions", "2"}};
  store.finish(store.begin(run), translated_outcome());
  const std::string page = run_report(store.database(), find_run(store.database(), "1")).html();
  const auto value_of = [&](const char* title, const std::string& name) -> std::string {
    const nlohmann::json section = section_named(page, title);
    for (const auto& row : section.at("rows")) {
      if (row.at(0) == name) return row.at(1).get<std::string>() + "; " + row.at(2).get<std::string>();
    }
    return "";
  };
  EXPECT_EQ(value_of("What the machine did", "occupancy"), "50.0 %; 8.0 of 16 warps on busy SMs");
  EXPECT_EQ(value_of("What the machine did", "L1 hit rate"), "25.0 %; of 100 lines");
  EXPECT_EQ(value_of("What the machine did", "DRAM"), "0.6 GB/s; 2.0 % of 32.0 GB/s, row hits 0.0 %");
  EXPECT_EQ(value_of("Address translation", "TLB hit rate"), "75.0 %; of 400 lookups, a miss waits 70 cycles");
  EXPECT_TRUE(value_of("Address translation", "page walks").starts_with("50; 100 cycles each"));
  EXPECT_TRUE(value_of("Address translation", "stalls of translation").starts_with("10.0 %; of busy SM cycles"));
  const nlohmann::json energy = section_named(page, "Energy by component").at("rows");
  EXPECT_EQ(energy.at(0).at(1), "dram");
  EXPECT_EQ(energy.at(1).at(2), 40);
  EXPECT_EQ(energy.at(1).at(4), 1);
  EXPECT_EQ(section_named(page, "Energy").at("series").size(), 2u);
}

TEST_F(ResultsTest, a_run_report_shows_the_profile_and_the_faults_that_are_kept) {
  Store store(file_);
  RunOutcome outcome = sample_outcome();
  outcome.lines = {{"search(int*)",
                    "/src/search.cu",
                    34,
                    "cost[i] < 1",
                    {{"slots", 30},
                     {"issued", 10},
                     {"memory_data", 20},
                     {"accesses", 4},
                     {"lines", 6},
                     {"l1_reads", 8},
                     {"l1_hits", 2}}},
                   {"", "", 0, "", {{"slots", 10}, {"no_warp", 10}}}};
  outcome.findings = {{"use after free", "search(int*)", "search.ptx:8", "use after free in the search", 3}};
  store.finish(store.begin(sample_run()), outcome);
  store.finish(store.begin(sample_run()), sample_outcome());
  const auto page = [&](const char* run) {
    return run_report(store.database(), find_run(store.database(), run)).html();
  };
  const std::string with = page("1");
  EXPECT_NE(with.find("\"title\":\"Dearest lines\""), std::string::npos);
  // Where, kernel, text, share, issue, data, result; further on executed, lines and pages per access, L1 hits.
  EXPECT_NE(with.find(R"row(["search.cu:34","search(int*)","cost[i] \u003c 1",75.0,25.0,50.0,0.0,)row"),
            std::string::npos);
  EXPECT_NE(with.find("0.0,0.0,0,1.5,0.0,25.0,null,null]"), std::string::npos);
  EXPECT_NE(with.find("1. use after free in the search"), std::string::npos);
  const std::string without = page("2");
  EXPECT_EQ(without.find("\"title\":\"Dearest lines\""), std::string::npos);
  EXPECT_EQ(without.find("\"title\":\"Lines\""), std::string::npos);
  EXPECT_EQ(without.find("Faults of the program"), std::string::npos);
}

TEST_F(ResultsTest, a_run_without_translation_or_energy_has_no_word_of_them) {
  Store store(file_);
  store.finish(store.begin(sample_run()), sample_outcome());
  const std::string page = run_report(store.database(), find_run(store.database(), "1")).html();
  EXPECT_TRUE(section_named(page, "Address translation").is_null());
  EXPECT_TRUE(section_named(page, "Energy").is_null());
  EXPECT_FALSE(section_named(page, "What the machine did").is_null());
}

TEST_F(ResultsTest, compared_runs_have_their_figures_side_by_side) {
  Store store(file_);
  store.finish(store.begin(sample_run()), translated_outcome());
  store.finish(store.begin(sample_run()), sample_outcome());
  const std::string page = comparison_report({find_run(store.database(), "1"), find_run(store.database(), "2")}).html();
  const nlohmann::json table = section_named(page, "What the machines did");
  EXPECT_EQ(table.at("columns").size(), 3u);
  EXPECT_EQ(table.at("rows").at(0), (nlohmann::json{"cycles", "1,000", "100"}));
  EXPECT_TRUE(table.at("rows").back().at(2).is_null());  // the second does not translate
  EXPECT_EQ(section_named(page, "Energy").at("groups").size(), 2u);
}

}  // namespace
}  // namespace heddle::results
