// Blocks of an SM: start, end, and being taken out before the end.
#include <algorithm>
#include <bit>

#include "base/check.h"
#include "core/addresses.h"
#include "core/sm.h"

namespace heddle::core {

using sim::Cycle;

bool Sm::can_take(const KernelInstance& kernel) const {
  const unsigned warps = kernel.launch->warps_per_block;
  if (p_.mmu.one_root && resident_ != 0 && root_ != kernel.application) return false;
  if (resident_warps() + warps > p_.warps) return false;
  if (!operands_->fits(kernel.launch->config.registers, warps)) return false;
  if (shared_used_ + kernel.launch->config.shared_bytes > p_.shared_kib * 1024) return false;
  return std::any_of(blocks_.begin(), blocks_.end(), [](const ResidentBlock& b) { return b.kernel == nullptr; });
}

void Sm::start_block(KernelInstance& kernel, std::uint64_t index, Cycle now, Cycle from) {
  start_block({nullptr, &kernel, index, 0}, now, from);
}

void Sm::start_block(SavedBlock saved, Cycle now, Cycle from) {
  KernelInstance& kernel = *saved.kernel;
  if (root_ != kernel.application) {
    old_root_ = root_;
    root_ = kernel.application;
  }
  const auto slot = static_cast<std::uint32_t>(
      std::find_if(blocks_.begin(), blocks_.end(), [](const ResidentBlock& b) { return b.kernel == nullptr; }) -
      blocks_.begin());
  ResidentBlock& block = blocks_[slot];
  block = {};
  block.block = std::move(saved.block);
  block.kernel = &kernel;
  block.started = from;
  block.index = saved.index;
  block.shared = kernel.launch->config.shared_bytes;
  block.order = blocks_started_++;
  block.place = saved.place;
  operands_->block_started(kernel.launch->config.registers, kernel.launch->warps_per_block);
  shared_used_ += block.shared;
  if (!carveouts_.empty()) divide_array(kernel);
  if (!interpreter_) {
    interpreter_.emplace(*kernel.launch);
    interpreter_->set_timed(&stores_);
  }
  for (unsigned warp = 0; warp < kernel.launch->warps_per_block; ++warp) {
    const WarpSet all = p_.warps == 64 ? ~WarpSet{0} : (WarpSet{1} << p_.warps) - 1;
    const WarpSet free = ~resident_ & all;
    resident_ |= free & -free;
    block.warps |= free & -free;
  }
  if (!warps_of_.empty()) warps_of_[kernel.application] += kernel.launch->warps_per_block;
  clock_ = std::max(clock_, now);
  wake_by(now);
  beginning_.push_back({slot, now});
  // What follows blocks wants to know at once; else a new block's contexts wait until the SM runs, beside others.
  if (block.block || control_ != nullptr || operands_->follows()) begin_blocks();
}

void Sm::begin_blocks() {
  for (const Beginning& each : beginning_) begin_block(each.slot, each.at);
  beginning_.clear();
}

void Sm::begin_block(std::uint32_t slot, Cycle now) {
  ResidentBlock& block = blocks_[slot];
  KernelInstance& kernel = *block.kernel;
  Guest& guest = guests_[kernel.launch];
  if (!block.block) {
    if (guest.spare_blocks.empty()) {
      block.block = std::make_unique<exec::ThreadBlock>(*kernel.launch, *divergence_);
    } else {
      block.block = std::move(guest.spare_blocks.back());
      guest.spare_blocks.pop_back();
    }
    block.block->start(block.index);
  }
  block.block->sm = setup_.index;
  block.block->divergence->move_to(*divergence_);
  const bool restored = block.place != 0;
  if (restored) {
    restoring_ |= block.warps;
    block.move = mover_.start(
        {memory::RequestKind::read, block.place, context_bytes(*block.block, kernel), slot, kernel.application});
  }
  WarpSet left = block.warps;
  for (exec::Warp& warp : block.block->warps) {
    const auto w = static_cast<unsigned>(std::countr_zero(left));
    left &= left - 1;
    Context& context = contexts_[w];
    context = {};
    context.warp = &warp;
    warp.context = w;
    block.block->divergence->got_context(w);
    context.kernel = &kernel;
    context.registers = warp.registers;
    context.op = kernel.launch->config.code->data();
    context.timed = kernel.timed->data();
    context.share = &guest.share;
    context.parameters_at = &guest.parameters_at;
    context.memory_at = &guest.memory_at;
    context.block_slot = slot;
    context.ready_at = block.started;
    if (warp.state == exec::WarpState::done) continue;  // had exited before the block was taken out
    if (profile_) profile_->started(w, kernel);
    scheduler_->started(static_cast<int>(w), age_++);
    scheduler_->in_block(static_cast<int>(w), block.order);
    operands_->warp_started(w, kernel, warp);
    const bool marked = kernel.regions != nullptr;  // metadata instructions lie among the others
    fetch_.start(w, kCodeBase + code_window(kernel.code_id), marked ? kernel.regions->size : kernel.timed->size(),
                 kernel.application, marked ? kernel.regions->place.data() : nullptr);
    fetch(w, now);
    refresh(w, now);
  }
  if (control_ != nullptr) control_->block_started(kernel, block.warps, restored);
  block.block->changed = false;
  tell_coalescer(block);
}

/// Before the block's warps are there. An SM with blocks of other kernels does not take shared memory from them.
void Sm::divide_array(const KernelInstance& kernel) {
  unsigned wanted = carveout_for(p_, carveouts_, kernel.launch->config);
  if (resident_ != 0) wanted = std::max(wanted, carveout_);
  if (wanted == carveout_ || !l1().resize(p_.l1.kib - wanted)) return;
  carveout_ = wanted;
  ++statistics_.l1_resized;
}

void Sm::forget(const exec::Launch& launch, KernelShare& share) {
  const auto found = guests_.find(&launch);
  if (found == guests_.end()) return;
  share.add(found->second.share);
  guests_.erase(found);
  selected_ = nullptr;
}

void Sm::warp_ended(unsigned w, Cycle now) {
  Context& context = contexts_[w];
  scheduler_->finished(static_cast<int>(w));
  operands_->warp_ended(w);
  for (WarpSet& unit : next_unit_) unit &= ~(WarpSet{1} << w);
  ResidentBlock& block = blocks_[context.block_slot];
  if (block.block->finished()) {
    block.finished = true;
    block.exited_at = now;
    has_finished_blocks_ = true;
  }
}

void Sm::release_finished_blocks(Cycle now) {
  if (!has_finished_blocks_) return;
  has_finished_blocks_ = false;
  for (ResidentBlock& block : blocks_) {
    if (block.kernel == nullptr || !block.finished) continue;
    if (!drained(block, now) || must_flush_first(block, now)) {
      has_finished_blocks_ = true;
      continue;
    }
    vacate(block);
    ++statistics_.blocks[block.kernel->application];
    retired_.push_back({block.kernel, block.exited_at});
    block_trace_.add({block.kernel->launch->config.grid_id, block.index,
                      static_cast<std::uint32_t>(&block - blocks_.data()), block.started, now});
    guests_[block.kernel->launch].spare_blocks.push_back(std::move(block.block));
    block = {};
  }
}

bool Sm::drained(const ResidentBlock& block, Cycle now) {
  if (!block.records.empty()) return false;
  Cycle until = 0;
  const unsigned registers = block.kernel->launch->config.registers;
  for (WarpSet left = block.warps; left != 0; left &= left - 1) {
    const auto w = static_cast<unsigned>(std::countr_zero(left));
    const Context& context = contexts_[w];
    if (context.in_flight != 0 || context.in_system_call) return false;
    const Cycle* written = written_at(w);
    for (unsigned r = 0; r < registers; ++r) until = std::max(until, written[r]);
    for (std::size_t r = kFirstPredicate; r < kRegisters; ++r) until = std::max(until, written[r]);
  }
  if (until < now) return true;
  wake_by(until);  // no event may be there for what nobody waits for
  return false;
}

/// Gives back what the block has of the SM.
void Sm::vacate(const ResidentBlock& block) {
  for (WarpSet left = block.warps; left != 0; left &= left - 1) {
    const auto w = static_cast<unsigned>(std::countr_zero(left));
    contexts_[w].warp = nullptr;
    fetch_.stop(w);
  }
  for (WarpSet* set : {&resident_, &ready_, &at_barrier_, &fetching_, &waits_memory_, &waits_result_, &waits_order_,
                       &stopped_, &restoring_, &held_, &flush_waiters_})
    *set &= ~block.warps;
  for (WarpSet& unit : next_unit_) unit &= ~block.warps;
  operands_->block_ended(block.kernel->launch->config.registers, block.kernel->launch->warps_per_block);
  shared_used_ -= block.shared;
  if (!warps_of_.empty()) warps_of_[block.kernel->application] -= block.kernel->launch->warps_per_block;
  if (control_ != nullptr) control_->block_left(*block.kernel, block.warps);
}

std::vector<std::uint32_t> Sm::running_blocks() const {
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < blocks_.size(); ++slot) {
    if (blocks_[slot].kernel != nullptr && !blocks_[slot].finished) slots.push_back(slot);
  }
  return slots;
}

