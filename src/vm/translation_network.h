// Messages between the SMs and the shared translation unit.
#pragma once

#include <memory>
#include <vector>

#include "memory/network.h"
#include "vm/types.h"

namespace heddle::vm {

struct TranslationRequest {
  VirtPage page;
  SpaceId space = 0;
  std::uint8_t warp = memory::kNoWarp;  ///< of the SM, that missed first
  std::uint16_t sm = 0;
  std::uint32_t token = 0;  ///< the SM's own name for it, in the answer
  sim::Cycle missed_at = 0;
  sim::Cycle arrival = 0;
  [[nodiscard]] std::uint16_t sender() const { return sm; }
};

struct TranslationAnswer {
  Mapping mapping;
  std::uint32_t token = 0;
  std::uint32_t epoch = 0;  ///< flushes before it was sent: an answer from before a flush is not to be used
  bool walked = false;      ///< it was not in the second-level TLB
  sim::Cycle arrival = 0;
  [[nodiscard]] static std::uint16_t sender() { return 0; }
};

class TranslationNetwork {
 public:
  /// The unit has the network's port after those of the SMs.
  TranslationNetwork(const sim::Exchange& exchange, memory::Network& network, std::size_t sms)
      : requests_(exchange, network.sm_bell(sms)) {
    for (std::size_t s = 0; s < sms; ++s)
      answers_.push_back(std::make_unique<sim::Inbox<TranslationAnswer>>(exchange, network.sm_bell(s)));
  }
  [[nodiscard]] sim::Inbox<TranslationRequest>& requests() { return requests_; }
  [[nodiscard]] sim::Inbox<TranslationAnswer>& answers(std::size_t sm) { return *answers_[sm]; }

 private:
  sim::Inbox<TranslationRequest> requests_;
  std::vector<std::unique_ptr<sim::Inbox<TranslationAnswer>>> answers_;
};

}  // namespace heddle::vm
