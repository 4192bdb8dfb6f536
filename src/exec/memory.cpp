// Loads, stores and atomics: 32 addresses at a time, against global, shared, local and parameter memory.
//
// The common patterns have fast paths: consecutive addresses are one copy, and a gather in one space checks each lane's
// page or bounds and nothing else. Everything else goes lane by lane through locate(), which knows all spaces and says
// precisely what is wrong when an address is.
#include <bit>
#include <cstring>

#include "exec/fault.h"
#include "exec/interpreter.h"

namespace heddle::exec {

using isa::Operand;
using isa::Space;

namespace {

std::string_view space_name(Space space) {
  switch (space) {
    case Space::shared:
      return "shared";
    case Space::local:
      return "local";
    case Space::param:
      return "parameter";
    case Space::constant:
      return "constant";
    default:
      return "global";
  }
}

}  // namespace

void Interpreter::compute_addresses(const Op& op, const Warp& warp, LaneMask lanes, unsigned bytes) {
  const isa::Instruction& i = *op.instruction;
  const auto offset = static_cast<std::uint64_t>(i.offset);
  if (op.wide_sources & 1) {
    const std::uint32_t* base = source(op, warp, 0);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) access_.address[lane] = read_pair(base, lane) + offset;
  } else if (i.src[0].wide() || !i.src[0].exists()) {
    const auto* base = reinterpret_cast<const std::uint64_t*>(source(op, warp, 0));
    for (unsigned lane = 0; lane < kWarpSize; ++lane) access_.address[lane] = base[lane] + offset;
  } else {
    // 32-bit addresses wrap at 32 bits.
    const std::uint32_t* base = source(op, warp, 0);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      access_.address[lane] = static_cast<std::uint32_t>(base[lane] + static_cast<std::uint32_t>(offset));
    }
  }
  access_.lanes = lanes;
  access_.bytes = bytes;
  access_.space = i.space;
}

MemoryAccess Interpreter::preview(const Op& op, Warp& slot) {
  const isa::Instruction& i = *op.instruction;
  const unsigned bytes = isa::size_of(i.type) * i.vector;
  if (slot.parts.empty()) {
    compute_addresses(op, slot, guarded(op, slot, slot.path.mask), bytes);
    return access_;
  }
  MemoryAccess touched;
  for_each_part(op, slot, [&](const Warp& home, LaneMask lanes) {
    compute_addresses(op, home, lanes, bytes);
    add_access(touched);
  });
  return touched;
}

std::uint8_t* Interpreter::locate(const Warp& warp, unsigned lane, std::uint64_t address, unsigned bytes, Space space,
                                  bool writes) {
  const std::uint64_t original = address;
  if (space == Space::generic) {
    if (address >= kGlobalBase) {
      space = Space::global;
    } else if (address - kSharedWindow < kWindowBytes) {
      space = Space::shared;
      address -= kSharedWindow;
    } else if (address - kLocalWindow < kWindowBytes) {
      space = Space::local;
      address -= kLocalWindow;
    } else if (address - kParameterWindow < kParameterWindowBytes) {
      space = Space::param;
      address -= kParameterWindow;
    } else {
      space = Space::global;
    }
  }
  const auto fail = [&](FaultKind kind, std::string detail) {
    ProgramFault what;
    what.kind = kind;
    what.address = original;
    what.bytes = bytes;
    what.space = space_name(space);
    what.detail = std::move(detail);
    fault(lane, std::move(what));
  };
  if (address % bytes != 0) fail(FaultKind::misaligned_address, "the address is not a multiple of the access size");
  const auto within = [&](std::uint8_t* base, std::uint64_t size) -> std::uint8_t* {
    if (address < size && bytes <= size - address) return base + address;
    fail(FaultKind::illegal_address,
         std::string(space_name(space)) + " memory has " + std::to_string(size) + " bytes here");
    return nullptr;
  };
  switch (space) {
    case Space::shared:
      return within(warp.block->shared.data(), warp.block->shared.size());
    case Space::local: {
      const std::uint64_t size = launch_->config.local_bytes;
      return within(warp.block->local.data() + (std::uint64_t{warp.index} * kWarpSize + lane) * size, size);
    }
    case Space::param: {
      if (writes) fail(FaultKind::illegal_address, "kernel parameters cannot be written");
      auto& bank = const_cast<std::vector<std::uint8_t>&>(launch_->config.constant_bank);
      return within(bank.data(), bank.size());
    }
    default:
      break;
  }
  const GlobalMemory& memory = *launch_->environment.memory;
  std::uint8_t* at = memory.find_in_page(address);
  if (at == nullptr) fail(FaultKind::illegal_address, "the address is not in any allocation");
  if (writes && memory.find_writable_in_page(address) == nullptr)
    fail(FaultKind::illegal_address, "the page is read-only");
  return at;
}

