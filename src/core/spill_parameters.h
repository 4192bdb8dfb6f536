// Parameters of a small register file in fixed shares (core/operands/spilled_file.cpp), for which kernels are compiled.
#pragma once

#include <algorithm>

#include "sim/parameter.h"

namespace heddle::core {

struct SpillParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<unsigned> entries{*this,      "entries",   512,
                                   {8, 65536}, "registers", "Registers of a warp that the file of an SM holds."};
  sim::Parameter<unsigned> share{
      *this,    "share",     0,
      {0, 255}, "registers", "Of each warp: kernels are compiled for so many. 0: entries divided by sm.warps."};

  [[nodiscard]] unsigned registers_per_warp(unsigned warps) const { return share != 0 ? share.get() : entries / warps; }
  /// Warps that can have a share at once; at least one register is in each.
  [[nodiscard]] unsigned shares(unsigned warps) const { return entries / std::max(1u, registers_per_warp(warps)); }
};

}  // namespace heddle::core
