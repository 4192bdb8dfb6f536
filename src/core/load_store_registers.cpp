// The way into the L1 for registers that are kept in memory.
#include <bit>

#include "core/load_store_unit.h"

namespace heddle::core {

using sim::Cycle;

RegisterLoad LoadStoreUnit::load(const RegisterLine& line, std::uint32_t tag, Cycle now) {
  if (ports_left(now) == 0) return RegisterLoad::refused;
  const std::uint32_t waits = waiter(Waiter::registers, tag);
  const L1Result result = l1_.load({.line = memory::LineTag(line.line),
                                    .name = {line.line.address},
                                    .sectors = line.sectors,
                                    .waiter = waits,
                                    .application = line.application,
                                    .local = true,
                                    .registers = true,
                                    .now = now});
  if (result != L1Result::hit && result != L1Result::sent) return RegisterLoad::refused;
  take_port(line.application, now);
  if (result == L1Result::sent) return RegisterLoad::asked;
  events_.add(now, now + p_.l1.latency, {EventKind::line_done, 0, waits});
  return RegisterLoad::here;
}

bool LoadStoreUnit::store(const RegisterLine& line, Cycle now) {
  if (ports_left(now) == 0) return false;
  const auto bytes = static_cast<std::uint16_t>(std::popcount(line.sectors) * memory::kSectorUnit);
  const L1Result result = l1_.store({.line = memory::LineTag(line.line),
                                     .name = {line.line.address},
                                     .sectors = line.sectors,
                                     .application = line.application,
                                     .bytes = bytes,
                                     .local = true,
                                     .registers = true,
                                     .now = now});
  if (result != L1Result::hit) return false;
  take_port(line.application, now);
  return true;
}

bool LoadStoreUnit::drop(const RegisterLine& line, Cycle now) {
  if (ports_left(now) == 0) return false;
  l1_.drop_registers(memory::LineTag(line.line));
  take_port(line.application, now);
  return true;
}

}  // namespace heddle::core
