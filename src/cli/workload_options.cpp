#include "cli/workload_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/diagnostics.h"
#include "base/suggestion.h"
#include "cli/captured_program.h"
#include "workloads/mixes.h"

namespace heddle::cli {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// A path to a file, perhaps with arguments.
bool is_program(const std::string& line) {
  const std::string file = line.substr(0, line.find(' '));
  std::error_code unknown;
  return file.find('/') != std::string::npos && std::filesystem::is_regular_file(file, unknown);
}

/// With a name of its own: the second bfs is "bfs-2".
Application& add_application(std::vector<Application>& applications, const workloads::Workload& workload) {
  Application& added = applications.emplace_back();
  added.workload = &workload;
  const auto same = std::count_if(applications.begin(), applications.end(),
                                  [&](const Application& other) { return other.workload->name() == workload.name(); });
  added.name = same == 1 ? std::string(workload.name()) : fmt::format("{}-{}", workload.name(), same);
  return added;
}

/// The workloads of a mix.
std::vector<const workloads::Workload*> find_mix(const std::string& name) {
  std::vector<const workloads::Workload*> found;
  for (const workloads::Mix& mix : workloads::all_mixes()) {
    if (mix.name != name) continue;
    for (const std::string_view application : mix.applications) {
      found.push_back(workloads::find_by_paper_name(mix.paper, application));
      if (found.back() == nullptr)
        throw UserError(fmt::format("mix {}: its application {} is not bundled", name, application));
    }
    return found;
  }
  throw UserError(fmt::format("there is no mix '{}' (heddle list --mixes shows those there are)", name));
}

std::uint64_t parse_seed(const std::string& text, const std::string& application) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || end != text.data() + text.size())
    throw UserError(fmt::format("{}: the seed '{}' must be a whole number", application, text));
  return seed;
}

}  // namespace

const workloads::Workload& find_workload(const std::string& name) {
  if (const workloads::Workload* found = workloads::find(name)) return *found;
  std::vector<std::string> known;
  for (const workloads::Workload* w : workloads::all()) known.emplace_back(w->name());
  throw UserError(fmt::format("there is no workload '{}' ({})", name, known_names(name, known)));
}

std::uint64_t resolve_size(const workloads::Workload& workload, const std::string& text) {
  std::string known;
  for (const workloads::SizePreset& preset : workload.sizes()) {
    if (preset.name == text) return preset.elements;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", preset.name);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto [least, most] = workload.size_range();
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    throw UserError(fmt::format("size {} of {}: must be one of {} or a number of {} from {} to {}", text,
                                workload.name(), known, workload.description().unit, least, most));
  }
  return value;
}

std::vector<Application> parse_applications(const std::string& text, const std::string& default_size,
                                            std::uint64_t default_seed, const std::string& default_input) {
  std::vector<Application> applications;
  for (const std::string& one : split(text, '+')) {
    if (is_program(one)) {
      add_application(applications, CapturedProgram::of(one));
      applications.back().size = one;
      applications.back().input = {1, default_seed, {}};
      continue;
    }
    const std::vector<std::string> parts = split(one, ':');
    if (parts.size() > 4 || parts[0].empty()) {
      throw UserError(fmt::format(
          "'{}': an application is NAME, NAME:SIZE, NAME:SIZE:SEED or NAME:SIZE:SEED:INPUT; several are joined by '+'",
          one));
    }
    const bool is_mix = parts[0].find('/') != std::string::npos;
    for (const workloads::Workload* workload :
         is_mix ? find_mix(parts[0]) : std::vector<const workloads::Workload*>{&find_workload(parts[0])}) {
      Application& application = add_application(applications, *workload);
      application.size = parts.size() > 1 ? parts[1] : default_size;
      application.input.elements = resolve_size(*workload, application.size);
      application.input.seed = parts.size() > 2 ? parse_seed(parts[2], one) : default_seed;
      application.input.input = workload->input(parts.size() > 3 ? parts[3] : default_input);
    }
  }
  return applications;
}

}  // namespace heddle::cli
