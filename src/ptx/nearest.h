// "Did you mean ...?": the known name that a mistyped one is closest to, within a bounded amount of work.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace heddle::ptx {

class NearestName {
 public:
  explicit NearestName(std::string_view mistyped);

  void consider(std::string_view candidate);
  /// True when no more candidates are worth showing to it.
  [[nodiscard]] bool exhausted() const { return budget_ == 0; }
  /// " (did you mean 'x'?)", or "" if nothing is close.
  [[nodiscard]] std::string hint() const;

 private:
  std::string_view mistyped_;
  std::string_view best_;
  std::size_t best_distance_;
  std::size_t budget_ = 4000;  ///< candidates still to be looked at
};

}  // namespace heddle::ptx
