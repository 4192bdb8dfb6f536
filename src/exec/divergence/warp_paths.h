// The paths of a diverged warp, and the tree of points where they wait for each other.
#pragma once

#include <vector>

#include "exec/spin.h"

namespace heddle::exec {

using MeetingId = std::uint32_t;
inline constexpr MeetingId kRoot = 0;  ///< where the kernel ends
inline constexpr MeetingId kNoMeeting = ~MeetingId{0};

/// Where lanes of a split path wait for each other. A lane on its way to one is expected there and in all above it.
struct Meeting {
  std::uint32_t pc = isa::kNoPc;
  LaneMask expected = 0;
  LaneMask arrived = 0;
  MeetingId parent = kRoot;
  unsigned calls = 0;    ///< functions entered on the way here
  bool is_call = false;  ///< lanes arrive by returning
  bool used = false;
};

/// A path that does not run.
struct Waiting {
  std::uint32_t pc = 0;
  MeetingId meeting = kRoot;  ///< the next one it comes to
  LaneMask mask = 0;
  LaneMask named = 0;    ///< not 0: waits until these have come to an instruction where lanes meet
  bool granted = false;  ///< has waited for that, and may execute it
  bool spun = false;     ///< had its turn and waited in a loop
};

class WarpPaths {
 public:
  std::vector<Meeting> meetings;
  std::vector<Waiting> paths;  ///< all but the running one; the last one that can run is the next
  MeetingId meeting = kRoot;   ///< of the running path
  SpinWatch spin;

  void start(LaneMask lanes);
  /// Where the running path waits for others.
  [[nodiscard]] std::uint32_t until() const { return meetings[meeting].is_call ? isa::kNoPc : meetings[meeting].pc; }
  MeetingId add_meeting(const Meeting& added);
  /// Lanes leave the meetings from `id` up to, not including, `end`: they will not come there.
  void leave(MeetingId id, MeetingId end, LaneMask lanes);
  /// Meetings to which nobody has to come any more end; those who were there go on.
  void settle();
  /// Those who wait at a meeting go on without the others.
  void release(MeetingId id);
  /// A meeting where somebody waits: the nearest on the way of the running path, else any. kRoot: there is none.
  [[nodiscard]] MeetingId find_waiting() const;
  /// The nearest meeting that paths on their way to two others both come to; kNoMeeting if one of them has to return
  /// from a function before.
  [[nodiscard]] MeetingId common_meeting(MeetingId a, MeetingId b) const;

 private:
  /// Lanes go on from a meeting towards the one above it.
  void go_on_from(const Meeting& left, LaneMask lanes);
};

}  // namespace heddle::exec
