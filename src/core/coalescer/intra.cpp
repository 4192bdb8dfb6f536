// Within a warp: the lines of one instruction after those of the one before, in the order of issue.
#include "core/coalescer.h"

namespace heddle::core {
namespace {

class Intra final : public Coalescer {
 public:
  [[nodiscard]] bool can_take() const override { return group_ == kNone; }
  void add(std::uint32_t group) override { group_ = group; }
  [[nodiscard]] std::uint32_t next(sim::Cycle /*now*/) override { return group_; }
  void left() override { group_ = kNone; }
  [[nodiscard]] unsigned places() const override { return group_ == kNone ? 0 : 1; }
  [[nodiscard]] bool empty() const override { return group_ == kNone; }

 private:
  std::uint32_t group_ = kNone;  ///< the first of the load/store unit's queue
};

[[maybe_unused]] const bool kRegisteredIntra = CoalescerRegistry::instance().add<Intra>(
    "intra", "Lanes of a warp that touch one line share a request; instructions go one after the other.");

}  // namespace
}  // namespace heddle::core
