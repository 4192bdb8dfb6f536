// Reads of page-table entries go before everything else that waits, in their own order; the rest in the order of
// arrival.
#include "memory/admission.h"
#include "memory/dram.h"

namespace heddle::memory {
namespace {

class WalksFirst final : public DramAdmission {
 public:
  [[nodiscard]] std::optional<std::size_t> choose(const Ring<DramRequest>& waiting,
                                                  const DramChannel& channel) override {
    if (waiting.empty()) return std::nullopt;
    for (std::size_t i = 0; i < waiting.size() && channel.can_accept(false); ++i) {
      if (waiting[i].traffic == Traffic::walk && !waiting[i].write) return i;
    }
    if (!channel.can_accept(waiting.front().write)) return std::nullopt;
    return 0;
  }
};

[[maybe_unused]] const bool kRegistered = DramAdmissions::instance().add<WalksFirst>(
    "walks-first", "Reads of page-table entries first, then in the order of arrival.");

}  // namespace
}  // namespace heddle::memory
