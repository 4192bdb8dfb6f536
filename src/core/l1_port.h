// Where an L1 sends what it asks of the L2: the SM's network port or, if the L1 is virtual and the L2 is not, the
// translation in between (core/late_translation.h).
#pragma once

#include "core/late_translation.h"
#include "memory/network_port.h"

namespace heddle::core {

class L1Port {
 public:
  /// `translation` is nullptr if there is none in between.
  L1Port(memory::NetworkPort& port, LateTranslation* translation) : port_(port), translation_(translation) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a port of its own is the plain case
  L1Port(memory::NetworkPort& port) : L1Port(port, nullptr) {}

  [[nodiscard]] bool full() const { return translation_ != nullptr ? translation_->full() : port_.full(); }
  void push(const memory::Request& request) {
    if (translation_ != nullptr) {
      translation_->push(request);
    } else {
      port_.push(request);
    }
  }

 private:
  memory::NetworkPort& port_;
  LateTranslation* translation_;
};

}  // namespace heddle::core
