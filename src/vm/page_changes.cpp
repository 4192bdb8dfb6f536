#include "vm/page_changes.h"

#include <algorithm>

#include "base/check.h"

namespace heddle::vm {

using sim::Cycle;

void PageChanges::advance(Cycle now) {
  for (const std::uint64_t id : std::exchange(setup_.unit.acknowledged(), {})) {
    const auto found = running_.find(id);
    HEDDLE_CHECK(found != running_.end(), "a shootdown is acknowledged that nobody asked for");
    if (++found->second.acknowledged != found->second.names.size()) continue;
    Change change = std::move(found->second);
    running_.erase(found);
    finish(change, now);
    for (const Frame& frame : change.frames) changing_.erase(frame);
    if (change.done) change.done();
    for (Change& waiting : std::exchange(waiting_, {})) add(std::move(waiting), now);
  }
  for (const PageChange& wish : std::exchange(setup_.unit.changes(), {})) add({.wish = wish, .began = now}, now);
}

void PageChanges::ask(const PageChange& wish, std::function<void()> done, Cycle now) {
  add({.wish = wish, .began = now, .done = std::move(done)}, now);
}

void PageChanges::allow(const WalkJob& job, Cycle now) {
  if (setup_.memory.space(job.space->id()).classify(job.page, true) != FaultClass::minor) {
    setup_.unit.retry(job, now);  // it may be written already
    return;
  }
  // Those who wait to write must not keep what another change of the page may wait for.
  setup_.unit.hold(job.space->id(), job.page, now);
  add({.wish = {.operation = HostOperation::allow, .space = job.space->id(), .page = job.page},
       .began = now,
       .job = job},
      now);
}

bool PageChanges::choose(Change& change) const {
  PageChange& wish = change.wish;
  const AddressSpace& space = setup_.memory.space(wish.space);
  wish.page = whole(wish.page);
  wish.target = whole(wish.target);
  if (!space.has(wish.page)) return false;
  change.names = space.names(wish.page);
  change.frames = {{wish.space, change.names.front().number}};
  switch (wish.operation) {
    case HostOperation::protect:
    case HostOperation::allow:
    case HostOperation::rights:
      change.names = {wish.page};
      return true;
    case HostOperation::remap: {
      if (!space.has(wish.target) || wish.target_space != wish.space) return false;
      if (wish.random) {
        const std::size_t aliases = change.names.size() - 1;
        if (aliases == 0) return false;
        wish.page = change.names[1 + wish.number % aliases];
      }
      const VirtPage owner = space.names(wish.target).front();
      if (owner == change.names.front()) return false;
      space.check_alias(wish.page);
      change.names = {wish.page};
      change.frames.emplace_back(wish.space, owner.number);
      return true;
    }
    default:
      return true;
  }
}

void PageChanges::add(Change change, Cycle now) {
  if (!choose(change)) {
    if (change.wish.operation == HostOperation::allow) setup_.unit.retry(change.job, now);
    if (change.done) change.done();
    return;
  }
  if (std::any_of(change.frames.begin(), change.frames.end(),
                  [&](const Frame& frame) { return changing_.contains(frame); })) {
    if (!std::exchange(change.waited, true)) ++statistics_.waited;
    waiting_.push_back(std::move(change));
    return;
  }
  begin(std::move(change), now);
}

void PageChanges::begin(Change change, Cycle now) {
  AddressSpace& space = setup_.memory.space(change.wish.space);
  const std::uint64_t id = next_++;
  changing_.insert(change.frames.begin(), change.frames.end());
  for (const VirtPage name : change.names) {
    switch (change.wish.operation) {
      case HostOperation::move:
      case HostOperation::remap:
        space.hold(name, true);
        setup_.unit.hold(change.wish.space, name, now);
        break;
      case HostOperation::evict:
        space.evict(name);
        break;
      case HostOperation::protect:
        space.guard(name, true);
        break;
      case HostOperation::rights:
        space.protect(name.address(), 1, change.wish.writable);
        if (!change.wish.writable) break;  // who writes until it is shot down may still do so
        setup_.unit.hold(change.wish.space, name, now);
        break;
      default:
        // From now on it may be written; what the caches know of it must go before anybody tries again.
        space.guard(name, false);
        tell_right(space, name);
        setup_.unit.hold(change.wish.space, name, now);
        break;
    }
    setup_.unit.shoot(change.wish.space, name, id, now);
  }
  running_.emplace(id, std::move(change));
}

void PageChanges::finish(Change& change, Cycle now) {
  const PageChange& wish = change.wish;
  AddressSpace& space = setup_.memory.space(wish.space);
  statistics_.latency += now - change.began;
  const bool is_there = space.has(wish.page);  // else it was freed meanwhile
  switch (wish.operation) {
    case HostOperation::move:
      if (is_there) space.migrate(wish.page, true);
      ++statistics_.moved;
      break;
    case HostOperation::remap:
      if (is_there && space.has(wish.target)) {
        space.alias(wish.page, wish.target);
        setup_.remapped(wish.space, wish.page, wish.target);
      }
      ++statistics_.remapped;
      break;
    case HostOperation::evict:
      ++statistics_.evicted;
      break;
    case HostOperation::protect:
      if (is_there) tell_right(space, wish.page);
      ++statistics_.protects;
      break;
    case HostOperation::rights:
      if (is_there) tell_right(space, wish.page);
      ++statistics_.rights;
      break;
    default:
      ++statistics_.allowed;
      break;
  }
  if (wish.operation == HostOperation::move || wish.operation == HostOperation::remap) {
    for (const VirtPage name : change.names) {
      if (space.has(name)) space.hold(name, false);
      setup_.unit.release(wish.space, name, now);
    }
  } else if (wish.operation == HostOperation::allow) {
    setup_.unit.release(wish.space, wish.page, now);
    setup_.unit.retry(change.job, now);
  } else if (wish.operation == HostOperation::rights && wish.writable) {
    setup_.unit.release(wish.space, wish.page, now);
  }
}

void PageChanges::tell_right(const AddressSpace& space, VirtPage page) {
  if (setup_.checker == nullptr) return;
  for (std::uint64_t i = 0; i < pages_in(space.page_size()); ++i)
    setup_.checker->guards(space.id(), page.number + i, space.is_guarded(page) || !space.may_write(page));
}

}  // namespace heddle::vm
