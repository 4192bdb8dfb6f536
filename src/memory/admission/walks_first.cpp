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
    std::optional<std::size_t> other;
    for (std::size_t i = 0; i < waiting.size() && (!other || channel.can_accept(false)); ++i) {
      if (waiting[i].traffic != Traffic::walk || waiting[i].write) {
        if (!other) other = i;
        continue;
      }
      if (channel.can_accept(waiting[i])) return i;
      // The scheduler has no room for walks: the others do not wait for them.
      if (other) break;
    }
    return other && channel.can_accept(waiting[*other]) ? other : std::nullopt;
  }
};

[[maybe_unused]] const bool kRegisteredWalksFirst = DramAdmissions::instance().add<WalksFirst>(
    "walks-first", "Reads of page-table entries first, then in the order of arrival.");

}  // namespace
}  // namespace heddle::memory
