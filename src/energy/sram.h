// Energy, leakage, area and access time of SRAM structures, from a table of what CACTI 7.0 says of 606 of them in three
// processes (src/energy/sram.csv).
//
// A structure that is not in the table is estimated: the logarithm of each figure is fitted to the logarithms of the
// structure's sizes, and the fit is then corrected by how far it is off for the four nearest rows of the table.
// Processes between those of the table are interpolated.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::energy {

struct Sram {
  enum class Family : std::uint8_t { ram, cam, tlb, cache };
  Family family = Family::ram;
  double entries = 1;  ///< of all banks
  double entry_bits = 32;
  double ways = 1;  ///< of a tlb or a cache
  double read_ports = 0;
  double write_ports = 0;
  double rw_ports = 1;
  double banks = 1;
  double out_bits = 0;      ///< that an access of a cache delivers; 0: a whole entry
  bool sequential = false;  ///< a cache that looks at its tags first

  [[nodiscard]] double bytes() const { return entries * entry_bits / 8; }
};

struct SramCost {
  double read_pj = 0;
  double write_pj = 0;
  double leakage_mw = 0;  ///< of all banks
  double area_mm2 = 0;    ///< likewise
  double access_ns = 0;
};

/// At the nominal voltage of the process. A process outside the table is an internal error: callers check it.
[[nodiscard]] SramCost sram_cost(const Sram& sram, double process_nm);

/// How far estimates are off, each structure of a family estimated from the others: means of absolute relative errors.
[[nodiscard]] SramCost fit_error(Sram::Family family, int process_nm);

[[nodiscard]] std::string_view sram_table();  ///< the text of the table

}  // namespace heddle::energy
