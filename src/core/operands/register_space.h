// How many registers resident blocks have, as a register file of fixed size gives them out.
#pragma once

#include "core/parameters.h"

namespace heddle::core {

class RegisterSpace {
 public:
  explicit RegisterSpace(const SmParameters& parameters)
      : registers_(parameters.registers), granule_(parameters.register_granule) {}

  [[nodiscard]] bool fits(unsigned registers, unsigned warps) const {
    return used_ + size(registers, warps) <= registers_;
  }
  void take(unsigned registers, unsigned warps) { used_ += size(registers, warps); }
  void give_back(unsigned registers, unsigned warps) { used_ -= size(registers, warps); }

 private:
  [[nodiscard]] unsigned size(unsigned registers, unsigned warps) const {
    return (registers * kWarpSize + granule_ - 1) / granule_ * granule_ * warps;
  }

  unsigned registers_;
  unsigned granule_;
  unsigned used_ = 0;
};

}  // namespace heddle::core
