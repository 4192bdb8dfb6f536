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

Outcome Workload::run(runtime::Device& device, const Request& request) const {
  if (request.elements < description_.least || request.elements > description_.most) {
    throw UserError(fmt::format("{}: size {} is out of range: {} to {} {} are allowed", description_.name,
                                request.elements, description_.least, description_.most, description_.unit));
  }
  return execute(device, request);
}

runtime::Module Workload::load(runtime::Device& device) const { return device.load(ptx(), std::string(name())); }

}  // namespace heddle::workloads
