#include "session/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/files.h"
#include "base/kernel_name.h"
#include "gpu/gpu.h"
#include "results/profile_section.h"
#include "session/machine.h"
#include "session/summary.h"

#include <CLI/CLI.hpp>

namespace heddle::session {
namespace {

using core::InstructionProfile;
using core::Slot;

struct Reason {
  Slot slot;
  const char* name;
  const char* heading;
};

/// What results::kSlotReasons names, in its order.
constexpr std::array<Slot, results::kSlotReasons.size()> kSlotsInOrder{
    Slot::issued,    Slot::memory_data,  Slot::result, Slot::barrier,  Slot::fetch,  Slot::memory_queue,
    Slot::pipe_busy, Slot::memory_order, Slot::policy, Slot::operands, Slot::no_warp};
static_assert(kSlotsInOrder.size() == core::kSlots);

std::vector<Reason> all_reasons() {
  std::vector<Reason> all;
  for (std::size_t i = 0; i < kSlotsInOrder.size(); ++i)
    all.push_back({kSlotsInOrder.at(i), results::kSlotReasons.at(i).name, results::kSlotReasons.at(i).heading});
  return all;
}
const std::vector<Reason> kReasons = all_reasons();

std::uint64_t slots_of(const InstructionProfile& counts, Slot slot) {
  return counts.slots[static_cast<std::size_t>(slot)];
}

/// Lines of source files, read once.
class Sources {
 public:
  std::string line(const std::string& file, std::uint32_t number) {
    auto found = files_.find(file);
    if (found == files_.end()) found = files_.emplace(file, read(file)).first;
    return number >= 1 && number <= found->second.size() ? found->second[number - 1] : "";
  }

 private:
  /// Where the compiler said it is, or in the tree of Heddle's own workloads.
  static std::vector<std::string> read(const std::string& file) {
    namespace fs = std::filesystem;
    std::vector<fs::path> places{file};
    if (fs::path(file).is_relative()) places.push_back(fs::path(preset_folder()).parent_path() / file);
    for (const fs::path& place : places) {
      std::error_code ignored;
      if (fs::is_regular_file(place, ignored)) return runtime::split_lines(read_file(place.string()));
    }
    return {};
  }

