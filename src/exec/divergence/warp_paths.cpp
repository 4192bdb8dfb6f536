#include "exec/divergence/warp_paths.h"

namespace heddle::exec {

void WarpPaths::start(LaneMask lanes) {
  meetings.assign(1, {});
  meetings[kRoot].used = true;
  meetings[kRoot].expected = lanes;
  paths.clear();
  meeting = kRoot;
  spin.restart();
}

MeetingId WarpPaths::add_meeting(const Meeting& added) {
  for (MeetingId id = kRoot + 1; id < meetings.size(); ++id) {
    if (meetings[id].used) continue;
    meetings[id] = added;
    return id;
  }
  meetings.push_back(added);
  return static_cast<MeetingId>(meetings.size() - 1);
}

void WarpPaths::leave(MeetingId id, MeetingId end, LaneMask lanes) {
  for (; id != end; id = meetings[id].parent) {
    meetings[id].expected &= ~lanes;
    meetings[id].arrived &= ~lanes;
  }
}

void WarpPaths::go_on_from(const Meeting& left, LaneMask lanes) {
  Meeting& parent = meetings[left.parent];
  if (!parent.is_call && parent.pc == left.pc) {
    parent.arrived |= lanes;
  } else {
    paths.push_back({left.pc, left.parent, lanes, 0, false, false});
  }
}

void WarpPaths::settle() {
  for (bool again = true; again;) {
    again = false;
    for (MeetingId id = kRoot + 1; id < meetings.size(); ++id) {
      Meeting& ended = meetings[id];
      if (!ended.used || ended.arrived != ended.expected) continue;
      ended.used = false;
      if (ended.expected == 0) continue;
      go_on_from(ended, ended.expected);
      again = true;
    }
  }
}

void WarpPaths::release(MeetingId id) {
  Meeting& left = meetings[id];
  const LaneMask lanes = left.arrived;
  left.expected &= ~lanes;
  left.arrived = 0;
  go_on_from(left, lanes);
  settle();
}

MeetingId WarpPaths::find_waiting() const {
  for (MeetingId id = meeting; id != kRoot; id = meetings[id].parent) {
    if (meetings[id].used && meetings[id].arrived != 0) return id;
  }
  for (auto id = static_cast<MeetingId>(meetings.size()); --id > kRoot;) {
    if (meetings[id].used && meetings[id].arrived != 0) return id;
  }
  return kRoot;
}

MeetingId WarpPaths::common_meeting(MeetingId a, MeetingId b) const {
  for (MeetingId one = a;; one = meetings[one].parent) {
    for (MeetingId other = b;; other = meetings[other].parent) {
      if (one == other) return one;
      if (other == kRoot || meetings[other].is_call) break;
    }
    if (one == kRoot || meetings[one].is_call) return kNoMeeting;
  }
}

}  // namespace heddle::exec