template <typename T>
bool Interpreter::gather_shared(const Op& op, Warp& warp, LaneMask lanes) {
  const std::vector<std::uint8_t>& shared = warp.block->shared;
  if (shared.size() < sizeof(T)) return false;
  // Inactive lanes read element 0 and are blended away, so that both loops are straight vector code.
  alignas(64) std::uint32_t index[kWarpSize];
  constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;
  std::uint64_t beyond = 0;  // the top bit is set once an address is past the last element or misaligned
  const std::uint64_t last = shared.size() - sizeof(T);
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    const std::uint64_t address = (lanes >> lane & 1) != 0 ? access_.address[lane] : 0;
    beyond |= (last - address) | address | (address % sizeof(T) != 0 ? kTopBit : 0);
    index[lane] = static_cast<std::uint32_t>(address / sizeof(T));
  }
  if (beyond >> 63 != 0) return false;
  const auto* elements = reinterpret_cast<const T*>(shared.data());
  alignas(64) T values[kWarpSize];
  for (unsigned lane = 0; lane < kWarpSize; ++lane) values[lane] = elements[index[lane]];
  std::uint32_t* row = warp.registers + op.dst[0];
  if constexpr (sizeof(T) == 8) {
    split_row(values, row, lanes);
  } else if (lanes == kAllLanes) {
    std::memcpy(row, values, sizeof(values));
  } else {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) row[lane] = (lanes >> lane & 1) != 0 ? values[lane] : row[lane];
  }
  return true;
}

template <typename T>
void Interpreter::load_elements(const Op& op, Warp& warp, LaneMask lanes, bool is_signed) {
  const isa::Instruction& i = *op.instruction;
  const unsigned count = i.vector;
  const auto extend = [is_signed](T value) -> std::uint64_t {
    return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::make_signed_t<T>>(value)))
                     : value;
  };
  const auto write = [&](unsigned element, unsigned lane, T value) {
    const Operand& to = i.dst[element];
    if (to.kind == Operand::Kind::gpr_pair) {
      write_pair(warp.registers + op.dst[element], lane, extend(value));
    } else if (to.kind == Operand::Kind::gpr) {
      warp.registers[op.dst[element] + lane] = static_cast<std::uint32_t>(extend(value));
    }
  };
  // One element per lane, register as wide as the element: the shapes worth a fast path.
  const bool plain =
      count == 1 && (sizeof(T) == 8 ? i.dst[0].kind == Operand::Kind::gpr_pair : i.dst[0].kind == Operand::Kind::gpr);
  const auto& address = access_.address;
  if constexpr (sizeof(T) >= 4) {
    constexpr std::uint64_t kLast = kWarpSize - 1;
    if (plain && lanes == kAllLanes && address[kLast] == address[0] + kLast * sizeof(T) &&
        (i.space == Space::global || i.space == Space::shared || i.space == Space::generic)) {
      std::uint64_t different = 0;
      for (unsigned lane = 0; lane < kWarpSize; ++lane) different |= address[lane] ^ (address[0] + lane * sizeof(T));
      if (different == 0 && address[0] % sizeof(T) == 0) {
        constexpr std::uint64_t kRowBytes = kWarpSize * sizeof(T);
        const std::uint8_t* at = nullptr;
        if (i.space == Space::shared) {
          const std::vector<std::uint8_t>& shared = warp.block->shared;
          if (address[0] < shared.size() && kRowBytes <= shared.size() - address[0]) at = shared.data() + address[0];
        } else {
          at = launch_->environment.memory->find(address[0], kRowBytes);
        }
        if (at != nullptr) {
          alignas(64) T values[kWarpSize];
          std::memcpy(values, at, kRowBytes);
          if (stores_ != nullptr && !stores_->empty() && i.space != Space::shared)
            stores_->patch(at, values, kRowBytes);
          if constexpr (sizeof(T) == 8) {
            split_row(values, warp.registers + op.dst[0], kAllLanes);
          } else {
            std::memcpy(warp.registers + op.dst[0], values, kRowBytes);
          }
          return;
        }
      }
    }
  }
  if (plain && i.space == Space::shared) {
    if constexpr (sizeof(T) >= 4) {
      if (gather_shared<T>(op, warp, lanes)) return;
    }
  }
  // The general way. Lanes are located before anything is written: a faulting load changes nothing, and a destination
  // may be the address register.
  std::array<const std::uint8_t*, kWarpSize> from;
  const auto bytes = static_cast<unsigned>(sizeof(T) * count);
  const GlobalMemory& memory = *launch_->environment.memory;
  const bool maybe_global = i.space == Space::global || i.space == Space::generic || i.space == Space::constant;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::uint8_t* at = maybe_global && address[lane] % bytes == 0 ? memory.find_in_page(address[lane]) : nullptr;
    from[lane] = at != nullptr ? at : locate(warp, lane, address[lane], bytes, i.space);
  }
  const bool patches = stores_ != nullptr && maybe_global && !stores_->empty();
  for (unsigned element = 0; element < count; ++element) {
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      T value;
      std::memcpy(&value, from[lane] + element * sizeof(T), sizeof(T));
      if (patches && address[lane] >= kGlobalBase) stores_->patch(from[lane] + element * sizeof(T), &value, sizeof(T));
      write(element, lane, value);
    }
  }
}

