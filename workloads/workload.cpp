// What all workloads share at run time.
#include "workloads/workload.h"

#include <fmt/format.h>

#include "base/check.h"

namespace heddle::workloads {

std::string_view text(Trait trait) {
  switch (trait) {
    case Trait::kL1TlbLow:
      return "L1 TLB low";
    case Trait::kL1TlbHigh:
      return "L1 TLB high";
    case Trait::kL2TlbLow:
      return "L2 TLB low";
    case Trait::kL2TlbHigh:
      return "L2 TLB high";
    case Trait::kMemoryBound:
      return "memory bound";
    case Trait::kComputeBound:
      return "compute bound";
    case Trait::kTranslationLow:
      return "low translation bandwidth";
    case Trait::kTranslationHigh:
      return "high translation bandwidth";
    case Trait::kDivergent:
      return "divergent";
    case Trait::kCoalesced:
      return "coalesced";
  }
  HEDDLE_CHECK(false, "a trait has no text");
  return {};
}

std::string_view Workload::label(std::string_view kernel) const {
  for (const KernelLabel& known : description_.kernels) {
    if (known.kernel == kernel) return known.label;
  }
  return kernel;
}

std::string_view Workload::input(std::string_view name) const {
  if (name.empty()) return description_.inputs.empty() ? std::string_view{} : description_.inputs[0].name;
  std::string known;
  for (const InputKind& kind : description_.inputs) {
    if (kind.name == name) return kind.name;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.name);
  }
  if (known.empty())
    throw UserError(fmt::format("{} has one kind of input only: leave '{}' out", description_.name, name));
  throw UserError(fmt::format("{}: there is no input '{}' (there are: {})", description_.name, name, known));
}

Outcome Workload::run(runtime::Device& device, const Request& request) const {
  if (request.elements < description_.least || request.elements > description_.most) {
    throw UserError(fmt::format("{}: size {} is out of range: {} to {} {} are allowed", description_.name,
                                request.elements, description_.least, description_.most, description_.unit));
  }
  Request checked = request;
  checked.input = input(request.input);
  return execute(device, checked);
}

runtime::Module Workload::load(runtime::Device& device) const { return device.load(ptx(), std::string(name())); }

}  // namespace heddle::workloads
