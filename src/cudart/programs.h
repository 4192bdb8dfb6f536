// What a program registers before main(): fat binaries, and the kernels and variables in them.
//
// A fat binary is loaded when something in it is first used, so that code the simulator cannot take only matters to
// those who run it. Relocatable device code comes as several containers that are linked when they are loaded.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cudart/abi.h"
#include "runtime/device.h"

namespace heddle::cudart {

class Context;

struct FatBinary {
  const void* wrapper = nullptr;
  unsigned architecture = 0;  ///< of the PTX that was chosen; 0 before it was
  std::vector<std::string> ptx;
  bool loaded = false;
  runtime::Module module;
  std::string failure;  ///< why it cannot be loaded
  int failure_code = 0;
  bool has_managed = false;
};

/// A kernel of the program. Its address is what cudaKernel_t and cudaFunction_t point at.
struct Function {
  FatBinary* binary = nullptr;
  std::string name;
  bool found = false;  ///< `kernel` is set
  runtime::Kernel kernel;
  unsigned max_dynamic_shared = 0;  ///< asked for with cudaFuncSetAttribute
  int carveout = -1;
};

struct Variable {
  FatBinary* binary = nullptr;
  std::string name;
  std::uint64_t bytes = 0;
  bool constant = false;
  void** managed = nullptr;  ///< where the host keeps the pointer to a __managed__ variable
};

class Programs {
 public:
  [[nodiscard]] FatBinary* add(const void* wrapper);
  void remove(Context& context, FatBinary* binary);
  void add_function(FatBinary* binary, const void* host, const char* name);
  void add_variable(const void* host, const Variable& variable);
  /// Gives __managed__ variables their memory.
  void place_managed(Context& context, FatBinary* binary);

  /// The kernel behind a host function or a handle. Throws Failure.
  [[nodiscard]] Function& function(const void* host_or_handle);
  /// Loads it if need be. Throws Failure.
  [[nodiscard]] const runtime::Kernel& kernel(Context& context, Function& function);
  /// The variable behind a host variable. Throws Failure.
  [[nodiscard]] runtime::Module::Symbol symbol(Context& context, const void* host);
  /// Whether all these bytes are of a __managed__ variable.
  [[nodiscard]] bool is_managed(const void* pointer, std::uint64_t bytes) const;

  /// The newest architecture that any chosen PTX was compiled for.
  [[nodiscard]] unsigned newest_architecture(Context& context);
  /// All PTX that was chosen, also of what was unregistered since.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// The modules are gone with their device.
  void forget_loaded();

 private:
  void read(Context& context, FatBinary& binary);
  void load(Context& context, FatBinary& binary);

  std::string text_;
  std::vector<std::unique_ptr<FatBinary>> binaries_;
  std::unordered_map<const void*, std::unique_ptr<Function>> functions_;  ///< by host function
  std::unordered_map<const void*, Function*> handles_;
  std::unordered_map<const void*, Variable> variables_;  ///< by host variable
};

}  // namespace heddle::cudart
