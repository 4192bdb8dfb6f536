// In the order of arrival; the first waits for room, and all others behind it.
#include "memory/admission.h"
#include "memory/dram.h"

namespace heddle::memory {
namespace {

class NormalAdmission final : public DramAdmission {
 public:
  [[nodiscard]] std::optional<std::size_t> choose(const Ring<DramRequest>& waiting,
                                                  const DramChannel& channel) override {
    if (waiting.empty() || !channel.can_accept(waiting.front())) return std::nullopt;
    return 0;
  }
};

[[maybe_unused]] const bool kRegisteredNormalAdmission =
    DramAdmissions::instance().add<NormalAdmission>("normal", "In the order of arrival.");

}  // namespace
}  // namespace heddle::memory
