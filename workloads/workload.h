// A workload: CUDA kernels plus the host program that makes inputs, launches them and checks the results.
//
// One folder, one workload: NAME/NAME.cu (kernels, compiled to PTX when the project is built) and NAME/NAME.cpp (this
// interface, registered with HEDDLE_WORKLOAD). Nothing else is edited to add one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device.h"

namespace heddle::workloads {

/// A named set of sizes: `tiny` is a unit test, `small` takes seconds, `medium` is larger than every cache.
struct SizePreset {
  std::string name;
  std::uint64_t elements = 0;  ///< what "elements" means is said by Workload::size_unit()
};

struct Request {
  std::uint64_t elements = 0;  ///< already resolved from a preset or an explicit number
  std::uint64_t seed = 1;
};

struct Outcome {
  bool passed = false;
  std::string detail;  ///< one sentence: what was compared, and the first difference if any
};

class Workload {
 public:
  virtual ~Workload() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// One sentence: what it computes and how it behaves.
  [[nodiscard]] virtual std::string_view description() const = 0;
  /// What a size counts, e.g. "vertices" or "matrix rows".
  [[nodiscard]] virtual std::string_view size_unit() const = 0;
  [[nodiscard]] virtual std::vector<SizePreset> sizes() const = 0;
  /// Smallest and largest explicit size that run() accepts.
  [[nodiscard]] virtual std::pair<std::uint64_t, std::uint64_t> size_range() const = 0;
  /// The PTX of its kernels.
  [[nodiscard]] virtual std::string_view ptx() const = 0;
  /// Generates inputs, launches, reads back and compares with a CPU reference.
  [[nodiscard]] virtual Outcome run(runtime::Device& device, const Request& request) const = 0;
};

/// All workloads, sorted by name.
[[nodiscard]] const std::vector<const Workload*>& all();
/// The workload of that name, or nullptr.
[[nodiscard]] const Workload* find(std::string_view name);
/// Registers a workload; a second one of the same name is a bug and stops the program.
bool register_workload(const Workload* workload);

}  // namespace heddle::workloads

#define HEDDLE_WORKLOAD(Type)                                                                               \
  namespace {                                                                                               \
  const Type registered_workload;                                                                           \
  [[maybe_unused]] const bool is_registered = ::heddle::workloads::register_workload(&registered_workload); \
  }
