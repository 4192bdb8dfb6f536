// What a host does beside a GPU whose caches are virtual: it reads and writes lines by physical address, and shoots
// pages or everything down, by a script or at random.
#pragma once

#include <deque>
#include <random>
#include <string>
#include <vector>

#include "sim/parameter.h"
#include "sim/time.h"

namespace heddle::vm {

enum class HostOperation : std::uint8_t { read, write, shootdown, flush };

/// What is wrong with a script or a list of operations; empty if nothing is.
[[nodiscard]] std::string check_host_script(const std::string& text);
[[nodiscard]] std::string check_host_operations(const std::string& text);

struct HostParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Text script{*this,
                   "script",
                   "",
                   check_host_script,
                   "CYCLE OPERATION [ADDRESS], separated by ';'; operations: read, write, shootdown, flush",
                   "What the host does to memory of the first application, by virtual addresses."};
  sim::Parameter<unsigned> interval{
      *this, "interval", 0, {0, 1000000000}, "core cycles", "The host does something random this often; 0: never."};
  sim::Text operations{*this,
                       "operations",
                       "read write shootdown",
                       check_host_operations,
                       "some of: read write shootdown flush",
                       "What is done at random, each as likely as how often it is named."};
  sim::Parameter<unsigned> seed{*this, "seed", 1, {0, 4294967295u}, "", "Of what is random."};
};

/// When the host does what.
class HostTraffic {
 public:
  explicit HostTraffic(const HostParameters& parameters);

  struct Planned {
    sim::Cycle at = 0;
    HostOperation operation = HostOperation::read;
    std::uint64_t address = 0;  ///< of a script
    bool random = false;        ///< of any page; `number` says which
    std::uint64_t number = 0;
  };
  [[nodiscard]] sim::Cycle next() const;
  /// What is due, one by one; call it while next() is not after `now`.
  [[nodiscard]] Planned take(sim::Cycle now);

 private:
  const HostParameters& p_;
  std::deque<Planned> script_;  ///< ordered by time
  std::vector<HostOperation> choices_;
  std::mt19937_64 random_;
  sim::Cycle next_random_ = sim::kNever;
};

}  // namespace heddle::vm
