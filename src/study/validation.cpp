#include "study/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "base/diagnostics.h"
#include "base/files.h"

namespace heddle::study {
namespace {

namespace fs = std::filesystem;

constexpr std::array kColumns{"kind",    "program", "size",         "launch",     "kernel",     "blocks",
                              "threads", "cycles",  "instructions", "l2_sectors", "dram_bytes", "registers"};

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == ',') {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

/// A line of a data file, whose fields are taken one after the other.
class Line {
 public:
  Line(const std::string& place, const std::string& text) : place_(place), fields_(fields_of(text)) {
    if (fields_.size() != kColumns.size())
      throw UserError(fmt::format("{}: {} fields, and there must be {}: {}", place, fields_.size(), kColumns.size(),
                                  fmt::join(kColumns, ",")));
  }
  [[nodiscard]] const std::string& text() { return fields_[next_++]; }
  [[nodiscard]] std::uint64_t number() {
    const std::string& field = text();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size())
      throw UserError(fmt::format("{}: {} is '{}', and must be a whole number", place_, kColumns[next_ - 1], field));
    return value;
  }
  [[nodiscard]] MeasuredKernel::Kind kind() {
    const std::string& field = text();
    if (field == "workload") return MeasuredKernel::Kind::workload;
    if (field == "program") return MeasuredKernel::Kind::program;
    throw UserError(fmt::format("{}: kind is '{}', and must be workload or program", place_, field));
  }

 private:
  std::string place_;
  std::vector<std::string> fields_;
  std::size_t next_ = 0;
};

MeasuredKernel kernel_of(Line line, const std::string& place) {
  MeasuredKernel kernel;
  kernel.kind = line.kind();
  kernel.program = line.text();
  kernel.size = line.text();
  kernel.launch = line.number();
  kernel.kernel = line.text();
  kernel.blocks = line.number();
  kernel.threads = line.number();
  kernel.figures.cycles = static_cast<double>(line.number());
  kernel.figures.instructions = static_cast<double>(line.number());
  kernel.figures.l2_sectors = static_cast<double>(line.number());
  kernel.figures.dram_bytes = static_cast<double>(line.number());
  kernel.registers = line.number();
  if (kernel.figures.cycles == 0) throw UserError(fmt::format("{}: cycles is 0, and must be at least 1", place));
  return kernel;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

double correlation(std::span<const ValidatedKernel> kernels) {
  const auto count = static_cast<double>(kernels.size());
  double x = 0;
  double y = 0;
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (const ValidatedKernel& kernel : kernels) {
    const double a = std::log(kernel.measured.figures.cycles);
    const double b = std::log(kernel.simulated.cycles);
    x += a;
    y += b;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  const double spread = std::sqrt((count * xx - x * x) * (count * yy - y * y));
  return spread > 0 ? (count * xy - x * y) / spread : 0;
}

}  // namespace

double ValidatedKernel::error() const { return std::abs(ratio() - 1); }

std::vector<MeasuredKernel> parse_measurements(const std::string& text, const std::string& name) {
  std::vector<MeasuredKernel> kernels;
  std::istringstream in(text);
  bool has_header = false;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const std::string place = fmt::format("{}:{}", name, number);
    if (has_header) {
      kernels.push_back(kernel_of(Line(place, line), place));
    } else if (const std::string wanted = fmt::format("{}", fmt::join(kColumns, ",")); line == wanted) {
      has_header = true;
    } else {
      throw UserError(fmt::format("{}: the first line must name the columns: {}", place, wanted));
    }
  }
  return kernels;
}

std::vector<MeasuredKernel> read_measurements(const std::string& folder) {
  std::vector<fs::path> files;
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing)) {
    if (entry.path().extension() == ".csv" && entry.path().stem() != "micro") files.push_back(entry.path());
  }
  if (missing) throw UserError(fmt::format("cannot read the folder '{}': {}", folder, missing.message()));
  std::sort(files.begin(), files.end());
  std::vector<MeasuredKernel> kernels;
  for (const fs::path& file : files) {
    std::vector<MeasuredKernel> more = parse_measurements(read_file(file.string()), file.string());
    std::move(more.begin(), more.end(), std::back_inserter(kernels));
  }
  if (kernels.empty()) throw UserError(fmt::format("there are no measured kernels (*.csv) in '{}'", folder));
  return kernels;
}

bool for_fitting(std::string_view program) {
  // FNV-1a with 32 bits; the halves are its highest bit.
  std::uint32_t hash = 2166136261u;
  for (const char c : program) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash >> 31 == 0;
}

Accuracy accuracy(std::span<const ValidatedKernel> kernels) {
  Accuracy result;
  result.kernels = kernels.size();
  if (kernels.empty()) return result;
  std::vector<double> errors;
  double instructions = 0;
  for (const ValidatedKernel& kernel : kernels) {
    errors.push_back(kernel.error());
    result.mean_error += kernel.error();
    if (kernel.error() <= 0.15) ++result.close;
    if (kernel.ratio() > 2 || kernel.ratio() < 0.5) ++result.far;
    instructions += std::log(kernel.simulated.instructions / kernel.measured.figures.instructions);
  }
  result.mean_error /= static_cast<double>(kernels.size());
  result.median_error = median(errors);
  result.correlation = correlation(kernels);
  result.instructions = std::exp(instructions / static_cast<double>(kernels.size()));
  return result;
}

}  // namespace heddle::study
