// When the link to the host, in each direction, is free again.
#pragma once

#include "sim/time.h"

namespace heddle::vm {

struct HostLink {
  sim::Cycle to_device = 0;
  sim::Cycle to_host = 0;
};

}  // namespace heddle::vm
