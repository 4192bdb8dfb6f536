// The list of workloads. Filled by HEDDLE_WORKLOAD before main(), in no particular order; sorted by name here.
#include <algorithm>
#include <string>

#include "base/check.h"
#include "workloads/workload.h"

namespace heddle::workloads {

namespace {
// A function's static object: it exists before the first registration, whatever the order of initialisation.
std::vector<const Workload*>& registered() {
  static std::vector<const Workload*> workloads;
  return workloads;
}
}  // namespace

const std::vector<const Workload*>& all() { return registered(); }

const Workload* find(std::string_view name) {
  for (const Workload* workload : registered()) {
    if (workload->name() == name) return workload;
  }
  return nullptr;
}

bool register_workload(const Workload* workload) {
  HEDDLE_CHECK(find(workload->name()) == nullptr, "two workloads are named '" + std::string(workload->name()) + "'");
  auto& workloads = registered();
  const auto by_name = [](const Workload* a, const Workload* b) { return a->name() < b->name(); };
  workloads.insert(std::upper_bound(workloads.begin(), workloads.end(), workload, by_name), workload);
  return true;
}

}  // namespace heddle::workloads
