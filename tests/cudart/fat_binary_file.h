// The recorded containers of tests/cudart/fatbins.
#pragma once

#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace heddle::cudart {

inline std::vector<std::byte> recorded(const std::string& name) {
  std::ifstream file(std::string(HEDDLE_FATBINS) + "/" + name, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace heddle::cudart
