// What the database keeps, and what it survives.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <functional>

#include "results/query.h"
#include "results/report.h"
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

TEST_F(ResultsTest, counters_and_parameters_are_numbers_wherever_they_are_read) {
  Store store(file_);
  store.finish(store.begin(sample_run()), sample_outcome());
  const RunRow row = find_run(store.database(), "1");
  EXPECT_EQ(row.get("gpu.sm.l1_hits"), Value(std::int64_t{6}));
  EXPECT_EQ(row.get("sm.l1.kib"), Value(std::int64_t{16}));
  Statement text(store.database(), "SELECT statistics FROM runs");
  ASSERT_TRUE(text.step());
  EXPECT_NE(text.text(0).find("\"gpu.sm.l1_hits\":6}"), std::string::npos) << text.text(0);
}

TEST_F(ResultsTest, an_interrupted_run_counts_what_its_last_launch_had_done) {
  RunOutcome outcome = sample_outcome();
  outcome.statistics["gpu.sm.instructions"] = 77;
  const std::int64_t ended = totals_of(outcome).warp_instructions;
  EXPECT_NE(ended, 77);
  outcome.status = Status::interrupted;
  EXPECT_EQ(totals_of(outcome).warp_instructions, 77);
}

TEST_F(ResultsTest, where_a_program_lies_is_kept_and_does_not_make_it_another) {
  Store store(file_);
  RunDescription run = sample_run();
  run.path = "somewhere/saxpy";
  EXPECT_EQ(identity(run), identity(sample_run()));
  store.finish(store.begin(run), sample_outcome());
  const RunRow row = find_run(store.database(), "1");
  EXPECT_EQ(to_text(row.get("program")), "somewhere/saxpy");
  EXPECT_EQ(command_of(row).find("heddle exec --gpu"), 0u) << command_of(row);
  EXPECT_NE(command_of(row).find(" -- somewhere/saxpy"), std::string::npos) << command_of(row);
}

TEST_F(ResultsTest, of_several_applications_only_what_is_known_of_each_is_kept) {
  Store store(file_);
  RunOutcome outcome = sample_outcome();
  outcome.kernels[1].application = "gups";
  outcome.kernels.push_back(outcome.kernels[0]);
  outcome.kernels[2].counters = {
      {"gpu.cycles", outcome.kernels[2].counters.at("gpu.cycles")}};  // it ran beside another
  outcome.applications = {{"bfs", Status::passed, "", 90, {{"gpu.l2.hits", 7}}},
                          {"gups", Status::passed, "", 70, {{"gpu.l2.hits", 8}}}};
  store.finish(store.begin(sample_run()), outcome);
  const std::vector<ApplicationRow> rows = applications_of(store.database(), 1);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "bfs");
  EXPECT_EQ(rows[0].launches, 2);
  EXPECT_EQ(rows[0].cycles, 90);
  EXPECT_EQ(rows[0].warp_instructions, 20);
  EXPECT_EQ(rows[0].statistics, (std::map<std::string, double>{{"gpu.cycles", 100}, {"gpu.l2.hits", 7}}));
  EXPECT_EQ(rows[1].cycles, 70);
  EXPECT_EQ(rows[1].statistics.at("gpu.sm.l1_hits"), 3);
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
  EXPECT_TRUE(changed([](RunDescription& r) { r.phases = "counted for 100 cycles"; }));
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

/// Runs a check in a process that may not write everything, as root may. The result is what the check says.
std::string as_ordinary_user(const std::function<std::string()>& check) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    constexpr unsigned kNobody = 65534;
    const bool ready = geteuid() != 0 || (setgid(kNobody) == 0 && setuid(kNobody) == 0);
    std::string said = "root's rights could not be given up";
    try {
      if (ready) said = check();
    } catch (const std::exception& error) {
      said = error.what();
    }
    const bool written = write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  std::array<char, 256> part{};
  for (ssize_t got = 0; (got = read(ends[0], part.data(), part.size())) > 0;)
    said.append(part.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? said : "the check was killed";
}

TEST_F(ResultsTest, a_database_that_may_not_be_written_can_be_read_and_says_so) {
  using std::filesystem::perms;
  {
    Store store(file_);
    store.finish(store.begin(sample_run()), sample_outcome());
  }
  const perms readable = perms::owner_read | perms::group_read | perms::others_read;
  const perms folder = readable | perms::owner_exec | perms::group_exec | perms::others_exec;
  std::filesystem::permissions(file_, readable);
  std::filesystem::permissions(folder_, folder);
  const auto runs = [this] { return std::to_string(all_runs(Database(file_, Database::Access::read)).size()); };
  const auto writing = [this]() -> std::string {
    Store store(file_);
    store.begin(sample_run());
    return "it was written";
  };
  EXPECT_EQ(as_ordinary_user(runs), "1");
  const std::string refused = as_ordinary_user(writing);
  EXPECT_NE(refused.find("it may not be written: change its permissions, or choose another place with --db"),
            std::string::npos)
      << refused;
  std::filesystem::permissions(folder_, perms::owner_all);
}

TEST_F(ResultsTest, a_file_that_is_no_results_database_is_refused_and_left_alone) {
  std::ofstream(file_)
      << "some text that is no database, and long enough to have a header of one hundred bytes ........";
  EXPECT_THROW(Store{file_}, DatabaseError);
  Database(file_ + "2", Database::Access::write).execute("CREATE TABLE mine (x)");
  EXPECT_THROW(Store{file_ + "2"}, DatabaseError);
  EXPECT_THROW((void)open_results(file_ + "2"), DatabaseError);
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
