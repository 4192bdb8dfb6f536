// The virtual memory of a machine: physical frames and the address spaces of its applications.
#pragma once

#include <memory>
#include <vector>

#include "vm/address_space.h"
#include "vm/fault_handler.h"

namespace heddle::vm {

struct VmParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Choice page{*this, "page", "4k", {"4k", "2m", "1g"}, "Size of the pages that memory is mapped with."};
  sim::Flag lazy{*this, "lazy", false, "Pages enter the page table when they are first touched, by a minor fault."};
  sim::Parameter<unsigned> flush_interval{
      *this, "flush_interval", 0, {0, 1000000000}, "core cycles", "The host flushes all TLBs this often; 0: never."};
  sim::Choice shootdown{
      *this,
      "shootdown",
      "all",
      {"all", "space", "page"},
      "What TLBs forget when the host has changed a page: all, what is of that address space, or that "
      "page."};
#ifdef NDEBUG
  static constexpr bool kCheck = false;
#else
  static constexpr bool kCheck = true;
#endif
  sim::Flag check{*this, "check", kCheck, "Compare every translation that is used with the page table."};
  FrameParameters frames{*this, "frames", "Physical memory."};
  FaultParameters faults{*this, "faults", "How the host serves page faults."};

  [[nodiscard]] PageSize page_size() const {
    return page.is("4k") ? PageSize::small : page.is("2m") ? PageSize::large : PageSize::huge;
  }
};

class VirtualMemory {
 public:
  /// `checker`: of a checked run.
  VirtualMemory(const VmParameters& parameters, unsigned applications, memory::LineChecker* checker = nullptr)
      : parameters_(parameters), memory_(parameters.frames) {
    for (unsigned a = 0; a < applications; ++a) {
      spaces_.push_back(std::make_unique<AddressSpace>(
          memory_, AddressSpace::Options{static_cast<SpaceId>(a), parameters.page_size(), parameters.lazy, checker}));
    }
  }

  [[nodiscard]] AddressSpace& space(SpaceId id) { return *spaces_[id]; }
  [[nodiscard]] const AddressSpace& space(SpaceId id) const { return *spaces_[id]; }
  [[nodiscard]] const VmParameters& parameters() const { return parameters_; }
  [[nodiscard]] const PhysicalMemory& memory() const { return memory_; }
  /// Addresses of page-table entries that the host has written since the last call.
  [[nodiscard]] std::vector<std::uint64_t> take_written() { return memory_.take_written(); }

 private:
  const VmParameters& parameters_;
  PhysicalMemory memory_;
  std::vector<std::unique_ptr<AddressSpace>> spaces_;
};

}  // namespace heddle::vm
