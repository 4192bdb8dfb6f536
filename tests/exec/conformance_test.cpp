// Every kernel of the conformance set, executed by find_alu's functions, against what the GPU recorded.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "ptx_line.h"

namespace heddle::test {
namespace {

using isa::Type;

struct Kernel {
  std::string group, name, tolerance, ptx;
  std::vector<Type> inputs;
  Type output = Type::none;
};
struct Vector {
  std::array<std::uint64_t, 3> in;
  std::uint64_t out;
};

/// The edge cases have a folder of their own.
std::string folder_of(const std::string& group) {
  return std::string(HEDDLE_CONFORMANCE) + (group == "edges" ? "/edges" : "");
}

std::vector<Kernel> read_manifest(const std::string& group) {
  std::ifstream file(folder_of(group) + "/manifest.csv");
  std::vector<Kernel> kernels;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::stringstream fields(line);
    Kernel kernel;
    std::string inputs, output;
    std::getline(fields, kernel.group, ',');
    std::getline(fields, kernel.name, ',');
    std::getline(fields, inputs, ',');
    std::getline(fields, output, ',');
    std::getline(fields, kernel.tolerance, ',');
    std::getline(fields, kernel.ptx);
    kernel.ptx = kernel.ptx.substr(1, kernel.ptx.rfind('"') - 1);
    std::stringstream types(inputs);
    for (std::string type; types >> type;) {
      kernel.inputs.push_back(type_named(type));
    }
    kernel.output = type_named(output);
    kernels.push_back(kernel);
  }
  return kernels;
}

std::map<std::string, std::vector<Vector>> read_golden(const std::string& group) {
  std::ifstream file(folder_of(group) + "/" + group + ".golden");
  std::map<std::string, std::vector<Vector>> golden;
  std::string name;
  Vector v{};
  while (file >> name >> std::hex >> v.in[0] >> v.in[1] >> v.in[2] >> v.out) {
    golden[name].push_back(v);
  }
  return golden;
}

double value_of(std::uint64_t bits, Type type) {
  if (type == Type::f64) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  if (type == Type::f16) {
    const int exponent = static_cast<int>((bits >> 10) & 31);
    const double mantissa = static_cast<double>(bits & 1023);
    const double magnitude = exponent == 31  ? (mantissa != 0 ? NAN : INFINITY)
                             : exponent == 0 ? std::ldexp(mantissa, -24)
                                             : std::ldexp(mantissa + 1024, exponent - 25);
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
  }
  const auto word = static_cast<std::uint32_t>(type == Type::bf16 ? bits << 16 : bits);
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

/// The error that the PTX manual allows between the exact result and the machine's, doubled: both may be off.
bool within_bound(const Kernel& kernel, double x, double recorded, double computed) {
  const double difference = std::fabs(recorded - computed);
  const double relative = difference / std::fabs(recorded);
  const auto is = [&kernel](const char* op) { return kernel.name.rfind(op, 0) == 0; };
  const double least = kernel.output == Type::f32 ? 0x1p-149 : kernel.output == Type::f16 ? 0x1p-24 : 0x1p-1074;
  if (kernel.tolerance == "approx20") {
    return relative <= 0x1p-19;
  }
  if (is("sin") || is("cos")) {
    return difference <= 2 * std::exp2(-20.5);
  }
  if (is("lg2")) {
    return x > 0.5 && x < 2.0 ? difference <= 2 * 0x1p-22 : relative <= 2 * 0x1p-22;
  }
  if (is("tanh")) {
    return relative <= 2 * std::exp2(kernel.output == Type::bf16 ? -8 : -10.987) || difference <= 2 * 0x1p-11;
  }
  if (is("ex2") && kernel.output != Type::f32) {
    return relative <= 2 * std::exp2(kernel.output == Type::f16 ? -9.9 : -7) || difference <= 2 * least;
  }
  return relative <= 2 * 0x1p-22 || difference <= 2 * least;  // ex2, rcp, sqrt, rsqrt, and quotients within 2 ulp
}

bool agrees(const Kernel& kernel, const Vector& vector, std::uint64_t computed) {
  if (computed == vector.out) {
    return true;
  }
  if (kernel.tolerance == "exact") {
    return false;
  }
  const double recorded = value_of(vector.out, kernel.output);
  const double value = value_of(computed, kernel.output);
  const double x = value_of(vector.in[0], kernel.inputs[0]);
  if (std::isnan(recorded) || std::isinf(recorded) || recorded == 0.0 ||
      std::signbit(recorded) != std::signbit(value)) {
    return false;
  }
  return within_bound(kernel, x, recorded, value);
}

std::string hex(std::uint64_t value) {
  std::stringstream text;
  text << std::hex << value;
  return text.str();
}

/// Runs a kernel's vectors, a warp at a time; says how many differ and shows the first few.
std::string mismatches(const Kernel& kernel, const std::vector<Vector>& vectors) {
  std::string report;
  unsigned count = 0;
  for (std::size_t first = 0; first < vectors.size(); first += kWarpSize) {
    PtxWarp warp;
    const char* names[] = {"a", "b", "c"};
    for (std::size_t input = 0; input < kernel.inputs.size(); ++input) {
      PtxWarp::Row row;
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        row[lane] = vectors[first + lane].in[input];
      }
      warp.declare(names[input], kernel.inputs[input]);
      warp.set(names[input], row);
    }
    warp.declare("d", kernel.output);
    warp.execute(kernel.ptx);
    const PtxWarp::Row result = warp.get("d");
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const Vector& vector = vectors[first + lane];
      if (!agrees(kernel, vector, result[lane]) && ++count <= 4) {
        report += "  " + hex(vector.in[0]) + " " + hex(vector.in[1]) + " " + hex(vector.in[2]) + ": recorded " +
                  hex(vector.out) + ", computed " + hex(result[lane]) + "\n";
      }
    }
  }
  return count == 0 ? "" : std::to_string(count) + " differ\n" + report;
}

class Conformance : public testing::TestWithParam<const char*> {};

TEST_P(Conformance, EveryKernelOfTheGroupComputesWhatTheGpuRecorded) {
  const auto golden = read_golden(GetParam());
  unsigned kernels = 0;
  unsigned passing = 0;
  for (const Kernel& kernel : read_manifest(GetParam())) {
    if (kernel.group != GetParam()) {
      continue;
    }
    ++kernels;
    const std::vector<Vector>& vectors = golden.at(kernel.name);
    ASSERT_EQ(vectors.size() % kWarpSize, 0u) << kernel.name;
    ASSERT_GE(vectors.size(), 64u) << kernel.name;
    std::string report;
    try {
      report = mismatches(kernel, vectors);
    } catch (const std::runtime_error& error) {
      report = std::string(error.what()) + "\n";
    }
    EXPECT_EQ(report, "") << kernel.name << ": " << kernel.ptx;
    passing += report.empty() ? 1 : 0;
  }
  EXPECT_GT(kernels, 0u);
  RecordProperty("kernels", static_cast<int>(kernels));
  RecordProperty("passing", static_cast<int>(passing));
}

INSTANTIATE_TEST_SUITE_P(Groups, Conformance,
                         testing::Values("int_arith", "bits", "f32", "f64", "f16", "compare", "convert", "warp",
                                         "atomic", "edges"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace heddle::test
