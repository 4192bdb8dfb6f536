// What a program does to a GPU, as a list that can be done again: so that compiled programs, each a process of its own,
// can share a simulated GPU (`heddle mix`).
//
// It is captured in a run without timing, in which every launch has ended when it is made: what the host writes before
// a launch is known exactly. What kernels write is not kept, they do it again.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/types.h"

namespace heddle::session {

/// The variable that names the file to capture a program to.
inline constexpr const char* kCaptureVariable = "HEDDLE_CAPTURE";

struct Capture {
  struct Load {  ///< a module; launches and symbols name it by its number
    std::vector<std::string> ptx;
  };
  struct Memory {  ///< of the device: it has at least this much
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
  };
  struct Write {  ///< by the host
    std::uint64_t address = 0;
    std::string bytes;
  };
  struct WriteSymbol {
    std::uint64_t module = 0;
    std::string name;
    std::uint64_t offset = 0;
    std::string bytes;
  };
  struct Launch {
    std::uint64_t module = 0;
    std::string kernel;
    Dim3 grid;
    Dim3 block;
    std::uint64_t shared = 0;
    std::vector<std::string> arguments;
    std::uint64_t stream = 0;
    bool cooperative = false;
  };
  struct Wait {};   ///< the host waits for all streams
  struct Refused {  ///< it does something that cannot be done again
    std::string why;
  };
  using Step = std::variant<Load, Memory, Write, WriteSymbol, Launch, Wait, Refused>;

  std::vector<Step> steps;
};

class CaptureWriter {
 public:
  /// Throws UserError if the file cannot be written.
  explicit CaptureWriter(const std::string& file);
  void add(const Capture::Step& step);

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// Throws UserError if the file is not whole.
[[nodiscard]] Capture read_capture(const std::string& file);

}  // namespace heddle::session
