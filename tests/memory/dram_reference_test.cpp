// Our channel against DRAMsim3 with the same timings, queues, mapping and requests (docs/dram-validation.md).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "reference_driver.h"

namespace heddle::memory {

namespace {

double percent(double ours, double theirs) { return 100 * (ours - theirs) / theirs; }

}  // namespace

/// With HEDDLE_DRAM_TABLE=1 in the environment prints every line; HEDDLE_DRAM_DATA names another folder of data.
TEST(DramReference, bandwidth_and_latency_are_within_a_tenth_of_the_reference) {
  const char* other = std::getenv("HEDDLE_DRAM_DATA");
  const std::string folder = other != nullptr ? other : HEDDLE_TEST_DATA;
  const bool print = std::getenv("HEDDLE_DRAM_TABLE") != nullptr;
  std::map<std::string, Line> timings;
  for (const Line& line : read_table(folder + "/dram_timing.csv")) timings[line.at("config")] = line;
  for (const Line& line : read_table(folder + "/dram.csv")) {
    const std::string config = line.at("config");
    const Measured ours = replay(timings.at(config.substr(0, config.find('+'))), line, print ? 300000 : 100000);
    const double efficiency = percent(ours.efficiency, std::stod(line.at("efficiency")));
    const double latency = percent(ours.latency, std::stod(line.at("avg_read_latency_cycles")));
    if (print) {
      std::printf("TABLE,%s,%s,%s,%.4f,%s,%+.1f,%.1f,%s,%+.1f,%.3f,%s\n", config.c_str(), line.at("pattern").c_str(),
                  line.at("injection_requests_per_cycle").c_str(), ours.efficiency, line.at("efficiency").c_str(),
                  efficiency, ours.latency, line.at("avg_read_latency_cycles").c_str(), latency, ours.row_hit_rate,
                  line.at("row_hit_rate").c_str());
      std::fflush(stdout);
      continue;
    }
    const std::string where = config + " " + line.at("pattern") + " at " + line.at("injection_requests_per_cycle");
    const bool excused = line.contains("excused") && !line.at("excused").empty();
    EXPECT_LE(std::abs(efficiency), 10) << where << ": " << ours.efficiency << " against " << line.at("efficiency");
    if (std::isnan(latency)) continue;  // a stream of writes
    EXPECT_LE(std::abs(latency), excused ? 20 : 10)
        << where << ": " << ours.latency << " against " << line.at("avg_read_latency_cycles");
  }
}

}  // namespace heddle::memory
