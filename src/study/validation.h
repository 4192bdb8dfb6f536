// What a real GPU did with kernels (validation/GPU/*.csv), beside what was simulated of the same kernels.
//
// A data file is a table with a header line; lines that begin with '#' say how it was recorded. Programs are split into
// two halves by their names alone: one may be looked at while the simulator is fitted, the other is the test.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::study {

/// What is counted of a launch, on hardware and here.
struct KernelFigures {
  double cycles = 0;
  double instructions = 0;  ///< of warps
  double l2_sectors = 0;    ///< of 32 bytes, between SMs and the L2
  double dram_bytes = 0;
};

struct MeasuredKernel {
  enum class Kind : std::uint8_t { workload, program };
  Kind kind = Kind::workload;
  std::string program;       ///< a bundled workload, or the file name of a compiled CUDA program
  std::string size;          ///< of a workload
  std::uint64_t launch = 0;  ///< counted in the program from 0
  std::string kernel;
  std::uint64_t blocks = 0;
  std::uint64_t threads = 0;  ///< of a block
  std::uint64_t registers = 0;
  KernelFigures figures;
};

struct ValidatedKernel {
  MeasuredKernel measured;
  KernelFigures simulated;
  /// Simulated cycles over measured ones.
  [[nodiscard]] double ratio() const { return simulated.cycles / measured.figures.cycles; }
  [[nodiscard]] double error() const;
};

/// Of a set of kernels.
struct Accuracy {
  std::size_t kernels = 0;
  double mean_error = 0;    ///< of cycles, relative to those measured
  double median_error = 0;  ///< likewise
  double correlation = 0;   ///< of the logarithms of cycles
  std::size_t close = 0;    ///< within 15 %
  std::size_t far = 0;      ///< off by more than a factor of two
  double instructions = 0;  ///< simulated over measured, the geometric mean
};

/// Throws UserError that names the line and what is allowed there.
[[nodiscard]] std::vector<MeasuredKernel> parse_measurements(const std::string& text, const std::string& name);
/// All data files of a folder. Throws UserError.
[[nodiscard]] std::vector<MeasuredKernel> read_measurements(const std::string& folder);

/// Whether the program belongs to the half that the simulator may be fitted to. Depends on nothing but the name.
[[nodiscard]] bool for_fitting(std::string_view program);

[[nodiscard]] Accuracy accuracy(std::span<const ValidatedKernel> kernels);

}  // namespace heddle::study
