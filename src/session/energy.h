// What a run took in energy, for its record and for people.
#pragma once

#include <cstdio>
#include <map>
#include <string>

#include "energy/report.h"

namespace heddle::session {

/// Adds to the statistics of a run energy.total, energy.COMPONENT and what of it is energy.COMPONENT.dynamic, in
/// microjoules, area.COMPONENT in square millimetres and storage.COMPONENT in bytes; nothing if the GPU's description
/// does not say its process.
void add_energy(const gpu::GpuParameters& gpu, std::map<std::string, double>& statistics);
/// A line for each component, with its share.
void print_energy(const gpu::GpuParameters& gpu, const std::map<std::string, double>& statistics,
                  std::FILE* out = stdout);
/// A line for each structure: instances, size, area, leakage.
void print_area(const gpu::GpuParameters& gpu, std::FILE* out = stdout);
/// How far the model of SRAM structures is off from CACTI.
void print_fit(std::FILE* out = stdout);

}  // namespace heddle::session
