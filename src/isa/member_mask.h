// Instructions for which lanes of a warp meet.
#pragma once

#include "isa/instruction.h"

namespace heddle::isa {

/// The position of a warp-wide instruction's member mask among its sources; -1: it has none.
[[nodiscard]] inline int member_mask(const Instruction& i) {
  switch (i.op) {
    case Opcode::shfl:
      return 3;
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
      return 1;
    case Opcode::elect:
    case Opcode::barwarp:
      return 0;
    default:
      return -1;
  }
}

/// Whether lanes that come to the instruction may have to wait for others of their warp before they execute it.
[[nodiscard]] inline bool lanes_meet(const Instruction& i) { return i.op == Opcode::bar || member_mask(i) >= 0; }

}  // namespace heddle::isa
