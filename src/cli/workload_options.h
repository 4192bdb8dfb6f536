// Naming workloads and sizes on the command line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/workload.h"

namespace heddle::cli {

/// The workload of that name. Throws UserError that lists those there are.
[[nodiscard]] const workloads::Workload& find_workload(const std::string& name);
/// A named size or a number. Throws UserError that says what is allowed.
[[nodiscard]] std::uint64_t resolve_size(const workloads::Workload& workload, const std::string& text);

/// One application of a run: a workload and its input.
struct Application {
  std::string name;  ///< the workload's; "bfs-2" for the second bfs of a run
  const workloads::Workload* workload = nullptr;
  std::string size;  ///< as the user wrote it
  workloads::Request input;
};

/// What a run is of: applications joined by '+', each NAME[:SIZE[:SEED[:INPUT]]]. NAME is a workload or one of the
/// mixes that `heddle list --mixes` shows, which stands for its applications. Throws UserError that says what is
/// allowed.
[[nodiscard]] std::vector<Application> parse_applications(const std::string& text, const std::string& default_size,
                                                          std::uint64_t default_seed,
                                                          const std::string& default_input = "");

}  // namespace heddle::cli
