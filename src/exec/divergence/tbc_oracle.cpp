// Thread block compaction by an oracle that knows which page each thread touches next: the goal that Figure 5.1 of
// Pichai's thesis shows, and a bound for the common page matrix, which knows warps and not threads (its catalogue,
// ambiguity `fig5_1_vs_cpm`). A thread joins a dynamic warp if its next access to global memory is to the page of the
// warp that is being formed; one without such an access joins any. No hardware could do this.
#include <fmt/format.h>

#include <bit>

#include "base/diagnostics.h"
#include "exec/divergence/compaction.h"
#include "exec/divergence/next_access.h"

namespace heddle::exec {
namespace {

struct OracleStatistics : sim::StatisticGroup {
  explicit OracleStatistics(sim::StatisticGroup& parent) : StatisticGroup(parent, "oracle") {}
  sim::Counter threads{*this, "threads", "threads", "Threads whose next page was asked for."};
  sim::Counter known{*this, "known", "threads", "Of those, with an access to global memory on their way."};
  sim::Counter refused{*this, "refused", "times", "Times that a thread was kept out for its page."};
};

/// Lets a thread join those of its page.
class PageGate final : public CompactionGate {
 public:
  PageGate(std::vector<LanePages> pages, OracleStatistics& statistics)
      : pages_(std::move(pages)), statistics_(statistics) {}

  [[nodiscard]] bool may_join(unsigned /*warp*/, unsigned /*present*/) const override { return true; }
  [[nodiscard]] bool admits(const DynamicWarp& formed, unsigned warp, LaneMask lane) const override {
    const std::uint64_t page = pages_[warp][static_cast<unsigned>(std::countr_zero(lane))];
    const std::uint64_t present = page_of(formed);
    const bool may = page == kNoPage || present == kNoPage || page == present;
    if (!may) ++statistics_.refused;
    return may;
  }

 private:
  [[nodiscard]] std::uint64_t page_of(const DynamicWarp& formed) const {
    for (const DynamicPart& part : formed) {
      for (LaneMask left = part.lanes; left != 0; left &= left - 1) {
        const std::uint64_t page = pages_[part.warp][static_cast<unsigned>(std::countr_zero(left))];
        if (page != kNoPage) return page;
      }
    }
    return kNoPage;
  }

  std::vector<LanePages> pages_;  ///< by warp
  OracleStatistics& statistics_;
};

class OracleUnit final : public CompactionUnit {
 public:
  struct Parameters : CompactionParameters {
    using CompactionParameters::CompactionParameters;
    sim::Parameter<unsigned> page_kib{*this, "page_kib", 4, {4, 1048576}, "KiB", "Size of a page; a power of two."};
  };
  explicit OracleUnit(const sim::Context& context)
      : CompactionUnit(context, context.parameters<Parameters>()),
        page_bits_(static_cast<unsigned>(std::bit_width(context.parameters<Parameters>().page_kib.get())) + 9),
        oracle_(statistics) {
    const unsigned kib = context.parameters<Parameters>().page_kib;
    if (!std::has_single_bit(kib))
      throw UserError(fmt::format("sm.tbc_oracle.page_kib = {}: must be a power of two", kib));
  }

  [[nodiscard]] std::unique_ptr<CompactionGate> gate_for(ThreadBlock& block, const BlockMask& threads,
                                                         std::uint32_t pc) override {
    NextAccess next(block, page_bits_);
    std::vector<LanePages> pages;
    for (unsigned w = 0; w < threads.size(); ++w) {
      pages.emplace_back().fill(kNoPage);
      if (threads[w] == 0) continue;
      pages.back() = next.of(block.warps[w], threads[w], pc);
      oracle_.threads += static_cast<unsigned>(std::popcount(threads[w]));
      for (const std::uint64_t page : pages.back()) oracle_.known += page != kNoPage ? 1 : 0;
    }
    return std::make_unique<PageGate>(std::move(pages), oracle_);
  }

 private:
  unsigned page_bits_;
  OracleStatistics oracle_;
};

[[maybe_unused]] const bool kRegisteredTbcOracle = DivergenceRegistry::instance().add<OracleUnit>(
    "tbc-oracle", "Thread block compaction that knows which page each thread touches next: a bound.");

}  // namespace
}  // namespace heddle::exec
