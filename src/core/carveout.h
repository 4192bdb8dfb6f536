// Shared memory and the L1 from one array: how much of it a kernel gets as shared memory.
//
// A driver chooses the smallest of a few sizes that holds the shared memory of as many blocks as fit on an SM otherwise
// (CUDA C Programming Guide, compute capability 7.x and later); what is left is the L1. Not modelled: a preference that
// the program states.
#pragma once

#include <string>
#include <vector>

#include "exec/launch.h"
#include "sim/parameter.h"

namespace heddle::core {

struct SmParameters;

struct CarveoutParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Text steps{*this,
                  "steps",
                  "",
                  check,
                  "KiB, rising, separated by spaces",
                  "Sizes that shared memory may have; the L1 has the rest of sm.l1.kib. Empty: they are apart."};
  sim::Parameter<unsigned> reserved_bytes{
      *this, "reserved_bytes", 0, {0, 65536}, "bytes", "What a block takes of it besides its own shared memory."};

  /// Says what is wrong with a text; empty if nothing is.
  [[nodiscard]] static std::string check(const std::string& text);
  /// The text has been checked.
  [[nodiscard]] std::vector<unsigned> sizes() const;
};

/// The size that a kernel's blocks want, of these.
[[nodiscard]] unsigned carveout_for(const SmParameters& sm, const std::vector<unsigned>& sizes,
                                    const exec::LaunchConfig& config);

}  // namespace heddle::core
