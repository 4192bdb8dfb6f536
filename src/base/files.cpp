#include "base/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/diagnostics.h"

namespace heddle {

namespace {

constexpr std::size_t kLongest = std::size_t{1} << 30;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

/// Devices and pipes are written as they are; files are put in place when they are whole.
bool is_plain(const std::string& path) {
  struct stat about {};
  return stat(path.c_str(), &about) != 0 || S_ISREG(about.st_mode);
}

[[noreturn]] void cannot_write(std::string_view option, const std::string& path) {
  throw UserError(fmt::format("{} {}: cannot write: {}", option, path, std::strerror(errno)));
}

}  // namespace

std::string read_file(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) throw UserError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  std::string text;
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  while (true) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    const std::size_t got = std::fread(text.data() + before, 1, kPiece, file.get());
    text.resize(before + got);
    if (std::ferror(file.get()) != 0) throw UserError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
    if (got < kPiece) return text;
    if (text.size() >= kLongest) throw UserError(fmt::format("'{}': is longer than 1 GiB", path));
  }
}

void require_writable(std::string_view option, const std::string& path) {
  if (path.empty()) throw UserError(fmt::format("{}: a file name is missing", option));
  const bool there = access(path.c_str(), F_OK) == 0;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file < 0) cannot_write(option, path);
  close(file);
  if (!there) unlink(path.c_str());
}

void write_file(std::string_view option, const std::string& path, std::string_view text) {
  const bool plain = is_plain(path);
  const std::string target = plain ? fmt::format("{}.{}.part", path, getpid()) : path;
  File file(std::fopen(target.c_str(), "wb"));
  if (!file) cannot_write(option, path);
  const bool written = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size();
  if (!written || std::fflush(file.get()) != 0) {
    const int reason = errno;
    file.reset();
    if (plain) unlink(target.c_str());
    errno = reason;
    cannot_write(option, path);
  }
  file.reset();
  if (plain && std::rename(target.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    unlink(target.c_str());
    errno = reason;
    cannot_write(option, path);
  }
}

}  // namespace heddle
