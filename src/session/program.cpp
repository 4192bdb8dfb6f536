#include "session/program.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "base/files.h"
#include "session/records.h"

namespace heddle::session {
namespace {

/// Of the bytes of a file, which is read again only when it has changed: a sweep asks for each run.
std::string hash_of_file(const std::string& file) {
  namespace fs = std::filesystem;
  struct Known {
    std::uintmax_t bytes;
    fs::file_time_type written;
    std::string hash;
  };
  static std::map<std::string, Known> all;
  std::error_code unknown;
  const std::uintmax_t bytes = fs::file_size(file, unknown);
  const fs::file_time_type written = fs::last_write_time(file, unknown);
  const auto found = all.find(file);
  if (found != all.end() && found->second.bytes == bytes && found->second.written == written) return found->second.hash;
  std::string hash = results::hash(read_file(file));
  all[file] = {bytes, written, hash};
  return hash;
}

}  // namespace

std::vector<std::string> split_words(const std::string& line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  const auto add = [&](char c) {
    if (!in_word) words.emplace_back();
    in_word = true;
    words.back() += c;
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote != 0) {
      const bool escapes = quote == '"' && c == '\\' && i + 1 < line.size();
      if (c == quote) {
        quote = 0;
      } else {
        add(escapes ? line[++i] : c);
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      if (!in_word) words.emplace_back();  // "" is a word
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      in_word = false;
    } else {
      add(c == '\\' && i + 1 < line.size() ? line[++i] : c);
    }
  }
  if (quote != 0) throw UserError(fmt::format("'{}': a quote {} is not closed", line, quote));
  return words;
}

std::string join_words(std::span<const std::string> words) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%^";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '"';
    for (const char c : word) {
      if (c == '"' || c == '\\') line += '\\';
      line += c;
    }
    line += '"';
  }
  return line;
}

results::RunDescription describe_program(const std::string& file, const std::string& path,
                                         std::span<const std::string> arguments, const std::vector<std::string>& reads,
                                         const MachineOptions& machine, const runtime::Phases& phases,
                                         const gpu::GpuParameters* gpu) {
  results::RunDescription run;
  run.workload = std::filesystem::path(path).filename().string();
  run.size = join_words(arguments);
  run.program = fmt::format("program {}\n{}", hash_of_file(file), run.size);
  for (const std::string& read : reads) run.program += fmt::format("\nreads {}", hash_of_file(read));
  run.path = path;
  run.reads = reads;
  describe_machine(machine, phases, gpu, run);
  return run;
}

}  // namespace heddle::session
