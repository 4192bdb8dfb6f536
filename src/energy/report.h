// What a run took, and what a GPU is made of: energy by component, area and leakage by structure.
//
// A component is one file in src/energy/components/: a function that adds the structures of its part of the GPU with
// how often each was used, and registers itself. Sizes come from the GPU's parameters, counts from its statistics.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "energy/sram.h"
#include "gpu/parameters.h"

namespace heddle::energy {

struct Item {
  std::string component;  ///< "l1": what energies are added up by
  std::string structure;  ///< "data and tags"
  double instances = 0;   ///< 0: no structure of its own, such as wires
  double bytes = 0;       ///< of one instance
  double accesses = 0;
  double dynamic_uj = 0;
  double static_uj = 0;
  double leakage_mw = 0;  ///< of all instances
  double area_mm2 = 0;    ///< likewise; 0 where it is not known
};

class Report {
 public:
  using Counters = std::map<std::string, std::uint64_t>;
  /// Counters as sim::totals() gives them; without any, all energies are zero and areas are as they are.
  /// Throws UserError if the description does not say the process, or one that is not in the table.
  Report(const gpu::GpuParameters& gpu, Counters counters);

  [[nodiscard]] const std::vector<Item>& items() const { return items_; }
  /// By component, in the order in which they are first named; dynamic and static together.
  [[nodiscard]] std::vector<std::pair<std::string, double>> energies_uj() const;
  [[nodiscard]] double total_uj() const;
  [[nodiscard]] double area_mm2(const std::string& component) const;

  // For components.
  [[nodiscard]] const gpu::GpuParameters& gpu() const { return gpu_; }
  /// A statistic's total; 0 if this GPU does not count it.
  [[nodiscard]] double count(const std::string& path) const;
  /// The value of a mechanism's own parameter, which is a number.
  [[nodiscard]] double parameter(const std::string& path) const;
  [[nodiscard]] double seconds() const;
  void add_sram(std::string component, std::string structure, const Sram& sram, double instances, double reads,
                double writes);
  /// Banks that lie side by side, and the wires over them: as long as the side of a square of their area.
  void add_banks(const std::string& component, const Sram& bank, double banks, double instances, double reads,
                 double writes);
  /// Picojoules each, at 45 nm.
  void add_logic(std::string component, std::string structure, double count, double pj_at_45nm);
  /// Picojoules each, whatever the process.
  void add_events(std::string component, std::string structure, double count, double pj);
  void add_power(std::string component, std::string structure, double mw);

 private:
  const gpu::GpuParameters& gpu_;
  Counters counters_;
  double process_nm_ = 0;
  double dynamic_scale_ = 1;  ///< of the supply against the nominal one
  double leakage_scale_ = 1;
  std::vector<Item> items_;
};

using Describe = void (*)(Report& report);
/// Components are asked in the order of their names.
bool register_component(const char* name, Describe describe);

/// Whether energy can be calculated for this GPU.
[[nodiscard]] inline bool known(const gpu::GpuParameters& gpu) { return gpu.energy.process_nm > 0; }

}  // namespace heddle::energy
