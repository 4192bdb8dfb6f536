// How far a sweep is: a line that is redrawn on a terminal, a line now and then in a log.
#pragma once

#include <chrono>
#include <string>

namespace heddle::cli {

class PoolProgress {
 public:
  /// `todo` are to be done now; `kept` were done before.
  PoolProgress(std::string title, std::size_t todo, std::size_t kept, bool quiet);
  ~PoolProgress();
  PoolProgress(const PoolProgress&) = delete;
  PoolProgress& operator=(const PoolProgress&) = delete;

  void show(std::size_t passed, std::size_t running, std::size_t failed);

 private:
  std::string title_;
  std::size_t todo_;
  std::size_t kept_;
  bool quiet_;
  bool is_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_;
};

/// "1 h 02 min", "3 min 20 s", "12 s".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace heddle::cli
