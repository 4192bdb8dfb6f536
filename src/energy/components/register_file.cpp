// The register file in its banks, and the operand collectors that its reads go through.
#include "energy/report.h"

namespace heddle::energy {
namespace {

constexpr double kLanes = 32;
constexpr double kRegisterBits = kLanes * 32;
constexpr double kOperands = 3;  ///< that a collector holds

void describe_register_file(Report& report) {
  const core::SmParameters& sm = report.gpu().sm;
  if (!sm.operands.is("file")) return;
  const double reads = report.count("gpu.sm.register_reads");
  report.add_banks("register_file", {.entries = sm.registers / kLanes / sm.register_banks, .entry_bits = kRegisterBits},
                   sm.register_banks, report.gpu().sms, reads, report.count("gpu.sm.register_writes"));
  report.add_sram("register_file", "operand collectors",
                  {.entries = kOperands * sm.collectors,
                   .entry_bits = kRegisterBits,
                   .read_ports = 1,
                   .write_ports = 1,
                   .rw_ports = 0},
                  report.gpu().sms, reads, reads);
}

[[maybe_unused]] const bool kRegisteredRegisterFile = register_component("register_file", describe_register_file);

}  // namespace
}  // namespace heddle::energy
