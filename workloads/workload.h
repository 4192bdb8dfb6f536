// A workload: CUDA kernels plus the host program that makes inputs, launches them and checks the results.
//
// One folder, one workload: NAME/NAME.cu (kernels, compiled to PTX when the project is built) and NAME/NAME.cpp (a
// class derived from Workload, registered with HEDDLE_WORKLOAD). Nothing else is edited to add one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/device.h"

namespace heddle::workloads {

/// A named size. Every workload has `tiny` (a unit test), `small` (seconds) and `medium` (larger than every cache), in
/// this order; `paper` follows where a paper states a footprint or the suite documents its input.
struct SizePreset {
  std::string_view name;
  std::uint64_t elements = 0;  ///< what "elements" means is said by Description::unit
};

/// What a paper says of a benchmark, in terms that can be measured (`heddle characterise` does).
enum class Trait {
  kL1TlbLow,
  kL1TlbHigh,
  kL2TlbLow,
  kL2TlbHigh,
  kMemoryBound,
  kComputeBound,
  kTranslationLow,   ///< low translation bandwidth
  kTranslationHigh,  ///< high translation bandwidth
  kDivergent,        ///< several lines per memory instruction
  kCoalesced,        ///< about one line per memory instruction
};
/// As it is printed, e.g. "L1 TLB high".
[[nodiscard]] std::string_view text(Trait trait);

/// A paper that uses the benchmark, the name it has there, and what is said of it.
struct PaperUse {
  std::string_view paper;  ///< mask, pichai, power, regless, scavenger, virtual_caching or warppool
  std::string_view name;   ///< the paper's abbreviation, e.g. "BLK"
  std::vector<Trait> says;
};

/// A kernel of the PTX, and the number the papers give it, e.g. "atax_rows" and "ATAX-1".
struct KernelLabel {
  std::string_view kernel;
  std::string_view label;
};

/// A kind of input that a workload can run on, e.g. a graph of that shape.
struct InputKind {
  std::string_view name;
  std::string_view summary;  ///< what it is like, e.g. "edges between vertices drawn uniformly"
};

/// Everything about a workload that needs no run. Texts must be literals: they are kept as views.
struct Description {
  std::string_view name;
  std::string_view summary;  ///< one sentence: what it computes and how it behaves
  std::string_view suite;    ///< where the benchmark is from, e.g. "Rodinia"; "Heddle" for our own
  std::vector<PaperUse> papers;
  std::vector<KernelLabel> kernels;  ///< every kernel of the PTX, in the order of the papers' numbers
  std::string_view unit;             ///< what a size counts, e.g. "vertices" or "matrix rows"
  std::vector<SizePreset> sizes;
  std::vector<InputKind> inputs = {};  ///< the first is the default; empty: there is only one kind
  std::uint64_t least = 1;             ///< smallest explicit size
  std::uint64_t most = 1;              ///< largest explicit size
  std::string_view (*ptx)() = nullptr;
};

struct Request {
  std::uint64_t elements = 0;  ///< already resolved from a preset or an explicit number
  std::uint64_t seed = 1;
  std::string_view input = {};  ///< one of Description::inputs; empty: the first
};

struct Outcome {
  bool passed = false;
  std::string detail;  ///< one sentence: what was compared, and the first difference if any
};

class Workload {
 public:
  explicit Workload(Description description) : description_(std::move(description)) {}
  virtual ~Workload() = default;
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  [[nodiscard]] const Description& description() const { return description_; }
  [[nodiscard]] std::string_view name() const { return description_.name; }
  [[nodiscard]] const std::vector<SizePreset>& sizes() const { return description_.sizes; }
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> size_range() const {
    return {description_.least, description_.most};
  }
  /// The PTX of its kernels.
  [[nodiscard]] std::string_view ptx() const { return description_.ptx(); }
  /// The number the papers give a kernel; the kernel's own name where they give none.
  [[nodiscard]] std::string_view label(std::string_view kernel) const;

  /// The kind of input of that name, the first for an empty one. Throws UserError that lists those there are.
  [[nodiscard]] std::string_view input(std::string_view name) const;

  /// Checks size and input (UserError if there is no such), then runs it.
  [[nodiscard]] Outcome run(runtime::Device& device, const Request& request) const;

 protected:
  /// Generates inputs, launches, reads back and compares with a CPU reference. The size is in range, the input one of
  /// the description's.
  [[nodiscard]] virtual Outcome execute(runtime::Device& device, const Request& request) const = 0;
  /// The workload's PTX, loaded.
  [[nodiscard]] runtime::Module load(runtime::Device& device) const;

 private:
  Description description_;
};

/// All workloads, sorted by name.
[[nodiscard]] const std::vector<const Workload*>& all();
/// The workload of that name, or nullptr.
[[nodiscard]] const Workload* find(std::string_view name);
/// Registers a workload; a second one of the same name is a bug and stops the program.
bool register_workload(const Workload* workload);

}  // namespace heddle::workloads

// Each workload is in a namespace of its own, heddle::workloads::NAME, so that workloads can be compiled together; this
// stands at its end.
#define HEDDLE_WORKLOAD(Type)                                                                               \
  namespace {                                                                                               \
  const Type registered_workload;                                                                           \
  [[maybe_unused]] const bool is_registered = ::heddle::workloads::register_workload(&registered_workload); \
  }
