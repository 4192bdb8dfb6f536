#include "study/window.h"

namespace heddle::study {

Window read_window(TomlTable& table) {
  constexpr std::int64_t kMost = 1'000'000'000'000;
  Window window;
  window.start_kernel = static_cast<std::uint64_t>(table.integer("start_kernel", 0, 0, kMost));
  window.skip = static_cast<std::uint64_t>(table.integer("skip", 0, 0, kMost));
  const auto one = [&](const char* name) {
    const std::vector<std::string> texts = table.texts(name);
    if (texts.size() > 1) table.error(name, "must be one amount");
    return texts.empty() ? std::string() : texts[0];
  };
  window.warmup = one("warmup");
  window.window = one("window");
  window.kernels = table.text("kernels", "");
  return window;
}

}  // namespace heddle::study
