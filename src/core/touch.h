// An accessed or dirty bit to be set in a page table, between quanta.
#pragma once

#include "vm/types.h"

namespace heddle::core {

struct Touch {
  vm::SpaceId space = 0;
  vm::VirtPage page;
  bool write = false;
};

}  // namespace heddle::core
