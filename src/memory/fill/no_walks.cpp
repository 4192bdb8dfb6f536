// Entries of page tables are not kept: what they take from data is an upper bound of what bypassing can give back.
#include "memory/fill_policy.h"

namespace heddle::memory {
namespace {

class NoWalks final : public FillPolicy {
 public:
  [[nodiscard]] Fill admit(const Request& request) override {
    return request.traffic == Traffic::walk ? Fill::bypass : Fill::allocate;
  }
  void served(const Request&, bool) override {}
};

[[maybe_unused]] const bool kRegisteredNoWalks =
    FillPolicies::instance().add<NoWalks>("no-walks", "Page-table entries are not kept.");

}  // namespace
}  // namespace heddle::memory
