#include "runtime/check_report.h"

#include <fmt/format.h>

#include "base/kernel_name.h"
#include "runtime/device_implementation.h"

namespace heddle::runtime {
namespace {

const char* name_of(exec::FindingKind kind) {
  switch (kind) {
    case exec::FindingKind::out_of_bounds:
      return "outside every allocation";
    case exec::FindingKind::use_after_free:
      return "use after free";
    case exec::FindingKind::uninitialised:
      return "uninitialised read";
    case exec::FindingKind::race:
      return "race in shared memory";
    case exec::FindingKind::divergent_barrier:
      return "barrier in divergent code";
  }
  return "";
}

std::string code_place(const DeviceImplementation& device, const exec::ThreadPlace& place) {
  for (const auto& module : device.modules) {
    if (module->code.get() == place.code) return module->program.place(place.pc);
  }
  return "unknown code";
}

std::string thread_text(const exec::ThreadPlace& place) {
  return fmt::format("block ({}, {}, {}), thread ({}, {}, {})", place.block.x, place.block.y, place.block.z,
                     place.thread.x, place.thread.y, place.thread.z);
}

}  // namespace

CheckReport make_check_report(const DeviceImplementation& device) {
  const exec::Findings& findings = device.checks->findings();
  CheckReport report;
  report.total = findings.total();
  report.left_out = findings.left_out();
  for (const exec::Finding& finding : findings.all()) {
    CheckReport::Finding out;
    out.kind = name_of(finding.kind);
    const auto kernel = device.checked_kernels.find(finding.place.grid_id);
    if (kernel != device.checked_kernels.end()) out.kernel = kernel_name(kernel->second);
    out.place = code_place(device, finding.place);
    out.times = finding.times;
    out.text = fmt::format("{}{}{} in kernel '{}'\n  at {}\n  {}", out.kind, finding.access.empty() ? "" : ": ",
                           finding.access, out.kernel, out.place, thread_text(finding.place));
    if (!finding.access.empty()) out.text += fmt::format("\n  address {:#x}", finding.address);
    out.text += fmt::format("{}{}", finding.access.empty() ? "\n  " : ": ", finding.detail);
    if (!finding.other_did.empty())
      out.text += fmt::format("\n  {} {}\n    at {}", finding.other_did, thread_text(finding.other),
                              code_place(device, finding.other));
    if (finding.times > 1) out.text += fmt::format("\n  {} times at this place", finding.times);
    report.findings.push_back(std::move(out));
  }
  return report;
}

void name_variables(const LoadedModule& module, exec::GlobalShadow& shadow) {
  if (module.data == 0) return;
  shadow.only_names(module.data);
  for (const compile::DataSymbol& symbol : module.program.data) {
    if (symbol.size != 0) shadow.name(module.data + symbol.offset, symbol.size, symbol.name);
  }
}

}  // namespace heddle::runtime