template <typename T>
void Interpreter::store_elements(const Op& op, Warp& warp, LaneMask lanes) {
  const isa::Instruction& i = *op.instruction;
  const unsigned count = i.vector;
  const auto& address = access_.address;
  const bool plain = count == 1 && i.src[1].wide() == (sizeof(T) == 8);
  if constexpr (sizeof(T) >= 4) {
    constexpr std::uint64_t kLast = kWarpSize - 1;
    if (plain && lanes == kAllLanes && address[kLast] == address[0] + kLast * sizeof(T) &&
        (i.space == Space::global || i.space == Space::shared || i.space == Space::generic)) {
      std::uint64_t different = 0;
      for (unsigned lane = 0; lane < kWarpSize; ++lane) different |= address[lane] ^ (address[0] + lane * sizeof(T));
      if (different == 0 && address[0] % sizeof(T) == 0) {
        constexpr std::uint64_t kRowBytes = kWarpSize * sizeof(T);
        std::uint8_t* at = nullptr;
        if (i.space == Space::shared) {
          std::vector<std::uint8_t>& shared = warp.block->shared;
          if (address[0] < shared.size() && kRowBytes <= shared.size() - address[0]) at = shared.data() + address[0];
        } else {
          at = launch_->environment.memory->find_writable(address[0], kRowBytes);
        }
        if (at != nullptr) {
          alignas(64) std::uint64_t space[kWarpSize];
          const void* row = source(op, warp, 1);
          if constexpr (sizeof(T) == 8) row = joined_source(op, warp, 1, space);
          if (stores_ != nullptr && i.space != Space::shared) {
            stores_->store(at, row, kRowBytes);
          } else {
            std::memcpy(at, row, kRowBytes);
          }
          return;
        }
      }
    }
  }
  std::array<std::uint8_t*, kWarpSize> to;
  const auto bytes = static_cast<unsigned>(sizeof(T) * count);
  const GlobalMemory& memory = *launch_->environment.memory;
  const bool maybe_global = i.space == Space::global || i.space == Space::generic;
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    std::uint8_t* at =
        maybe_global && address[lane] % bytes == 0 ? memory.find_writable_in_page(address[lane]) : nullptr;
    to[lane] = at != nullptr ? at : locate(warp, lane, address[lane], bytes, i.space, true);
  }
  for (unsigned element = 0; element < count; ++element) {
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(left));
      const std::uint64_t value = source_value(op, warp, element + 1, lane, sizeof(T));
      if (stores_ != nullptr && maybe_global && address[lane] >= kGlobalBase) {
        stores_->store(to[lane] + element * sizeof(T), &value, sizeof(T));
      } else {
        std::memcpy(to[lane] + element * sizeof(T), &value, sizeof(T));
      }
    }
  }
}

