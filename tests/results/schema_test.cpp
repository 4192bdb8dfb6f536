// Databases of other ages, places and permissions; tags, notes and deletion.
#include "results/schema.h"

#include <fstream>
#include <map>
#include <sstream>

#include "results/filter.h"
#include "sample_run.h"

namespace heddle::results {
namespace {

class SchemaTest : public ResultsTest {
 protected:
  /// A database that the code of that time wrote.
  void make_old(int format = 1) const {
    std::ifstream in(fmt::format("{}/tests/results/format{}.sql", HEDDLE_SOURCE_DIR, format));
    std::stringstream text;
    text << in.rdbuf();
    Database(file_, Database::Access::write).execute(text.str());
  }
  static RunDescription profiled_run() {
    RunDescription run = sample_run();
    run.seed = 2;
    return run;
  }
  static RunOutcome profiled_outcome() {
    RunOutcome outcome = sample_outcome();
    outcome.lines = {
        {"search(int*)", "/src/search.cu", 34, "cost[i] = 1;", {{"slots", 30}, {"issued", 10}, {"memory_data", 20}}},
        {"", "", 0, "", {{"slots", 5}, {"no_warp", 5}}}};
    outcome.findings = {
        {"use after free", "search(int*)", "search.ptx:8 (search.cu:34)", "use after free\n  at search.ptx:8", 3}};
    return outcome;
  }
  static std::string complaint(const std::function<void()>& attempt) {
    try {
      attempt();
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
  [[nodiscard]] static std::size_t rows_in(Database& database, const std::string& table) {
    Statement count(database, "SELECT count(*) FROM " + table);
    count.step();
    return static_cast<std::size_t>(count.integer(0));
  }
};

TEST_F(SchemaTest, an_older_database_is_brought_up_to_date_and_keeps_its_runs) {
  make_old();
  ASSERT_EQ(schema_of(Database(file_, Database::Access::read)), 1);
  Store store(file_);
  EXPECT_EQ(schema_of(store.database()), kSchema);
  const RunRow row = find_run(store.database(), "1");
  EXPECT_EQ(to_text(row.get("cycles")), "100");
  EXPECT_EQ(to_text(row.get("note")), "");
  EXPECT_EQ(kernels_of(store.database(), row)[0].name, "search");
  EXPECT_EQ(series_of(store.database(), 1)[0].growth, (std::vector<std::uint64_t>{2, 4}));
  store.tag(1, "kept");
  store.finish(store.begin(sample_run()), sample_outcome());
  EXPECT_EQ(all_runs(store.database()).size(), 3u);
}

TEST_F(SchemaTest, every_older_format_is_brought_to_the_tables_of_a_new_database) {
  const auto tables = [](const Database& database) {
    std::map<std::string, std::string> found;
    Statement all(database,
                  "SELECT m.name, group_concat(c.name || ' ' || c.type || ' ' || c.pk) FROM sqlite_master m, "
                  "pragma_table_info(m.name) c WHERE m.type = 'table' GROUP BY m.name");
    while (all.step()) found[all.text(0)] = all.text(1);
    return found;
  };
  Store today((folder_ / "today.db").string());
  for (int format = 1; format < kSchema; ++format) {
    std::filesystem::remove(file_);
    make_old(format);
    ASSERT_EQ(schema_of(Database(file_, Database::Access::read)), format);
    Store store(file_);
    EXPECT_EQ(tables(store.database()), tables(today.database())) << "from format " << format;
    const RunRow row = find_run(store.database(), "1");
    EXPECT_EQ(to_text(row.get("cycles")), "100");
    EXPECT_EQ(to_text(row.get("tags")), format == 1 ? "" : "figure4");
    EXPECT_EQ(to_text(row.get("note")), format == 1 ? "" : "with the page-walk cache off");
    EXPECT_TRUE(lines_of(store.database(), 1).empty());
    EXPECT_TRUE(findings_of(store.database(), 1).empty());
    store.finish(store.begin(profiled_run()), profiled_outcome());
    EXPECT_EQ(lines_of(store.database(), 3).size(), 2u);
  }
}

TEST_F(SchemaTest, a_profile_and_findings_are_kept_merged_and_deleted_with_their_run) {
  Store other((folder_ / "other.db").string());
  other.finish(other.begin(profiled_run()), profiled_outcome());
  Store store(file_);
  store.finish(store.begin(sample_run()), sample_outcome());
  EXPECT_EQ(store.merge(other.database().path()), 1u);
  const std::vector<LineRecord> lines = lines_of(store.database(), 2);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].place(), "search.cu:34");
  EXPECT_EQ(lines[0].kernel, "search(int*)");
  EXPECT_EQ(lines[0].text, "cost[i] = 1;");
  EXPECT_EQ(lines[0].counts,
            (std::map<std::string, std::uint64_t>{{"slots", 30}, {"issued", 10}, {"memory_data", 20}}));
  EXPECT_EQ(lines[1].place(), "no warp");
  const std::vector<FindingRecord> findings = findings_of(store.database(), 2);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings[0].kind, "use after free");
  EXPECT_EQ(findings[0].place, "search.ptx:8 (search.cu:34)");
  EXPECT_EQ(findings[0].text, "use after free\n  at search.ptx:8");
  EXPECT_EQ(findings[0].times, 3u);
  EXPECT_TRUE(lines_of(store.database(), 1).empty());
  store.erase({2});
  EXPECT_EQ(rows_in(store.database(), "lines") + rows_in(store.database(), "findings"), 0u);
}

TEST_F(SchemaTest, whoever_reads_an_older_database_finds_it_up_to_date) {
  make_old();
  EXPECT_EQ(all_runs(*open_results(file_)).size(), 2u);
  EXPECT_EQ(schema_of(Database(file_, Database::Access::read)), kSchema);
}

TEST_F(SchemaTest, an_older_database_is_read_from_a_copy_in_memory_where_it_cannot_be_changed) {
  make_old();
  const auto copy = Database(file_, Database::Access::read).copy_in_memory();
  bring_up_to_date(*copy);
  EXPECT_EQ(all_runs(*copy).size(), 2u);
  EXPECT_EQ(schema_of(Database(file_, Database::Access::read)), 1);
}

TEST_F(SchemaTest, a_newer_database_is_refused_and_left_alone) {
  { const Store store(file_); }
  Database(file_, Database::Access::write).execute("PRAGMA user_version = 99");
  const std::string said = complaint([this] { const Store store(file_); });
  EXPECT_NE(said.find("a newer Heddle has written this database (format 99; this program knows up to 3)"),
            std::string::npos)
      << said;
  EXPECT_EQ(complaint([this] { (void)open_results(file_); }), said);
  EXPECT_EQ(schema_of(Database(file_, Database::Access::read)), 99);
}

TEST_F(SchemaTest, runs_of_an_older_database_are_merged) {
  make_old();
  Store store((folder_ / "new.db").string());
  EXPECT_EQ(store.merge(file_), 2u);
  EXPECT_EQ(store.merge(file_), 0u);
  EXPECT_EQ(kernels_of(store.database(), find_run(store.database(), "1"))[0].name, "search");
  EXPECT_EQ(schema_of(Database(file_, Database::Access::read)), 1);
}

TEST_F(SchemaTest, merging_brings_tags_and_notes_along) {
  Store other((folder_ / "other.db").string());
  other.finish(other.begin(sample_run()), sample_outcome());
  other.tag(1, "paper");
  other.note(1, "with the new table");
  Store store(file_);
  EXPECT_EQ(store.merge(other.database().path()), 1u);
  const RunRow row = find_run(store.database(), "1");
  EXPECT_EQ(to_text(row.get("tags")), "paper");
  EXPECT_EQ(to_text(row.get("note")), "with the new table");
}

TEST_F(SchemaTest, tags_can_be_asked_for_and_taken_away) {
  Store store(file_);
  for (int i = 0; i < 3; ++i) store.finish(store.begin(sample_run()), sample_outcome());
  store.tag(1, "paper");
  store.tag(1, "fig4");
  store.tag(1, "paper");  // once more changes nothing
  store.tag(2, "fig5");
  const auto found = [&](const std::string& condition) { return select_runs(store.database(), {condition}).size(); };
  EXPECT_EQ(to_text(find_run(store.database(), "1").get("tags")), "fig4 paper");
  EXPECT_EQ(found("tags=paper"), 1u);
  EXPECT_EQ(found("tags=fig*"), 2u);
  EXPECT_EQ(found("tags!=fig*"), 1u);
  EXPECT_EQ(found("tags="), 1u);
  store.untag(1, "fig4");
  EXPECT_EQ(found("tags=fig4"), 0u);
  EXPECT_EQ(complaint([&] { store.tag(1, "two words"); }),
            "tag 'two words': it must be of letters, digits and _ - . :");
}

TEST_F(SchemaTest, a_note_replaces_the_one_before) {
  Store store(file_);
  store.begin(sample_run());
  store.note(1, "first");
  store.note(1, "it's \"second\"");
  EXPECT_EQ(to_text(find_run(store.database(), "1").get("note")), "it's \"second\"");
  EXPECT_EQ(select_runs(store.database(), {"note=*second*"}).size(), 1u);
  store.note(1, "");
  EXPECT_EQ(to_text(find_run(store.database(), "1").get("note")), "");
}

TEST_F(SchemaTest, a_deleted_run_leaves_nothing_behind) {
  Store store(file_);
  store.finish(store.begin(sample_run()), sample_outcome());
  RunDescription other = sample_run();
  other.configuration["sms"] = "16";
  store.finish(store.begin(other), sample_outcome());
  store.tag(1, "paper");
  store.erase({1});
  EXPECT_EQ(rows_in(store.database(), "runs"), 1u);
  EXPECT_EQ(rows_in(store.database(), "configurations"), 1u);
  for (const char* table : {"kernels", "applications", "series", "tags"})
    EXPECT_EQ(rows_in(store.database(), std::string(table) + " WHERE run = 1"), 0u) << table;
  EXPECT_EQ(kernels_of(store.database(), find_run(store.database(), "2")).size(), 2u);
}

TEST_F(SchemaTest, a_run_that_is_going_on_is_not_deleted_nor_are_those_named_with_it) {
  Store store(file_);
  store.finish(store.begin(sample_run()), sample_outcome());
  store.begin(sample_run());
  EXPECT_EQ(complaint([&] { store.erase({1, 2}); }), "run 2 is still running: it cannot be deleted; nothing was");
  EXPECT_EQ(rows_in(store.database(), "runs"), 2u);
}

TEST_F(SchemaTest, conditions_mean_the_same_to_the_database_and_to_the_program) {
  Store store(file_);
  for (int i = 0; i < 24; ++i) {
    RunDescription run = sample_run();
    run.workload = i % 3 == 0 ? "bfs" : i % 3 == 1 ? "sgemm" : "bfs[2]";
    run.size = i % 2 == 0 ? "tiny" : "5000";
    run.seed = static_cast<std::uint64_t>(i);
    run.design = i % 4 == 0 ? "" : "power-d1";
    run.changes = i % 5 == 0 ? std::vector<std::string>{"sms=15"} : std::vector<std::string>{};
    run.configuration = {{"sm.l1.kib", i % 2 == 0 ? "16" : "48"}, {"sm.scheduler", i % 2 == 0 ? "gto" : "lrr"}};
    if (i % 6 == 0) run.configuration["core_mhz"] = "700";
    const std::int64_t number = store.begin(run);
    if (i % 7 == 6) continue;  // without an outcome
    RunOutcome outcome = sample_outcome(static_cast<std::uint64_t>(100 + 10 * i));
    outcome.statistics["energy.total"] = 0.1 * i;
    if (i % 2 == 0) outcome.statistics["gpu.sm.rare"] = i;
    store.finish(number, outcome);
    if (i % 3 == 0) store.tag(number, "third");
    if (i % 4 == 0) store.note(number, "every fourth");
  }
  const std::vector<RunRow> all = all_runs(store.database());
  for (const char* text : {"workload=bfs",
                           "workload!=bfs",
                           "workload=b*",
                           "workload=bfs[2]",
                           "workload=*?*",
                           "size=5000",
                           "size=5e3",
                           "size!=tiny",
                           "design=",
                           "design!=",
                           "design=power-*",
                           "changes=sms*",
                           "seed=3",
                           "seed>3",
                           "seed<=3",
                           "seed!=3",
                           "seed=1*",
                           "cycles>=200",
                           "cycles<200",
                           "cycles=150.0",
                           "cycles!=150",
                           "ipc>0.1",
                           "ipc=0.2",
                           "seconds<1",
                           "sm.l1.kib=16",
                           "sm.l1.kib>20",
                           "sm.l1.kib=4*",
                           "sm.scheduler=gto",
                           "sm.scheduler!=g*",
                           "gpu.sm.l1_hits=6",
                           "gpu.sm.rare>4",
                           "gpu.sm.rare=*",
                           "energy.total=0.3",
                           "energy.total>0.3",
                           "gpu.sm.l1_hits/cycles>0.03",
                           "cycles-100<55",
                           "10*cycles+seed>=2000",
                           "cycles/seed>30",
                           "tags=third",
                           "tags!=third",
                           "tags=*r*",
                           "note=*fourth",
                           "note=",
                           "status=passed",
                           "status!=passed",
                           "ended=*",
                           "cycles<inf",
                           "cycles>-inf",
                           "-cycles<-200",
                           "started>5"}) {
    const Filter filter(text);
    std::vector<std::int64_t> expected;
    for (const RunRow& row : all) {
      if (filter.matches(row)) expected.push_back(row.id);
    }
    std::vector<std::int64_t> found;
    for (const RunRow& row : select_runs(store.database(), {text})) found.push_back(row.id);
    EXPECT_EQ(found, expected) << text << ", which the database was asked as: "
                               << (filter.sql() ? filter.sql()->text : "nothing");
  }
  // Ordinary conditions are the database's.
  for (const char* text : {"workload=bfs", "cycles>1", "ipc<2", "sm.l1.kib=16", "gpu.sm.l1_hits/cycles>1", "tags=x"})
    EXPECT_TRUE(Filter(text).sql()) << text;
  EXPECT_NE(complaint([&] { (void)select_runs(store.database(), {"cycels>3"}); }).find("did you mean 'cycles'?"),
            std::string::npos);
  EXPECT_EQ(select_runs(store.database(), {"workload=bfs", "seed<7"}).size(), 3u);
}

TEST_F(SchemaTest, a_database_on_a_network_has_no_log_and_says_where_it_is) {
  const auto mode_of = [](const Database& database) {
    Statement mode(database, "PRAGMA journal_mode");
    mode.step();
    return mode.text(0);
  };
  EXPECT_EQ(mode_of(Database(file_, Database::Access::write, "")), "wal");
  const Database networked(file_, Database::Access::write, "NFS");
  EXPECT_EQ(networked.network(), "NFS");
  EXPECT_EQ(mode_of(networked), "delete");
  EXPECT_EQ(network_name(0x6969), "NFS");
  EXPECT_EQ(network_name(0xef53), "");  // ext4
  EXPECT_EQ(network_file_system("/proc/self/no/such/folder/x.db"), "");
}

TEST_F(SchemaTest, a_damaged_file_that_can_be_written_is_not_read_past_its_log) {
  {
    Store store(file_);
    store.finish(store.begin(sample_run()), sample_outcome());
  }
  std::fstream out(file_, std::ios::in | std::ios::out | std::ios::binary);
  out.seekp(100);  // behind the header, the root of the tables
  out << std::string(200, 'x');
  out.close();
  EXPECT_NE(complaint([this] { (void)open_results(file_); }).find("damaged"), std::string::npos);
}

}  // namespace
}  // namespace heddle::results
