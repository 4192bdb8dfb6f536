// heddle area: what a GPU's SRAM structures take of the chip.
#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "session/energy.h"
#include "session/machine_options.h"

namespace heddle::cli {

void add_area(CLI::App& app, Action& action) {
  struct AreaOptions {
    MachineOptions machine;
    bool fit = false;
  };
  auto options = std::make_shared<AreaOptions>();
  CLI::App* command = app.add_subcommand("area", "Show area and leakage of a GPU's SRAM structures");
  add_gpu_options(*command, options->machine);
  command->add_flag("--fit", options->fit, "Show how far the model is off from CACTI instead");
  command->callback([options, &action] {
    action = [options] {
      if (options->fit) {
        print_fit();
      } else {
        print_area(*load_machine(options->machine));
      }
      return kSuccess;
    };
  });
}

}  // namespace heddle::cli
