// Faults of managed memory and the batches in which the host serves them.
#include <algorithm>

#include "vm/managed_memory.h"

namespace heddle::vm {

using sim::Cycle;

void ManagedMemory::fault(const ManagedFault& fault, Cycle now) {
  const std::uint64_t at = key(fault.space, fault.address);
  PageBlock* block = find(at);
  const std::size_t page = page_in(fault.address);
  if (block == nullptr || !block->managed[page]) return;
  // A write of a page that is waited for by reads is looked at again when it has come.
  if (block->pending[page] || block->coming[page]) {
    ++statistics_.merged;
    return;
  }
  ++statistics_.faults;
  block->pending[page] = true;
  queue_.push_back({at, static_cast<std::uint16_t>(page), fault.write});
  if (look_at_ != sim::kNever || ends_at_ != sim::kNever) return;
  look_at_ = now + cycles(p_.gather_ns) + (awake_ ? 0 : cycles(p_.wake_ns));
  awake_ = true;
  began_at_ = now;
}

void ManagedMemory::advance(Cycle now) {
  if (ends_at_ <= now) {
    end_batch();
    statistics_.serving += now - began_at_;
    ends_at_ = sim::kNever;
    if (!queue_.empty()) {
      look_at_ = now + cycles(p_.gather_ns);
      began_at_ = now;
    }
  }
  if (look_at_ <= now) look(now);
}

std::vector<ManagedMemory::Service> ManagedMemory::take_faults() {
  std::vector<Service> services;
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (unsigned taken = 0; taken < p_.batch && !queue_.empty(); ++taken) {
    const Fault fault = queue_.front();
    queue_.pop_front();
    PageBlock* block = find(fault.block);
    if (block == nullptr) continue;
    block->pending[fault.page] = false;
    const auto [place, is_new] = places.try_emplace(fault.block, services.size());
    if (is_new) services.push_back({.block = fault.block});
    services[place->second].faulted[fault.page] = true;
    if (fault.write) services[place->second].written[fault.page] = true;
  }
  return services;
}

void ManagedMemory::look(Cycle now) {
  look_at_ = sim::kNever;
  batch_ = take_faults();
  ++statistics_.batches;
  statistics_.services += batch_.size();
  Cycle at = now + cycles(p_.fault_ns - std::min(p_.fault_ns.get(), p_.gather_ns.get()));
  for (Service& service : batch_) at = serve(service, at);
  ends_at_ = std::max(at, now + 1);
}

Cycle ManagedMemory::serve(Service& service, Cycle at) {
  PageBlock& block = *find(service.block);
  const PageSet faulted = service.faulted & block.managed & ~block.coming;
  service.collapsed = faulted & service.written & block.on_device & block.on_host;
  service.mapped = faulted & ~block.on_device & block.stays_on_host();
  const PageSet wanted = faulted & ~block.on_device & ~service.mapped;
  if (wanted.none()) return at;
  const PageSet coming = grow(growth_, block.resident(), wanted, block.managed & ~block.stays_on_host());
  if (!make_room(coming.count(), service.block, at)) {
    service.mapped |= wanted;  // as the driver does when nothing can leave
    return at;
  }
  service.coming = coming;
  change(block, [&] { block.coming |= coming; });
  const PageSet travels = coming & block.on_host;
  statistics_.faulted_in += travels.count();
  statistics_.made += (coming & ~block.on_host).count();
  statistics_.grown += (coming & ~wanted).count();
  return carry(setup_.link.to_device, travels, at + cycles(static_cast<double>(chunks(coming)) * p_.chunk_ns));
}

void ManagedMemory::end_batch() {
  for (const Service& service : batch_) {
    PageBlock* block = find(service.block);
    if (block == nullptr) continue;
    statistics_.dropped += service.collapsed.count();
    change(*block, [&] {
      block->on_host &= ~(service.collapsed & block->on_device);
      block->on_host |= service.mapped & block->managed;
      block->remote |= service.mapped & block->managed;
    });
    arrive(*block, service.coming & block->managed, service.written);
  }
  batch_.clear();
  ++generation_;
}

void ManagedMemory::arrive(PageBlock& block, const PageSet& pages, const PageSet& written) {
  if (pages.none()) return;
  const PageSet carried = pages & block.on_host;
  const PageSet stays = carried & block.read_mostly & ~written;
  change(block, [&] {
    block.coming &= ~pages;
    block.on_device |= pages;
    block.on_host &= ~(pages & ~stays);
  });
  statistics_.copied += stays.count();
  block.arrived = ++arrivals_;
  tell_came(block, carried);
}

std::uint64_t ManagedMemory::oldest(std::uint64_t but) const {
  std::uint64_t found = kNoBlock;
  std::uint64_t since = ~std::uint64_t{0};
  for (const auto& [at, block] : blocks_) {
    // What is coming is in nobody's way yet; what has never come takes no room.
    if (at == but || block.arrived == 0 || block.on_device.none() || block.coming.any() || block.arrived >= since)
      continue;
    found = at;
    since = block.arrived;
  }
  return found;
}

bool ManagedMemory::make_room(std::uint64_t pages, std::uint64_t for_block, Cycle& at) {
  while (resident_ + pages > room_) {
    const std::uint64_t victim = oldest(for_block);
    if (victim == kNoBlock) return false;
    PageBlock& block = *find(victim);
    const PageSet leaving = block.on_device;
    const PageSet carried = leaving & ~block.on_host;
    tell_left(block);
    at = carry(setup_.link.to_host, carried, at);
    statistics_.evicted += leaving.count();
    change(block, [&] {
      block.on_device.reset();
      block.on_host |= leaving;
    });
  }
  return true;
}

}  // namespace heddle::vm
