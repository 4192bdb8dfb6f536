// A live line on the terminal while kernels run, and Ctrl-C.
#pragma once

#include <chrono>
#include <string>

#include "runtime/device.h"

namespace heddle::session {

/// What kernels are at, on standard error if that is a terminal, and nothing otherwise.
class ProgressText {
 public:
  explicit ProgressText(std::string title);
  ~ProgressText() { clear(); }
  ProgressText(const ProgressText&) = delete;
  ProgressText& operator=(const ProgressText&) = delete;

  /// Draws the line anew, a few times per second.
  void show(const runtime::Progress& progress);
  /// Takes the line away, so that something else can be written.
  void clear();

 private:
  std::string title_;
  bool is_terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point begin_;
  std::chrono::steady_clock::time_point last_;
};

/// The same for a command. While one exists, Ctrl-C asks the running launch to stop; a second one ends the program.
class ProgressLine {
 public:
  explicit ProgressLine(std::string title);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// False once the user asked to stop.
  bool update(const runtime::Progress& progress);

 private:
  ProgressText text_;
};

}  // namespace heddle::session