  std::map<std::string, std::vector<std::string>> files_;
};

/// A row's place, and what is shown if the line of the source is not at hand.
struct Grouped {
  ProfileRow row;
  std::uint64_t dearest = 0;
};

void add(Grouped& group, const InstructionProfile& counts, const runtime::CodePlace& place) {
  group.row.counts.add(counts);
  if (counts.all_slots() < group.dearest || !group.row.text.empty()) return;
  group.dearest = counts.all_slots();
  group.row.text = place.ptx.empty() ? place.instruction : place.ptx;
}

std::string short_text(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fmt::format("{:.1f}", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string per(std::uint64_t part, std::uint64_t whole, int digits) {
  return whole == 0 ? "-" : fmt::format("{:.{}f}", static_cast<double>(part) / static_cast<double>(whole), digits);
}

/// What a person reads of a row: share of all slots by reason, then memory.
std::vector<std::string> cells(const ProfileRow& row, const std::vector<Reason>& reasons, std::uint64_t all) {
  const InstructionProfile& c = row.counts;
  std::vector<std::string> out{percent(c.all_slots(), all)};
  for (const Reason& reason : reasons) out.push_back(percent(slots_of(c, reason.slot), all));
  out.insert(out.end(),
             {grouped(c.executions), per(c.lines, c.accesses, 1), per(c.pages, c.accesses, 1),
              percent(c.l1_hits, c.l1_reads), percent(c.tlb_hits, c.tlb_lookups), per(c.load_latency, c.loads, 0)});
  return out;
}

std::string for_people(const std::vector<ProfileRow>& rows, unsigned top, bool several_kernels) {
  InstructionProfile sum;
  for (const ProfileRow& row : rows) sum.add(row.counts);
  const std::uint64_t all = sum.all_slots();
  std::vector<Reason> reasons;
  for (const Reason& reason : kReasons) {
    if (slots_of(sum, reason.slot) != 0) reasons.push_back(reason);
  }
  std::vector<std::string> headings{"share"};
  for (const Reason& reason : reasons) headings.emplace_back(reason.heading);
  headings.insert(headings.end(), {"executed", "lines", "pages", "L1 %", "TLB %", "latency"});
  std::vector<std::vector<std::string>> table;
  std::size_t shown = 0;
  ProfileRow rest;
  rest.text = "the others";
  for (const ProfileRow& row : rows) {
    const bool is_last = &row == &rows.back();
    if (!is_last && top != 0 && shown == top) {
      rest.counts.add(row.counts);
      continue;
    }
    if (is_last && rest.counts.executions + rest.counts.all_slots() != 0) {
      table.push_back(cells(rest, reasons, all));
      table.back().push_back("the others");
    }
    if (is_last && row.counts.all_slots() == 0) continue;
    table.push_back(cells(row, reasons, all));
    std::string place = is_last ? "no warp to issue from" : row.place();
    if (several_kernels && !row.file.empty()) place = fmt::format("{} in {}", place, short_text(row.kernel, 30));
    if (!row.text.empty() && !is_last) place += "  " + short_text(row.text, 60);
    table.back().push_back(place);
    ++shown;
  }
  std::vector<std::size_t> widths;
  widths.reserve(headings.size());
  for (const std::string& heading : headings) widths.push_back(heading.size());
  for (const auto& row : table) {
    for (std::size_t c = 0; c < widths.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  const auto print = [&](const std::vector<std::string>& row, const std::string& last) {
    std::string line = " ";
    for (std::size_t c = 0; c < widths.size(); ++c) line += fmt::format(" {:>{}}", row[c], widths[c]);
    return line + "  " + last + "\n";
  };
  std::string text = fmt::format(
      "  issue slots of busy SMs: {}, {} % issued an instruction; the columns from 'issue' on are percent of all\n",
      grouped(all), percent(slots_of(sum, Slot::issued), all));
  text += print(headings, "where");
  for (const auto& row : table) text += print(row, row.back());
  return text;
}

results::Report html_report(const std::vector<ProfileRow>& rows, const std::string& title) {
  results::Report report("Profile of " + title,
                         "What each line cost: issue slots that it took, or that were lost "
                         "while a warp waited with it or for it.");
  add_profile(report, line_records(rows));
  return report;
}

}  // namespace

std::string ProfileRow::place() const { return results::LineRecord{kernel, file, line, "", {}}.place(); }

void add_profile_options(CLI::App& command, ProfileOptions& options, CLI::Option* flag) {
  const auto belongs = [flag](CLI::Option* option) {
    option->group("Profile");
    if (flag != nullptr) option->needs(flag);
    return option;
  };
  belongs(
      command
          .add_option("--by", options.by, "What a row is: line (of the source, or of the PTX), ptx (line) or kernel")
          ->check(CLI::IsMember({"line", "ptx", "kernel"}))
          ->capture_default_str());
  belongs(command.add_option("--top", options.top, "Rows to print, the dearest; 0: all")->capture_default_str());
  auto* csv = belongs(command.add_flag("--csv", options.csv, "Every row and count of the profile as CSV"));
  belongs(command.add_flag("--json", options.json, "Every row and count of the profile as JSON")->excludes(csv));
  belongs(command.add_option("--output", options.output, "Write the profile to this file"));
  belongs(command.add_option("--report", options.report, "Write the profile as an HTML report, too"));
}

void add_profile_flag(CLI::App& command, ProfileOptions& options) {
  auto* flag =
      command.add_flag("--profile", options.on, "Say at the end what each line of the program cost; kept with the run");
  add_profile_options(command, options, flag->group("Profile"));
}

std::string write_profile_options(const ProfileOptions& options) {
  if (!options.on) return "";
  std::string text = fmt::format("--profile\n--by={}\n--top={}\n", options.by, options.top);
  if (options.csv) text += "--csv\n";
  if (options.json) text += "--json\n";
  if (!options.output.empty()) text += fmt::format("--output={}\n", options.output);
  if (!options.report.empty()) text += fmt::format("--report={}\n", options.report);
  return text;
}

void prepare_profile(ProfileOptions& options) {
  const auto prepare = [](const char* option, std::string& file) {
    if (file.empty()) return;
    require_writable(option, file);
    file = std::filesystem::absolute(file).string();
  };
  prepare("--output", options.output);
  prepare("--report", options.report);
}

std::vector<ProfileRow> profile_rows(const std::vector<const runtime::Device*>& devices, const std::string& by) {
  if (devices[0]->gpu() == nullptr) return {};
  const core::Profile profile = devices[0]->gpu()->profile();
  std::map<std::tuple<std::string, std::string, std::uint32_t>, Grouped> groups;
  Sources sources;
  constexpr unsigned kApplicationShift = 32;
  for (const auto& [key, instructions] : profile.kernels) {
    const auto& [code_id, name] = key;
    const runtime::Device& device = *devices.at(code_id >> kApplicationShift);
    const std::string kernel = kernel_name(name);
    for (const auto& [pc, counts] : instructions) {
      const runtime::CodePlace place = device.place(code_id, pc);
      ProfileRow row;
      row.kernel = kernel;
      const bool has_source = by == "line" && place.source_line != 0;
      if (by != "kernel") row.file = has_source ? place.source_file : place.module;
      if (by != "kernel") row.line = has_source ? place.source_line : place.ptx_line;
      if (has_source) row.text = sources.line(row.file, row.line);
      Grouped& group = groups.try_emplace({row.kernel, row.file, row.line}, Grouped{row, 0}).first->second;
      if (by == "kernel") {
        group.row.counts.add(counts);
      } else {
        add(group, counts, place);
      }
    }
  }
  std::vector<ProfileRow> rows;
  rows.reserve(groups.size());
  for (auto& [key, group] : groups) rows.push_back(std::move(group.row));
  std::stable_sort(rows.begin(), rows.end(), [](const ProfileRow& a, const ProfileRow& b) {
    return a.counts.all_slots() > b.counts.all_slots();
  });
  ProfileRow nobody;
  nobody.counts.slots = profile.unplaced;
  rows.push_back(std::move(nobody));
  return rows;
}

namespace {

/// Everything that is counted, by name, in the order of tables.
std::vector<std::pair<const char*, std::uint64_t>> counts_of(const InstructionProfile& c) {
  std::vector<std::pair<const char*, std::uint64_t>> all{{"slots", c.all_slots()}};
  for (const Reason& reason : kReasons) all.emplace_back(reason.name, slots_of(c, reason.slot));
  all.insert(all.end(), {{"executions", c.executions},
                         {"threads", c.threads},
                         {"accesses", c.accesses},
                         {"lines", c.lines},
                         {"pages", c.pages},
                         {"l1_reads", c.l1_reads},
                         {"l1_hits", c.l1_hits},
                         {"tlb_lookups", c.tlb_lookups},
                         {"tlb_hits", c.tlb_hits},
                         {"loads", c.loads},
                         {"load_latency", c.load_latency},
                         {"shared_conflicts", c.shared_conflicts}});
  return all;
}

}  // namespace

results::Table profile_table(const std::vector<ProfileRow>& rows) {
  results::Table table;
  table.columns = {"kernel", "file", "line", "text"};
  for (const auto& [name, value] : counts_of({})) table.columns.emplace_back(name);
  for (const ProfileRow& row : rows) {
    std::vector<results::Value> values{row.kernel, row.file, static_cast<std::int64_t>(row.line), row.text};
    for (const auto& [name, value] : counts_of(row.counts)) values.emplace_back(static_cast<std::int64_t>(value));
    table.rows.push_back(std::move(values));
  }
  return table;
}

std::vector<results::LineRecord> line_records(const std::vector<ProfileRow>& rows) {
  std::vector<results::LineRecord> records;
  for (const ProfileRow& row : rows) {
    results::LineRecord& record =
        records.emplace_back(results::LineRecord{row.kernel, row.file, row.line, row.text, {}});
    for (const auto& [name, value] : counts_of(row.counts)) {
      if (value != 0) record.counts[name] = value;
    }
  }
  return records;
}

void write_profile(const std::vector<ProfileRow>& rows, const ProfileOptions& options, const std::string& title,
                   std::FILE* out) {
  if (rows.empty()) return;
  const bool several = std::any_of(rows.begin(), rows.end(), [&](const ProfileRow& row) {
    return !row.kernel.empty() && row.kernel != rows.front().kernel;
  });
  const std::string text = options.csv    ? results::to_csv(profile_table(rows))
                           : options.json ? results::to_json(profile_table(rows))
                                          : for_people(rows, options.top, several);
  if (options.output.empty()) {
    fmt::print(out, "{}", text);
  } else {
    write_file("--output", options.output, text);
  }
  if (!options.report.empty()) write_file("--report", options.report, html_report(rows, title).html());
}

}  // namespace heddle::session
