// How many host threads a run gets that asks for none.
#include "session/host_threads.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/diagnostics.h"
#include "session/machine.h"

namespace heddle::session {
namespace {

class HostThreads : public testing::Test {
 protected:
  HostThreads() {
    if (const char* before = std::getenv("HEDDLE_THREADS"); before != nullptr) before_ = before;
    unsetenv("HEDDLE_THREADS");
    options_.threads = 0;
  }
  ~HostThreads() override {
    unsetenv("HEDDLE_THREADS");
    if (!before_.empty()) setenv("HEDDLE_THREADS", before_.c_str(), 1);
  }
  static std::shared_ptr<gpu::GpuParameters> gpu(const std::string& sms) {
    return load_gpu("fermi-gtx480", "", {"sms=" + sms});
  }

  MachineOptions options_;
  std::string before_;
};

TEST_F(HostThreads, AreThoseThatTheOptionsName) {
  options_.threads = 7;
  setenv("HEDDLE_THREADS", "3", 1);
  EXPECT_EQ(host_threads(options_, gpu("4").get()), 7u);
}

TEST_F(HostThreads, OrThoseOfTheEnvironment) {
  setenv("HEDDLE_THREADS", "3", 1);
  EXPECT_EQ(host_threads(options_, gpu("4").get()), 3u);
  for (const char* wrong : {"0", "257", "many", "2x", "-1", " 2"}) {
    setenv("HEDDLE_THREADS", wrong, 1);
    EXPECT_THROW((void)host_threads(options_, gpu("4").get()), UserError) << wrong;
  }
  setenv("HEDDLE_THREADS", "", 1);
  EXPECT_EQ(host_threads(options_, gpu("4").get()), 1u);
}

TEST_F(HostThreads, OrOneForEveryFourSmsAsFarAsThereAreProcessors) {
  const unsigned processors = usable_processors();
  EXPECT_EQ(host_threads(options_, gpu("1").get()), 1u);
  EXPECT_EQ(host_threads(options_, gpu("4").get()), 1u);
  EXPECT_EQ(host_threads(options_, gpu("5").get()), std::min(2u, processors));
  EXPECT_EQ(host_threads(options_, gpu("132").get()), std::min(33u, processors));
}

TEST_F(HostThreads, AreOneWithoutTimingAndWithChecks) {
  setenv("HEDDLE_THREADS", "3", 1);
  EXPECT_EQ(host_threads(options_, nullptr), 1u);
  options_.check = "memory";
  EXPECT_EQ(host_threads(options_, gpu("132").get()), 1u);
}

class Processors : public testing::Test {
 protected:
  Processors() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "cpu");
  }
  ~Processors() override { std::filesystem::remove_all(folder_); }
  void write(const std::string& file, const std::string& text) const { std::ofstream(folder_ / file) << text; }
  [[nodiscard]] unsigned usable() const { return usable_processors(folder_); }

  std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) / "heddle_control_group";
  unsigned all_ = usable_processors("/nowhere");
};

TEST_F(Processors, AreAllWithoutALimit) {
  EXPECT_GE(all_, 1u);
  EXPECT_EQ(usable(), all_);
  write("cpu.max", "max 100000\n");
  EXPECT_EQ(usable(), all_);
  write("cpu.max", "99900000 100000\n");
  EXPECT_EQ(usable(), all_);
}

TEST_F(Processors, AreThoseThatAControlGroupHasTimeFor) {
  write("cpu.max", "100000 100000\n");
  EXPECT_EQ(usable(), 1u);
  write("cpu.max", "50000 100000\n");
  EXPECT_EQ(usable(), 1u) << "half a processor";
  write("cpu.max", "250000 100000\n");
  EXPECT_EQ(usable(), std::min(2u, all_));
}

TEST_F(Processors, AreThoseOfTheOlderFilesToo) {
  write("cpu/cpu.cfs_quota_us", "-1\n");
  write("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(usable(), all_);
  write("cpu/cpu.cfs_quota_us", "100000\n");
  EXPECT_EQ(usable(), 1u);
}

}  // namespace
}  // namespace heddle::session
