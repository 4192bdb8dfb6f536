// The texture instructions: which texel each lane gets, and what memory that touches.
#include <array>
#include <bit>
#include <cstring>

#include "exec/fault.h"
#include "exec/interpreter.h"

namespace heddle::exec {

void Interpreter::read_texture(const Op& op, Warp& warp, LaneMask lanes) {
  const isa::Instruction& i = *op.instruction;
  const bool two_dimensional = i.immediate == 2;
  struct Context {
    const GlobalMemory* memory;
    const StoreBuffer* stores;
    std::array<std::uint8_t, 16> patched;
  } context{launch_->environment.memory, stores_, {}};
  const TexelReader reader = [](void* opaque, std::uint64_t address, unsigned bytes) -> const std::uint8_t* {
    auto& from = *static_cast<Context*>(opaque);
    const std::uint8_t* at = from.memory->find(address, bytes);
    if (at == nullptr || from.stores == nullptr || from.stores->empty()) return at;
    std::memcpy(from.patched.data(), at, bytes);
    from.stores->patch(at, from.patched.data(), bytes);
    return from.patched.data();
  };
  LaneMask touched = 0;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint64_t object = source_value(op, warp, 0, lane, 8);
    const auto found = launch_->environment.textures.find(object);
    if (found == launch_->environment.textures.end()) {
      ProgramFault what;
      what.kind = FaultKind::invalid_texture;
      what.address = object;
      what.detail = "there is no texture object with this handle";
      fault(lane, std::move(what));
    }
    const auto coordinate = [&](unsigned s) { return static_cast<std::uint32_t>(source_value(op, warp, s, lane, 4)); };
    TexelResult texel;
    if (i.source_type == isa::Type::s32) {
      texel = read_texel(found->second, static_cast<std::int32_t>(coordinate(1)),
                         two_dimensional ? static_cast<std::int32_t>(coordinate(2)) : 0, reader, &context);
    } else {
      texel = sample(found->second, std::bit_cast<float>(coordinate(1)),
                     two_dimensional ? std::bit_cast<float>(coordinate(2)) : 0.0f, two_dimensional, reader, &context);
    }
    if (!texel.ok) {
      ProgramFault what;
      what.kind = FaultKind::illegal_address;
      what.address = texel.address;
      what.bytes = found->second.element_bytes();
      what.space = "global";
      what.detail = "the texture's memory is not allocated";
      fault(lane, std::move(what));
    }
    if (texel.address != 0) {
      access_.address[lane] = texel.address;
      access_.bytes = found->second.element_bytes();
      touched |= LaneMask{1} << lane;
    }
    for (unsigned c = 0; c < 4; ++c) {
      if (i.dst[c].exists()) warp.registers[op.dst[c] + lane] = texel.channel[c];
    }
  }
  access_.lanes = touched;
  access_.space = isa::Space::global;
}

}  // namespace heddle::exec
