#include "base/large_pages.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace heddle {
namespace {

/// The flags that the host has for the memory around an address, as /proc/self/smaps lists them; empty if it does not.
std::string flags_around(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0;
    unsigned long end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) inside = begin <= wanted && wanted < end;
    if (inside && line.starts_with("VmFlags:")) return line + " ";
  }
  return {};
}

TEST(LargePages, AreAskedForWhatIsAllocatedLater) {
  std::vector<char> elsewhere(64 << 20);
  const std::string before = flags_around(elsewhere.data());
  if (before.empty()) GTEST_SKIP() << "this host does not say what it thinks of memory";
  EXPECT_EQ(before.find(" hg "), std::string::npos);
  allocate_in_large_pages();
  for (const std::size_t bytes : {std::size_t{500} << 10, std::size_t{16} << 20}) {
    std::vector<char> block(bytes);
    EXPECT_NE(flags_around(block.data() + bytes / 2).find(" hg "), std::string::npos) << bytes;
  }
  std::vector<std::vector<char>> more;  // beyond what the heap was given at first
  for (int i = 0; i < 40; ++i) more.emplace_back(16 << 20, static_cast<char>(i));
  for (int i = 0; i < 40; ++i) EXPECT_EQ(more[static_cast<std::size_t>(i)].back(), i);
}

}  // namespace
}  // namespace heddle
