// A live line on the terminal while kernels run, and Ctrl-C.
#pragma once

#include <chrono>
#include <string>

#include "runtime/device.h"

namespace heddle::session {

/// Shows progress on standard error if that is a terminal, and nothing otherwise. While one exists, Ctrl-C asks the
/// running launch to stop; a second one ends the program.
class ProgressLine {
 public:
  explicit ProgressLine(std::string title);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// False once the user asked to stop.
  bool update(const runtime::Progress& progress);

 private:
  void clear();

  std::string title_;
  bool is_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace heddle::session
