// A cache of registers in front of the register file (Gebhart et al., ISCA 2011): results go into it, the oldest
// leaves, and what is read and not there comes from the file. A warp that waits for memory gives its entries up.
#include <algorithm>

#include "core/operands/banked_file.h"

namespace heddle::core {
namespace {

class CachedFile final : public BankedFile {
 public:
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter cache_reads{*this, "cache_reads", "registers", "Operands read from the caches."};
    sim::Counter cache_writes{*this, "cache_writes", "registers", "Results written to the caches."};
    sim::Counter main_reads{*this, "main_reads", "registers", "Operands read from the file."};
    sim::Counter main_writes{*this, "main_writes", "registers",
                             "Registers that left a cache and were written to the file."};
  };

  CachedFile(const sim::Context& context, const Setup& setup)
      : BankedFile(setup), statistics_(context), entries_(setup.parameters.cached_registers) {
    follows_ = true;
  }

  void warp_started(unsigned warp, const KernelInstance& /*kernel*/, exec::Warp& /*state*/) override {
    cached_[warp].clear();
  }
  void issuing(const FollowedIssue& issue) override {
    std::vector<std::uint8_t>& cached = cached_[issue.warp];
    missing_.clear();
    for (unsigned r = 0; r < issue.op.reads; ++r) {
      const std::uint8_t reg = issue.op.read_registers[r];
      if (std::find(cached.begin(), cached.end(), reg) == cached.end()) missing_.push_back(reg);
    }
    statistics_.main_reads += missing_.size();
    statistics_.cache_reads += issue.op.reads - missing_.size();
    for (unsigned w = 0; w < issue.op.written; ++w) {
      const std::uint8_t reg = issue.op.write_registers[w];
      ++statistics_.cache_writes;
      const auto found = std::find(cached.begin(), cached.end(), reg);
      if (found != cached.end()) cached.erase(found);
      cached.push_back(reg);
      if (cached.size() <= entries_) continue;
      cached.erase(cached.begin());
      ++statistics_.main_writes;
    }
    if (!issue.op.loads) return;
    statistics_.main_writes += cached.size();
    cached.clear();
  }
  [[nodiscard]] sim::Cycle dispatch(unsigned warp, const TimedOp& /*op*/, sim::Cycle pipe, sim::Cycle now) override {
    return collect(warp, missing_, pipe, now);
  }

 private:
  Statistics statistics_;
  unsigned entries_;
  std::array<std::vector<std::uint8_t>, 64> cached_;  ///< by warp, the oldest first
  std::vector<std::uint8_t> missing_;                 ///< of the instruction that issues
};

[[maybe_unused]] const bool kRegisteredRfCache = OperandStorageRegistry::instance().add<CachedFile>(
    "rfcache", "A cache of registers in front of the register file.");

}  // namespace
}  // namespace heddle::core
