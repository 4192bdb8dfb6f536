// What lanes do, what it takes to decode and schedule instructions, and clocks with all that has no name here.
#include "energy/report.h"

namespace heddle::energy {
namespace {

void describe_pipelines(Report& report) {
  const gpu::EnergyParameters& energy = report.gpu().energy;
  report.add_logic("pipelines", "integer lanes", report.count("gpu.sm.integer_lanes"), energy.integer);
  report.add_logic("pipelines", "single lanes", report.count("gpu.sm.single_lanes"), energy.single);
  report.add_logic("pipelines", "double lanes", report.count("gpu.sm.double_lanes"), energy.dual);
  report.add_logic("pipelines", "special lanes", report.count("gpu.sm.special_lanes"), energy.special);
  report.add_logic("instructions", "decoding and scheduling", report.count("gpu.sm.issue_slots"), energy.control);
  report.add_power("rest", "clocks and all the rest", energy.rest * report.gpu().sms);
}

[[maybe_unused]] const bool kRegisteredPipelines = register_component("pipelines", describe_pipelines);

}  // namespace
}  // namespace heddle::energy
