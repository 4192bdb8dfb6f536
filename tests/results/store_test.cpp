// What the database keeps, and what it survives.
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>

#include "results/query.h"
#include "sample_run.h"

namespace heddle::results {
namespace {

TEST_F(ResultsTest, a_run_comes_back_with_all_its_figures) {
  Store store(file_);
  store.finish(store.begin(sample_run()), sample_outcome());
  const RunRow row = find_run(store.database(), "1");
  EXPECT_EQ(to_text(row.get("status")), "passed");
  EXPECT_EQ(to_text(row.get("cycles")), "100");
  EXPECT_EQ(to_text(row.get("gpu.sm.l1_hits")), "6");
  EXPECT_EQ(to_text(row.get("sm.l1.kib")), "16");
  EXPECT_EQ(row.number(Expression("ipc * 10")), 2.0);
  const auto kernels = kernels_of(store.database(), row);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[1].name, "second");
  EXPECT_EQ(kernels[1].counters.at("gpu.sm.l1_hits"), 3u);
  const auto series = series_of(store.database(), 1);
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].growth, (std::vector<std::uint64_t>{2, 4}));
}

TEST_F(ResultsTest, the_identity_changes_with_everything_that_can_change_the_outcome) {
  const std::string same = identity(sample_run());
  RunDescription run = sample_run();
  run.threads = 8;
  run.gpu = "another name";
  EXPECT_EQ(identity(run), same);
  std::set<std::string> all{same};
  const auto changed = [&](auto change) {
    RunDescription other = sample_run();
    change(other);
    return all.insert(identity(other)).second;
  };
  EXPECT_TRUE(changed([](RunDescription& r) { r.workload = "sgemm"; }));
  EXPECT_TRUE(changed([](RunDescription& r) { r.elements = 2; }));
  EXPECT_TRUE(changed([](RunDescription& r) { r.seed = 2; }));
  EXPECT_TRUE(changed([](RunDescription& r) { r.mode = "functional"; }));
  EXPECT_TRUE(changed([](RunDescription& r) { r.program = "other code"; }));
  EXPECT_TRUE(changed([](RunDescription& r) { r.version = "2"; }));
  EXPECT_TRUE(changed([](RunDescription& r) { r.configuration["sms"] = "16"; }));
}

TEST_F(ResultsTest, a_run_whose_process_was_killed_is_marked_and_the_database_is_sound) {
  const pid_t child = fork();
  if (child == 0) {
    Store store(file_);
    const std::int64_t run = store.begin(sample_run());
    // Half of the final transaction is done when the process dies.
    Transaction transaction(store.database());
    Statement(store.database(), "UPDATE runs SET status = 'passed' WHERE id = ?").bind(1, run).run();
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  Store store(file_);
  EXPECT_EQ(to_text(find_run(store.database(), "1").get("status")), "running");
  EXPECT_EQ(store.mark_killed(), 1u);
  EXPECT_EQ(store.mark_killed(), 0u);
  EXPECT_EQ(to_text(find_run(store.database(), "1").get("status")), "killed");
  Statement check(store.database(), "PRAGMA integrity_check");
  ASSERT_TRUE(check.step());
  EXPECT_EQ(check.text(0), "ok");
}

TEST_F(ResultsTest, a_run_that_is_still_going_is_not_marked) {
  Store store(file_);
  store.begin(sample_run());
  EXPECT_EQ(store.mark_killed(), 0u);
}

TEST_F(ResultsTest, a_run_is_begun_once_while_it_runs_and_after_it_passed) {
  Store store(file_);
  const auto first = store.begin_unless_taken(sample_run());
  ASSERT_TRUE(first);
  EXPECT_FALSE(store.begin_unless_taken(sample_run()));
  RunOutcome outcome = sample_outcome();
  outcome.status = Status::error;
  store.finish(*first, outcome);
  const auto second = store.begin_unless_taken(sample_run());
  ASSERT_TRUE(second);
  store.finish(*second, sample_outcome());
  EXPECT_FALSE(store.begin_unless_taken(sample_run()));
}

TEST_F(ResultsTest, many_processes_write_at_once_and_nothing_is_lost) {
  constexpr int kProcesses = 8;
  constexpr int kRuns = 10;
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      try {
        for (int r = 0; r < kRuns; ++r) {
          Store store(file_);
          RunDescription run = sample_run();
          run.seed = static_cast<std::uint64_t>(p * kRuns + r);
          store.finish(store.begin(run), sample_outcome());
        }
      } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        _exit(1);
      }
      _exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(passed_identities(Database(file_, Database::Access::read)).size(), std::size_t{kProcesses * kRuns});
}

TEST_F(ResultsTest, a_full_disk_loses_only_the_run_that_did_not_fit_and_says_what_to_do) {
  Store store(file_);
  store.finish(store.begin(sample_run()), sample_outcome());
  const std::int64_t second = store.begin(sample_run());
  // No file of this process may grow: a write fails as it does on a full disk.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit none{4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &none);
  std::string message;
  try {
    store.finish(second, sample_outcome());
  } catch (const DatabaseError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_NE(message.find("full: free some space, or choose another place with --db"), std::string::npos) << message;
  EXPECT_EQ(to_text(find_run(store.database(), "1").get("status")), "passed");
  EXPECT_EQ(to_text(find_run(store.database(), "2").get("status")), "running");
  store.finish(second, sample_outcome());
  EXPECT_EQ(to_text(find_run(store.database(), "2").get("status")), "passed");
}

TEST_F(ResultsTest, a_database_in_a_folder_that_cannot_be_written_can_still_be_read) {
  {
    Store store(file_);
    store.finish(store.begin(sample_run()), sample_outcome());
  }
  std::filesystem::permissions(file_, std::filesystem::perms::owner_read);
  std::filesystem::permissions(folder_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_EQ(all_runs(Database(file_, Database::Access::read)).size(), 1u);
  if (geteuid() != 0) {  // root may write everything
    EXPECT_THROW(Store{file_}, DatabaseError);
  }
  std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
}

TEST_F(ResultsTest, a_file_that_is_no_results_database_is_refused_and_left_alone) {
  std::ofstream(file_)
      << "some text that is no database, and long enough to have a header of one hundred bytes ........";
  EXPECT_THROW(Store{file_}, DatabaseError);
  Database(file_ + "2", Database::Access::write).execute("CREATE TABLE mine (x)");
  EXPECT_THROW(Store{file_ + "2"}, DatabaseError);
  EXPECT_THROW(check_schema(Database(file_ + "2", Database::Access::read)), DatabaseError);
  EXPECT_THROW(Database("/nonexistent/r.db", Database::Access::read), DatabaseError);
}

TEST_F(ResultsTest, merging_copies_each_run_once_with_its_kernels) {
  Store here(file_);
  here.finish(here.begin(sample_run()), sample_outcome());
  const std::string other = file_ + ".other";
  {
    Store there(other);
    RunDescription run = sample_run();
    run.seed = 2;
    there.finish(there.begin(run), sample_outcome(300));
    there.begin(run);  // still running there: stays there
  }
  EXPECT_EQ(here.merge(other), 1u);
  EXPECT_EQ(here.merge(other), 0u);
  const RunRow row = find_run(here.database(), "2");
  EXPECT_EQ(to_text(row.get("cycles")), "300");
  EXPECT_EQ(kernels_of(here.database(), row).size(), 2u);
  EXPECT_EQ(series_of(here.database(), row.id).size(), 1u);
}

}  // namespace
}  // namespace heddle::results
