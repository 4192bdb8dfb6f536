#include "vm/forward_backward_table.h"

#include "base/check.h"

namespace heddle::vm {

ForwardBackwardTable::ForwardBackwardTable(unsigned entries, unsigned ways, unsigned page_order)
    : ways_(ways), order_(page_order), sets_(entries / ways), entries_(entries), forward_(entries, kNone) {}

std::uint32_t ForwardBackwardTable::find(PhysFrame frame) const {
  const std::size_t first = backward_set(frame);
  for (std::size_t i = first; i < first + ways_; ++i) {
    if (entries_[i].state != FbtState::free && entries_[i].frame == frame) return static_cast<std::uint32_t>(i);
  }
  return kNone;
}

std::uint32_t ForwardBackwardTable::find(SpaceId space, VirtPage page) const {
  const std::size_t first = forward_set(space, page);
  for (std::size_t i = first; i < first + ways_; ++i) {
    if (forward_[i] == kNone) continue;
    const FbtEntry& entry = entries_[forward_[i]];
    if (entry.page == page && entry.space == space) return forward_[i];
  }
  return kNone;
}

bool ForwardBackwardTable::goes_before(std::uint32_t a, std::uint32_t b) const {
  const FbtEntry& x = entries_[a];
  // One that waits for synonyms may wait for those who ask for its place.
  if (x.state == FbtState::draining || (x.state == FbtState::open && !x.quiet())) return false;
  if (b == kNone) return true;
  const FbtEntry& y = entries_[b];
  if ((x.state == FbtState::open) != (y.state == FbtState::open)) return y.state == FbtState::open;
  if ((x.lines == 0) != (y.lines == 0)) return x.lines == 0;
  return x.used < y.used;
}

ForwardBackwardTable::Room ForwardBackwardTable::room_for(PhysFrame frame, SpaceId space, VirtPage page) const {
  Room room;
  const std::size_t first = backward_set(frame);
  for (std::size_t i = first; i < first + ways_; ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    if (entries_[i].state == FbtState::free) {
      room.place = index;
    } else if (goes_before(index, room.backward)) {
      room.backward = index;
    }
  }
  if (room.place != kNone) room.backward = kNone;
  bool has_forward = false;
  const std::size_t forward = forward_set(space, page);
  for (std::size_t i = forward; i < forward + ways_; ++i) {
    if (forward_[i] == kNone) {
      has_forward = true;
    } else if (goes_before(forward_[i], room.forward)) {
      room.forward = forward_[i];
    }
  }
  if (has_forward) {
    room.forward = kNone;
  } else {
    room.place = kNone;
  }
  return room;
}

void ForwardBackwardTable::add(std::uint32_t place, PhysFrame frame, SpaceId space, VirtPage page, bool writable) {
  FbtEntry& entry = entries_[place];
  HEDDLE_CHECK(entry.state == FbtState::free, "an entry of the backward table is used twice");
  entry = {};
  entry.state = FbtState::open;
  entry.frame = frame;
  entry.space = space;
  entry.page = page;
  entry.writable = writable;
  touch(place);
  const std::size_t first = forward_set(space, page);
  for (std::size_t i = first; i < first + ways_; ++i) {
    if (forward_[i] != kNone) continue;
    forward_[i] = place;
    return;
  }
  HEDDLE_CHECK(false, "the forward table has no room for an entry of the backward table");
}

void ForwardBackwardTable::remove(std::uint32_t index) {
  const std::size_t first = forward_set(entries_[index].space, entries_[index].page);
  for (std::size_t i = first; i < first + ways_; ++i) {
    if (forward_[i] == index) forward_[i] = kNone;
  }
  entries_[index].state = FbtState::free;
}

}  // namespace heddle::vm
