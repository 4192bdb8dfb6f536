// Copies and fills as the API's many functions share them.
#pragma once

#include "cudart/context.h"

namespace heddle::cudart {

/// Whether the host waits for the end.
enum class Waits : bool { no, yes };

void copy(Context& context, const Block& destination, const Block& source, const BlockSize& size, int kind,
          StreamHandle stream, Waits waits);
void fill(Context& context, const Block& destination, const BlockSize& size, int value, StreamHandle stream,
          Waits waits);

inline Block linear(const void* pointer, std::uint64_t pitch = 0, std::uint64_t rows = 1) {
  return {static_cast<std::uint8_t*>(const_cast<void*>(pointer)), pitch, pitch * rows};
}

}  // namespace heddle::cudart
