#include "compile/regions/invalidate.h"

#include <algorithm>
#include <numeric>

namespace heddle::compile {
namespace {

/// The ancestor that two blocks have in common.
std::uint32_t common_post_dominator(const DominatorTree& post, std::uint32_t a, std::uint32_t b) {
  while (a != kNoBlock && !post.dominates(a, b)) a = post.parent(a);
  return a;
}

class Invalidations {
 public:
  Invalidations(const MachineFunction& function, const WarpLiveness& liveness)
      : f_(function), live_(liveness), post_(post_dominators(function)), found_(function.blocks.size()) {}

  [[nodiscard]] std::vector<std::vector<std::uint8_t>> run() {
    BitSet crossing(kGeneralRegisters);  // live from block to block
    for (std::uint32_t b = 0; b < f_.blocks.size(); ++b) crossing.unite(live_.in(b));
    crossing.for_each([&](std::size_t r) { place(r); });
    for (auto& registers : found_) {
      std::sort(registers.begin(), registers.end());
      registers.erase(std::unique(registers.begin(), registers.end()), registers.end());
    }
    return std::move(found_);
  }

 private:
  /// Blocks between which the register is live belong together.
  void place(std::size_t reg) {
    const auto count = static_cast<std::uint32_t>(f_.blocks.size());
    std::vector<std::uint32_t> range(count);
    std::iota(range.begin(), range.end(), 0u);
    const auto root = [&](std::uint32_t b) {
      while (range[b] != b) b = range[b] = range[range[b]];
      return b;
    };
    for (std::uint32_t b = 0; b < count; ++b) {
      for (const std::uint32_t s : f_.blocks[b].successors) {
        if (live_.in(s).contains(reg)) range[root(b)] = root(s);
      }
    }
    std::vector<std::uint32_t> meet(count, kNoBlock);
    const auto include = [&](std::uint32_t of, std::uint32_t b) {
      std::uint32_t& at = meet[of];
      at = at == kNoBlock ? b : common_post_dominator(post_, at, b);
    };
    for (std::uint32_t b = 0; b < count; ++b) {
      if (!live_.in(b).contains(reg) && !live_.out(b).contains(reg)) continue;
      include(root(b), b);
      if (!live_.out(b).contains(reg)) continue;
      for (const std::uint32_t s : f_.blocks[b].successors) {
        if (!live_.in(s).contains(reg)) include(root(b), s);  // it dies on the way there
      }
    }
    for (std::uint32_t of = 0; of < count; ++of) {
      std::uint32_t at = meet[of];
      if (at == kNoBlock || at == count) continue;
      if (live_.in(at).contains(reg)) {
        if (!live_.out(at).contains(reg) && !live_.needed(at).contains(reg)) continue;  // its last use there erases it
        at = post_.parent(at);
      }
      if (at == kNoBlock || at == count) continue;
      if (live_.in(at).contains(reg) || live_.needed(at).contains(reg)) continue;
      found_[at].push_back(static_cast<std::uint8_t>(reg));
    }
  }

  const MachineFunction& f_;
  const WarpLiveness& live_;
  DominatorTree post_;
  std::vector<std::vector<std::uint8_t>> found_;
};

}  // namespace

std::vector<std::vector<std::uint8_t>> find_invalidations(const MachineFunction& function,
                                                          const WarpLiveness& liveness) {
  if (!function.is_entry) return std::vector<std::vector<std::uint8_t>>(function.blocks.size());
  return Invalidations(function, liveness).run();
}

}  // namespace heddle::compile
