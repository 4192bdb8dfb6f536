// The suffix tree of a text of bases, built on the host by Ukkonen's algorithm (Algorithmica 1995): linear time.
#pragma once

#include <cstdint>
#include <vector>

#include "workloads/mummergpu/node.h"

namespace heddle::workloads::mummergpu {

struct SuffixTree {
  std::vector<SuffixNode> nodes;
  std::vector<SuffixChildren> children;
  std::vector<SuffixUp> ups;
};

/// `text` holds bases 0 to 3; an end that equals no base is thought behind it and belongs to the edges of all leaves.
[[nodiscard]] SuffixTree build_suffix_tree(const std::vector<std::uint8_t>& text);

}  // namespace heddle::workloads::mummergpu
