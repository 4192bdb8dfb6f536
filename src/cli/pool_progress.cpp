#include "cli/pool_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace heddle::cli {

using std::chrono::steady_clock;

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds);
  if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
  if (whole >= 60) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} s", whole);
}

PoolProgress::PoolProgress(std::string title, std::size_t todo, std::size_t kept, bool quiet)
    : title_(std::move(title)),
      todo_(todo),
      kept_(kept),
      quiet_(quiet),
      is_terminal_(isatty(STDERR_FILENO) == 1),
      begin_(steady_clock::now()),
      last_(begin_) {}

PoolProgress::~PoolProgress() {
  if (shown_ && is_terminal_) fmt::print(stderr, "\r\x1b[K");
}

void PoolProgress::show(std::size_t passed, std::size_t running, std::size_t failed) {
  if (quiet_) return;
  const auto now = steady_clock::now();
  const auto interval = is_terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(30);
  if (now - last_ < interval) return;
  last_ = now;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const auto ended = static_cast<double>(passed + failed);
  std::string text =
      fmt::format("{}: {} of {} done, {} running, {} failed", title_, kept_ + passed, kept_ + todo_, running, failed);
  if (ended > 0) {
    const double rate = ended / seconds;
    text += fmt::format(", {:.3g} per second, {} left", rate,
                        duration_text(static_cast<double>(todo_ - passed - failed) / rate));
  }
  fmt::print(stderr, "{}{}{}", is_terminal_ ? "\r\x1b[K" : "", text, is_terminal_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace heddle::cli
