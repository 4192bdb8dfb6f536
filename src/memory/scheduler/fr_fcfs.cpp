// First ready, first come, first served (Rixner et al., ISCA 2000): in a bank, the oldest request to the open row, else
// the oldest; over banks, the oldest column command that is ready, else the oldest row command that is ready.
// `row_hit_limit` bounds how long hits keep a row open against an older request to another row.
#include "memory/scheduler/scheduler.h"

namespace heddle::memory {

namespace {

class FrFcfs final : public DramScheduler {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> row_hit_limit{
        *this,
        "row_hit_limit",
        0,
        {0, 1024},
        "requests",
        "Column commands of one row after which an older request to another row may close it; 0: no limit."};
  };

  explicit FrFcfs(const sim::Context& context) : row_hit_limit_(context.parameters<Parameters>().row_hit_limit) {}

  [[nodiscard]] std::uint16_t choose_request(const BankView& bank) override {
    const std::uint16_t oldest = bank.oldest();
    if (!bank.open() || (row_hit_limit_ != 0 && bank.served() >= row_hit_limit_)) return oldest;
    for (std::uint16_t slot = oldest; slot != kNoSlot; slot = bank.next(slot)) {
      if (bank.row_hit(slot)) return slot;
    }
    return oldest;
  }

  [[nodiscard]] bool oldest_first() const override { return true; }

 private:
  unsigned row_hit_limit_;
};

const bool kRegisteredFrFcfs =
    DramSchedulers::instance().add<FrFcfs>("fr-fcfs", "Row hits first, then in order of arrival.");

}  // namespace

}  // namespace heddle::memory
