// What a check knows of global memory: every allocation to the byte, which of its bytes have been written, and what was
// allocated before and is not any more.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exec/check/finding.h"

namespace heddle::exec {

class GlobalShadow {
 public:
  struct Region {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::string name;                    ///< of a module's variable; empty: allocated
    std::vector<std::uint64_t> written;  ///< a bit per byte; empty: none yet, or all
    bool all_written = false;

    [[nodiscard]] bool contains(std::uint64_t at, std::uint64_t count) const {
      return at >= address && at - address <= bytes && count <= bytes - (at - address);
    }
  };
  struct Freed {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::optional<ThreadPlace> by;  ///< none: the host
    std::uint64_t launches = 0;     ///< of kernels before that
  };

  void allocated(std::uint64_t address, std::uint64_t bytes);
  void released(std::uint64_t address, const std::optional<ThreadPlace>& by, std::uint64_t launches);
  /// A piece of an allocation is a variable of its own, with a name; it has a value.
  void name(std::uint64_t address, std::uint64_t bytes, const std::string& name);
  /// The allocation is nothing but the variables in it.
  void only_names(std::uint64_t address) { live_.erase(address); }
  void wrote(std::uint64_t address, std::uint64_t bytes);

  /// The region that has all these bytes; nullptr if there is none.
  [[nodiscard]] Region* find(std::uint64_t address, std::uint64_t bytes);
  /// The region that an address is in or beside.
  [[nodiscard]] const Region* nearest(std::uint64_t address) const;
  /// What was there before.
  [[nodiscard]] const Freed* find_freed(std::uint64_t address) const;

  [[nodiscard]] static bool is_written(const Region& region, std::uint64_t address, std::uint64_t bytes);
  static void mark_written(Region& region, std::uint64_t address, std::uint64_t bytes);

 private:
  std::map<std::uint64_t, Region> live_;  ///< by address
  std::map<std::uint64_t, Freed> freed_;
  Region* last_ = nullptr;  ///< found last
};

}  // namespace heddle::exec
