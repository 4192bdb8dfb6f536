// heddle list: what can be run.
#include <fmt/format.h>

#include "cli/commands.h"
#include "workloads/workload.h"

namespace heddle::cli {

void add_list(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("list", "List the bundled workloads");
  command->callback([&action] {
    action = [] {
      for (const workloads::Workload* workload : workloads::all()) {
        fmt::print("{:<12} {}\n{:<12} sizes in {}:", workload->name(), workload->description().summary, "",
                   workload->description().unit);
        for (const workloads::SizePreset& size : workload->sizes()) fmt::print(" {} = {}", size.name, size.elements);
        const auto [least, most] = workload->size_range();
        fmt::print("; any from {} to {}\n", least, most);
      }
      return kSuccess;
    };
  });
}

}  // namespace heddle::cli
