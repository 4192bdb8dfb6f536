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
  std::uint16_t sm = 0;
  std::uint32_t token = 0;  ///< the SM's own name for it, in the answer
  sim::Cycle missed_at = 0;
  sim::Cycle arrival = 0;
};

struct TranslationAnswer {
  Mapping mapping;
  std::uint32_t token = 0;
  std::uint32_t epoch = 0;  ///< flushes before it was sent: an answer from before a flush is not to be used
  sim::Cycle arrival = 0;
};

class TranslationNetwork {
 public:
  explicit TranslationNetwork(std::size_t sms) : requests_(sms) {
    for (std::size_t s = 0; s < sms; ++s) answers_.push_back(std::make_unique<memory::Inbox<TranslationAnswer>>(1));
  }
  [[nodiscard]] memory::Inbox<TranslationRequest>& requests() { return requests_; }
  [[nodiscard]] memory::Inbox<TranslationAnswer>& answers(std::size_t sm) { return *answers_[sm]; }

 private:
  memory::Inbox<TranslationRequest> requests_;
  std::vector<std::unique_ptr<memory::Inbox<TranslationAnswer>>> answers_;
};

}  // namespace heddle::vm