std::vector<Sm::BlockView> Sm::view_blocks() const {
  std::vector<BlockView> views;
  for (const std::uint32_t slot : running_blocks()) {
    const ResidentBlock& block = blocks_[slot];
    views.push_back({slot, block.kernel, block.order, (stopped_ & block.warps) != 0});
  }
  return views;
}

void Sm::Use::add(const Use& other) {
  blocks += other.blocks;
  warps += other.warps;
  registers += other.registers;
  shared += other.shared;
}

Sm::Use Sm::capacity() const { return {p_.blocks, p_.warps, p_.registers, p_.shared_kib * 1024}; }

Sm::Use Sm::need(const KernelInstance& kernel) const {
  const unsigned warps = kernel.launch->warps_per_block;
  const unsigned granule = p_.register_granule;
  const unsigned of_warp = (kernel.launch->config.registers * kWarpSize + granule - 1) / granule * granule;
  return {1, warps, of_warp * warps, kernel.launch->config.shared_bytes};
}

Sm::Use Sm::use_of(std::uint16_t application) const {
  Use use;
  for (const ResidentBlock& block : blocks_) {
    if (block.kernel != nullptr && block.kernel->application == application) use.add(need(*block.kernel));
  }
  return use;
}

void Sm::stop_block(std::uint32_t slot, Cycle now) {
  begin_blocks();
  stopped_ |= blocks_[slot].warps;
  for (WarpSet left = blocks_[slot].warps; left != 0; left &= left - 1)
    refresh(static_cast<unsigned>(std::countr_zero(left)), now);
}

