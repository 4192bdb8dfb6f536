// Which partition an address belongs to, and where it is in there.
#pragma once

#include <cstdint>

#include "sim/parameter.h"

namespace heddle::memory {

struct AddressMapParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Parameter<unsigned> partitions{*this,    "partitions", 6,
                                      {1, 256}, "partitions", "Memory partitions: L2 slices with their DRAM channels."};
  sim::Parameter<unsigned> interleave{*this,   "interleave",
                                      256,     {128, 65536},
                                      "bytes", "Consecutive bytes in one partition; a multiple of the L2 line."};
  sim::Flag hash{*this, "hash", true,
                 "Rotate the partitions by a hash of the upper address bits, so that strides do not pile up on one."};
};

class AddressMap {
 public:
  explicit AddressMap(const AddressMapParameters& parameters)
      : partitions_(parameters.partitions), interleave_(parameters.interleave), hash_(parameters.hash) {}

  struct Place {
    std::uint32_t partition = 0;
    std::uint64_t local = 0;  ///< dense address within the partition
  };
  [[nodiscard]] Place place(std::uint64_t address) const {
    const std::uint64_t chunk = address / interleave_;
    const std::uint64_t row = chunk / partitions_;
    std::uint64_t partition = chunk % partitions_;
    if (hash_) partition = (partition + ((row * 0x9e3779b97f4a7c15u) >> 40)) % partitions_;
    return {static_cast<std::uint32_t>(partition), row * interleave_ + address % interleave_};
  }
  [[nodiscard]] unsigned partitions() const { return partitions_; }

 private:
  unsigned partitions_;
  unsigned interleave_;
  bool hash_;
};

}  // namespace heddle::memory
