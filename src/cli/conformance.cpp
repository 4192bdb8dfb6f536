#include "cli/conformance.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <map>
#include <sstream>

#include "base/files.h"
#include "cli/commands.h"
#include "exec/alu/half.h"
#include "runtime/device.h"

namespace heddle::cli {
namespace {

constexpr std::uint32_t kBlock = 64;

struct Row {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
  std::uint64_t expected = 0;
};

struct ManifestEntry {
  std::string group;
  std::string kernel;
  std::string inputs;
  std::string output;
  std::string tolerance;
  std::string ptx;
};

/// Splits a line of comma-separated fields, of which any may be quoted.
std::vector<std::string> split_csv(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

std::vector<ManifestEntry> read_manifest(const std::string& path) {
  std::istringstream in(read_file(path));
  std::vector<ManifestEntry> entries;
  std::string line;
  std::getline(in, line);
  for (std::size_t number = 2; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    const std::vector<std::string> fields = split_csv(line);
    if (fields.size() != 6)
      throw UserError(fmt::format("{}:{}: expected 6 fields (group,kernel,inputs,output,tolerance,ptx), found {}", path,
                                  number, fields.size()));
    entries.push_back({fields[0], fields[1], fields[2], fields[3], fields[4], fields[5]});
  }
  return entries;
}

std::map<std::string, std::vector<Row>> read_golden(const std::string& path) {
  std::istringstream in(read_file(path));
  std::map<std::string, std::vector<Row>> rows;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    std::string kernel;
    Row row;
    if (!(fields >> kernel >> std::hex >> row.a >> row.b >> row.c >> row.expected)) {
      throw UserError(fmt::format("{}:{}: expected 'kernel a b c d' in hex", path, number));
    }
    rows[kernel].push_back(row);
  }
  return rows;
}

double value_of(std::uint64_t bits, const std::string& type) {
  if (type == "f64") return std::bit_cast<double>(bits);
  if (type == "f32") return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return static_cast<double>(exec::widen(exec::Half{static_cast<std::uint16_t>(bits)}));
}

/// The error that the PTX manual states for an approximate instruction. Both the recorded result and ours may be off
/// by that much, so they may differ by twice as much.
bool within_bound(double got, double expected, double input, const std::string& ptx) {
  const double difference = std::abs(got - expected);
  const double relative = difference / std::abs(expected);
  const auto is = [&](const char* opcode) { return ptx.starts_with(opcode); };
  if (is("sin.") || is("cos.")) return difference <= 2 * std::exp2(-20.5);
  if (is("lg2.")) return input > 0.5 && input < 2 ? difference <= 2 * 0x1p-22 : relative <= 2 * 0x1p-22;
  if (is("tanh.approx.f16")) return difference <= 2 * std::exp2(-10.987);
  if (is("tanh.")) return relative <= 2 * 0x1p-11;
  if (is("ex2.approx.f16")) return relative <= 2 * std::exp2(-9.9) || difference <= 2 * 0x1p-24;
  if (is("rcp.approx.ftz.f64") || is("rsqrt.approx.f64")) return relative <= 2 * 0x1p-20;
  // rcp, sqrt, rsqrt, ex2: 2^-22 at most; results that are subnormal differ by units of the smallest.
  return relative <= 2 * 0x1p-22 || difference <= 2 * 0x1p-149;
}

bool conforms_to_row(std::uint64_t got, const Row& row, const ManifestEntry& entry) {
  if (got == row.expected) return true;
  if (entry.tolerance == "exact") return false;
  const double a = value_of(got, entry.output);
  const double b = value_of(row.expected, entry.output);
  if (std::isnan(b)) return std::isnan(a);
  if (b == 0 || std::isinf(b) || std::isnan(a) || std::isinf(a) || std::signbit(a) != std::signbit(b)) return false;
  if (entry.tolerance == "ulp2") {
    const auto distance = static_cast<std::int64_t>(got) - static_cast<std::int64_t>(row.expected);
    return distance >= -2 && distance <= 2;
  }
  return within_bound(a, b, value_of(row.a, entry.output), entry.ptx);
}

}  // namespace

ConformanceResult run_conformance(const std::string& folder) {
  ConformanceResult result;
  struct Group {
    std::unique_ptr<runtime::Device> device;
    runtime::Module module;
    std::map<std::string, std::vector<Row>> rows;
  };
  std::map<std::string, Group> groups;
  for (const ManifestEntry& entry : read_manifest(folder + "/manifest.csv")) {
    const auto fail = [&](std::string reason) {
      result.failures.push_back({entry.group, entry.kernel, std::move(reason)});
    };
    if (!groups.contains(entry.group)) {
      Group group;
      const std::string path = folder + "/" + entry.group;
      group.device = std::make_unique<runtime::Device>();
      group.module = group.device->load(read_file(path + ".ptx"), entry.group + ".ptx");
      group.rows = read_golden(path + ".golden");
      groups.emplace(entry.group, std::move(group));
    }
    Group& group = groups.at(entry.group);
    const std::vector<Row>& rows = group.rows[entry.kernel];
    if (rows.empty()) {
      fail("the golden file has no rows for it");
      continue;
    }
    std::vector<std::uint64_t> a;
    std::vector<std::uint64_t> b;
    std::vector<std::uint64_t> c;
    for (const Row& row : rows) {
      a.push_back(row.a);
      b.push_back(row.b);
      c.push_back(row.c);
    }
    try {
      runtime::Device& device = *group.device;
      const runtime::DeviceArray<std::uint64_t> da(device, a);
      const runtime::DeviceArray<std::uint64_t> db(device, b);
      const runtime::DeviceArray<std::uint64_t> dc(device, c);
      runtime::DeviceArray<std::uint64_t> dd(device, rows.size());
      dd.fill(0);
      const auto count = static_cast<std::uint32_t>(rows.size());
      device.launch(group.module.kernel(entry.kernel), {(count + kBlock - 1) / kBlock, 1, 1}, {kBlock, 1, 1}, 0,
                    da.address(), db.address(), dc.address(), dd.address(), count);
      const std::vector<std::uint64_t> got = dd.download();
      std::size_t wrong = 0;
      std::string first;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        if (conforms_to_row(got[r], rows[r], entry)) continue;
        if (wrong++ == 0)
          first = fmt::format("row {}: a={:x} b={:x} c={:x}: expected {:x}, got {:x}", r, rows[r].a, rows[r].b,
                              rows[r].c, rows[r].expected, got[r]);
      }
      if (wrong == 0) {
        ++result.passed;
      } else {
        fail(fmt::format("{} of {} rows differ; {} ({}, {})", wrong, rows.size(), first, entry.tolerance, entry.ptx));
      }
    } catch (const std::runtime_error& error) {
      fail(error.what());
    }
  }
  return result;
}

}  // namespace heddle::cli
