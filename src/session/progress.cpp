#include "session/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>

#include "base/kernel_name.h"

namespace heddle::session {
namespace {

std::atomic<bool> stop_requested{false};

void on_interrupt(int /*signal*/) {
  stop_requested = true;
  std::signal(SIGINT, SIG_DFL);
}

constexpr auto kInterval = std::chrono::milliseconds(200);

}  // namespace

ProgressText::ProgressText(std::string title)
    : title_(std::move(title)),
      is_terminal_(isatty(STDERR_FILENO) == 1),
      begin_(std::chrono::steady_clock::now()),
      last_(begin_) {}

void ProgressText::clear() {
  if (shown_) fmt::print(stderr, "\r\x1b[K");
  shown_ = false;
}

void ProgressText::show(const runtime::Progress& progress) {
  if (!is_terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < kInterval) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double millions = static_cast<double>(progress.warp_instructions) * 1e-6;
  fmt::print(stderr, "\r\x1b[K{}: launch {}, {} block {}/{}, {:.1f} M warp instructions, {:.2f} M/s", title_,
             progress.launches + 1, short_kernel_name(std::string(progress.kernel)), progress.blocks_done,
             progress.blocks, millions, millions / seconds);
  if (progress.cycles != 0) fmt::print(stderr, ", {:.2f} M cycles", static_cast<double>(progress.cycles) * 1e-6);
  std::fflush(stderr);
  shown_ = true;
}

ProgressLine::ProgressLine(std::string title) : text_(std::move(title)) {
  stop_requested = false;
  std::signal(SIGINT, on_interrupt);
}

ProgressLine::~ProgressLine() { std::signal(SIGINT, SIG_DFL); }

bool ProgressLine::update(const runtime::Progress& progress) {
  text_.show(progress);
  return !stop_requested;
}

}  // namespace heddle::session
