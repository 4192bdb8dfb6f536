// Writes down what the program does to the GPU (session/capture.h), where that is asked for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "session/capture.h"

namespace heddle::cudart {

class Capturer {
 public:
  explicit Capturer(const std::string& file) : writer_(file) {}

  /// Nothing unless the program is captured.
  [[nodiscard]] static Capturer* instance();

  void loaded(const void* binary, const std::vector<std::string>& ptx);
  void allocated(std::uint64_t address, std::uint64_t bytes, bool host_writes);
  void freed(std::uint64_t address);
  /// A variable of a module, which the host may write: with calls, or by itself.
  void found_symbol(const void* binary, const std::string& name, std::uint64_t address, std::uint64_t bytes,
                    bool host_writes);
  /// The host has written these bytes of device memory with a call.
  void wrote(std::uint64_t address, std::uint64_t bytes);
  void waited();
  /// Before a launch, and when it has ended.
  void launching(const void* binary, session::Capture::Launch launch);
  void launched();
  void refuse(const std::string& why);

 private:
  struct Symbol {
    std::uint64_t module = 0;
    std::string name;
    std::uint64_t bytes = 0;
  };
  /// Memory that the host writes without a call, and what was last seen in it.
  void find_writes();

  session::CaptureWriter writer_;
  std::map<const void*, std::uint64_t> modules_;
  std::map<std::uint64_t, Symbol> symbols_;         ///< by address
  std::map<std::uint64_t, std::string> host_side_;  ///< by address
  std::uint64_t last_stream_ = 0;
  bool waited_ = true;
};

}  // namespace heddle::cudart
