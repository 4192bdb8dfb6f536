// Runs bundled workloads on a real GPU, for a profiler to watch (tools/record_gpu/record).
//
//   record_workloads LIST...    each NAME:SIZE; prints which launches the profiler saw
#include <fmt/format.h>

#include <charconv>
#include <cstdio>

#include "workloads/workload.h"

namespace heddle::record {
namespace {

void run(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const workloads::Workload* workload = workloads::find(name);
  if (workload == nullptr) throw UserError(fmt::format("{}: no such workload", name));
  workloads::Request request;
  if (colon != std::string_view::npos)
    std::from_chars(text.data() + colon + 1, text.data() + text.size(), request.elements);
  fmt::print("workload {} {}\n", name, request.elements);
  runtime::Device device;
  const workloads::Outcome outcome = workload->run(device, request);
  fmt::print("{} {}\n", outcome.passed ? "passed" : "WRONG", outcome.detail);
  std::fflush(stdout);
}

}  // namespace
}  // namespace heddle::record

int main(int argc, char** argv) {
  int status = 0;
  for (int a = 1; a < argc; ++a) {
    try {
      heddle::record::run(argv[a]);
    } catch (const std::exception& error) {
      fmt::print("failed {}: {}\n", argv[a], error.what());
      status = 1;
    }
  }
  return status;
}
