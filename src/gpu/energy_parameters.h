// What energy and area are calculated from, besides sizes and counts (room `energy`).
#pragma once

#include "sim/parameter.h"

namespace heddle::gpu {

struct DramEnergyParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  // O'Connor et al., Fine-Grained DRAM, MICRO 2017: 909 pJ to activate a row of 1 KB of HBM2.
  sim::Parameter<double> activate{*this, "activate", 0.89, {0, 1000}, "pJ/byte", "To open and close a byte of a row."};
  // There, section 1: GDDR5 takes 14.0 pJ a bit, rows included; HBM2 3.92, of which 3.48 for data movement and I/O.
  sim::Parameter<double> bit{*this, "bit", 13.6, {0, 1000}, "pJ/bit", "To move a bit between cells and GPU."};
  sim::Parameter<double> background{*this,       "background", 0,
                                    {0, 100000}, "mW",         "Of a channel, whatever it does; 0: not counted."};
};

struct EnergyParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<double> process_nm{
      *this, "process_nm", 0, {0, 45}, "nm", "Process, 22 to 45; 0: not said, so energy and area are not calculated."};
  sim::Parameter<double> voltage{
      *this, "voltage", 0, {0, 2}, "V", "Supply; 0: that of the process (1.0 V at 45 nm, 0.9 at 32, 0.8 at 22)."};
  // Operations of one lane at 45 nm and 0.9 V: Horowitz, Computing's energy problem, ISSCC 2014, figure 1.1.9.
  sim::Parameter<double> integer{*this,     "integer", 0.1,
                                 {0, 1000}, "pJ",      "Integer operation of a lane (a 32-bit addition) at 45 nm."};
  sim::Parameter<double> single{*this,
                                "single",
                                4.6,
                                {0, 1000},
                                "pJ",
                                "Single-precision operation of a lane (multiplication 3.7, "
                                "addition 0.9) at 45 nm."};
  // Keckler et al., GPUs and the future of parallel computing, IEEE Micro 2011, table 2: 50 pJ at 40 nm.
  sim::Parameter<double> dual{*this,     "double", 58,
                              {0, 1000}, "pJ",     "Double-precision multiply-add of a lane at 45 nm."};
  sim::Parameter<double> special{
      *this, "special", 18.4, {0, 1000}, "pJ", "Special function of a lane at 45 nm; no source, four times `single`."};
  // Horowitz, as above: 70 pJ for an instruction of a processor, of which 25 are its cache and 6 its registers.
  sim::Parameter<double> control{*this,      "control", 39,
                                 {0, 10000}, "pJ",      "Decoding and scheduling of a warp instruction at 45 nm."};
  // Keckler et al., as above: 310 pJ for 256 bits over 10 mm at 40 nm.
  sim::Parameter<double> wire{*this,     "wire",      0.14,
                              {0, 1000}, "pJ/bit/mm", "A bit of the network, by the length of its way, at 45 nm."};
  sim::Parameter<double> network_mm{*this,    "network_mm", 10,
                                    {0, 100}, "mm",         "Way between an SM and a partition; half a die of 20 mm."};
  sim::Parameter<double> rest{*this,
                              "rest",
                              0,
                              {0, 100000},
                              "mW",
                              "Of an SM and its share of the chip: clocks and all that is not named. The one constant "
                              "that is fitted, to a known share of the register file."};
  DramEnergyParameters dram{*this, "dram", "Energy of the DRAM, by default GDDR5."};
};

}  // namespace heddle::gpu
