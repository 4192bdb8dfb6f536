// What a host does beside a GPU whose caches are virtual: it reads and writes lines by physical address, shoots pages
// or everything down, and changes pages (vm/page_changes.h), by a script or at random.
#pragma once

#include <deque>
#include <random>
#include <string>
#include <vector>

#include "sim/parameter.h"
#include "sim/time.h"
#include "vm/types.h"

namespace heddle::vm {

enum class HostOperation : std::uint8_t {
  read,
  write,
  shootdown,
  flush,
  move,     ///< the page, with all its names, goes to another frame
  remap,    ///< the page becomes another name of another page's frame
  protect,  ///< the page table says that it must not be written; the first write after that is a fault
  evict,    ///< the page goes to disk
  // No operations of a script:
  allow,   ///< a page that was protected may be written, since somebody wants to
  rights,  ///< a program says whether the page may be written
};

/// What the host wants done to a page.
struct PageChange {
  HostOperation operation = HostOperation::move;
  SpaceId space = 0;
  VirtPage page{};
  SpaceId target_space = 0;
  VirtPage target{};         ///< of a remap
  bool random = false;       ///< of a remap: not this page, but one of the other names of its frame, if there are any;
  std::uint64_t number = 0;  ///< and this says which
  bool writable = true;      ///< of rights
};

/// What is wrong with a script or a list of operations; empty if nothing is.
[[nodiscard]] std::string check_host_script(const std::string& text);
[[nodiscard]] std::string check_host_operations(const std::string& text);

struct HostParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Text script{*this,
                   "script",
                   "",
                   check_host_script,
                   "CYCLE OPERATION [ADDRESS [TARGET]], separated by ';'; operations: read, write, shootdown, flush, "
                   "move, remap, protect, evict",
                   "What the host does to memory of the first application, by virtual addresses. A page that is "
                   "remapped becomes another name of the target's: programs then find other data there."};
  sim::Parameter<unsigned> interval{
      *this, "interval", 0, {0, 1000000000}, "core cycles", "The host does something random this often; 0: never."};
  sim::Text operations{*this,
                       "operations",
                       "read write shootdown",
                       check_host_operations,
                       "some of: read write shootdown flush move remap protect evict",
                       "What is done at random, each as likely as how often it is named. Only pages that are names of "
                       "another's frame are remapped at random."};
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
    std::uint64_t target = 0;   ///< likewise, of a remap
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