bool Sm::can_take_out(std::uint32_t slot, Cycle now) {
  ResidentBlock& block = blocks_[slot];
  HEDDLE_CHECK(block.kernel != nullptr && (stopped_ & block.warps) == block.warps, "a block that was not stopped");
  if (block.finished || moves(slot) || !drained(block, now) || !registers_leave(block)) return false;
  if (memory_.l1().clean()) return true;
  // What the block wrote must be where it goes to.
  if (block.flush == 0) {
    block.flush = memory_.l1().flush();
    wake_by(now);
  }
  return memory_.l1().flushed(block.flush);
}

bool Sm::registers_leave(const ResidentBlock& block) {
  bool all = true;
  for (WarpSet left = block.warps; left != 0; left &= left - 1) {
    const auto w = static_cast<unsigned>(std::countr_zero(left));
    if (contexts_[w].warp->state != exec::WarpState::done) all = operands_->leaves(w) && all;
  }
  return all;
}

void Sm::save_block(std::uint32_t slot, Cycle now) {
  ResidentBlock& block = blocks_[slot];
  block.place = context_place(setup_.index, blocks_saved_++);
  block.move = mover_.start({memory::RequestKind::write, block.place, context_bytes(*block.block, *block.kernel), slot,
                             block.kernel->application});
  wake_by(now);
}

void Sm::context_moved(const ContextMover::Ended& ended, Cycle now) {
  ResidentBlock& block = blocks_[ended.move.slot];
  if (block.kernel == nullptr || block.move != ended.number) return;  // it was dropped meanwhile
  block.move = kNoMove;
  if (ended.move.kind != memory::RequestKind::read) return;
  block.place = 0;
  restoring_ &= ~block.warps;
  for (WarpSet left = block.warps; left != 0; left &= left - 1)
    refresh(static_cast<unsigned>(std::countr_zero(left)), now);
}

SavedBlock Sm::take_out(std::uint32_t slot) {
  ResidentBlock& block = blocks_[slot];
  for (WarpSet left = block.warps; left != 0; left &= left - 1) {
    const auto w = static_cast<unsigned>(std::countr_zero(left));
    if (contexts_[w].warp->state == exec::WarpState::done) continue;
    scheduler_->finished(static_cast<int>(w));
    operands_->warp_ended(w);
  }
  vacate(block);
  SavedBlock saved{std::move(block.block), block.kernel, block.index, block.place};
  block = {};
  return saved;
}

void Sm::stop_launch(std::uint64_t grid_id, Cycle now) {
  for (const std::uint32_t slot : running_blocks()) {
    if (blocks_[slot].kernel->launch->config.grid_id == grid_id) stop_block(slot, now);
  }
}

void Sm::drop_launch(KernelInstance& kernel, Cycle now) {
  for (const std::uint32_t slot : running_blocks()) {
    if (blocks_[slot].kernel != &kernel || !can_take_out(slot, now)) continue;
    (void)take_out(slot);
    ++kernel.blocks_done;
    kernel.ended_at = now;
  }
}

bool Sm::must_flush_first(ResidentBlock& block, Cycle now) {
  if (memory_.l1().clean()) return false;
  if (block.flush != 0) return !memory_.l1().flushed(block.flush);
  // The last block of a kernel on this SM takes the kernel's dirty data with it: after its end, everybody sees them.
  if (!block.kernel->dispatched()) return false;
  const auto others = std::count_if(blocks_.begin(), blocks_.end(),
                                    [&](const ResidentBlock& other) { return other.kernel == block.kernel; });
  if (others > 1) return false;
  block.flush = memory_.l1().flush();
  wake_ = std::min(wake_, now);
  return true;
}

}  // namespace heddle::core
