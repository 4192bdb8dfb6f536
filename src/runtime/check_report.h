// What checks of a program found, in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::exec {
class GlobalShadow;
}

namespace heddle::runtime {

class DeviceImplementation;
struct LoadedModule;

struct CheckReport {
  struct Finding {
    std::string kind;    ///< "out of bounds", "race"
    std::string kernel;  ///< as people write it
    std::string place;   ///< source file and line, PTX line
    std::string text;    ///< all of it, in several lines
    std::uint64_t times = 1;
  };
  std::vector<Finding> findings;  ///< each place once
  std::uint64_t total = 0;        ///< faults
  std::uint64_t left_out = 0;     ///< of those, at places for which there was no room
};

[[nodiscard]] CheckReport make_check_report(const DeviceImplementation& device);
/// The variables of a module become allocations with names.
void name_variables(const LoadedModule& module, exec::GlobalShadow& shadow);

}  // namespace heddle::runtime