bool Interpreter::load_shared_words(const Op& op, Warp& warp, LaneMask lanes) {
  const std::vector<std::uint8_t>& shared = warp.block->shared;
  if (shared.size() < sizeof(std::uint32_t)) return false;
  const auto last = static_cast<std::uint32_t>(shared.size() - sizeof(std::uint32_t));
  const auto offset = static_cast<std::uint32_t>(op.instruction->offset);
  const std::uint32_t* base = source(op, warp, 0);
  alignas(64) std::uint32_t index[kWarpSize];
  std::uint32_t bad = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    // Inactive lanes read word 0 and are blended away.
    const std::uint32_t address = (lanes & 1u << lane) != 0 ? base[lane] + offset : 0;
    bad |= (address > last ? 1u : 0u) | (address & 3);
    index[lane] = address / 4;
  }
  if (bad != 0) return false;
  const auto* words = reinterpret_cast<const std::uint32_t*>(shared.data());
  std::uint32_t* row = warp.registers + op.dst[0];
  alignas(64) std::uint32_t values[kWarpSize];
  for (unsigned lane = 0; lane < kWarpSize; ++lane) values[lane] = words[index[lane]];
  if (lanes == kAllLanes) {
    std::memcpy(row, values, sizeof(values));
  } else {
    for (unsigned lane = 0; lane < kWarpSize; ++lane) row[lane] = (lanes & 1u << lane) != 0 ? values[lane] : row[lane];
  }
  return true;
}

void Interpreter::load(const Op& op, Warp& warp, LaneMask lanes) {
  const isa::Instruction& i = *op.instruction;
  const unsigned size = isa::size_of(i.type);
  const bool word =
      size == 4 && i.vector == 1 && i.dst[0].kind == Operand::Kind::gpr && i.src[0].kind == Operand::Kind::gpr;
  if (word && i.space == Space::shared && stores_ == nullptr && launch_->checks == nullptr &&
      load_shared_words(op, warp, lanes))
    return;
  const bool is_signed = isa::is_signed(i.type);
  compute_addresses(op, warp, lanes, size * i.vector);
  check(op, warp, AccessKind::read);
  switch (size) {
    case 1:
      return load_elements<std::uint8_t>(op, warp, lanes, is_signed);
    case 2:
      return load_elements<std::uint16_t>(op, warp, lanes, is_signed);
    case 4:
      return load_elements<std::uint32_t>(op, warp, lanes, is_signed);
    default:
      return load_elements<std::uint64_t>(op, warp, lanes, is_signed);
  }
}

void Interpreter::store(const Op& op, Warp& warp, LaneMask lanes) {
  const isa::Instruction& i = *op.instruction;
  const unsigned size = isa::size_of(i.type);
  compute_addresses(op, warp, lanes, size * i.vector);
  check(op, warp, AccessKind::write);
  switch (size) {
    case 1:
      return store_elements<std::uint8_t>(op, warp, lanes);
    case 2:
      return store_elements<std::uint16_t>(op, warp, lanes);
    case 4:
      return store_elements<std::uint32_t>(op, warp, lanes);
    default:
      return store_elements<std::uint64_t>(op, warp, lanes);
  }
}

void Interpreter::atomic(const Op& op, Warp& warp, LaneMask lanes) {
  const isa::Instruction& i = *op.instruction;
  const unsigned size = isa::size_of(i.type);
  compute_addresses(op, warp, lanes, size);
  check(op, warp, AccessKind::atomic);
  for (LaneMask left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    std::uint8_t* at = locate(warp, lane, access_.address[lane], size, i.space, true);
    if (stores_ != nullptr && i.space != Space::shared && access_.address[lane] >= kGlobalBase) continue;  // at the L2
    std::uint64_t old = 0;
    std::memcpy(&old, at, size);
    const std::uint64_t result = apply_atomic(i, old, source_value(op, warp, 1, lane, size),
                                              op.sources > 2 ? source_value(op, warp, 2, lane, size) : 0);
    std::memcpy(at, &result, size);
    if (i.dst[0].exists()) write_value(op, warp, lane, old);
  }
}

}  // namespace heddle::exec
