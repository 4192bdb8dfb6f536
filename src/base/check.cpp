#include "base/check.h"

#include <fmt/format.h>

#include <string_view>

namespace heddle {

void check_failed(const char* file, int line, const char* condition, const std::string& detail) {
  std::string_view name(file);
  if (const auto slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  throw InvariantError(fmt::format("internal error: {}:{}: CHECK({}) failed: {}", name, line, condition, detail));
}

}  // namespace heddle
