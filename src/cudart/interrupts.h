// Ctrl-C in a program that does nothing about it itself: what runs is stopped, and what was done until then is kept.
//
// A signal can come at any moment, also while the program itself runs. So its handler only takes note, and a thread of
// the library ends the program when no call is under way. A second Ctrl-C ends it at once.
#pragma once

#include <functional>

namespace heddle::cudart {

/// From now on, unless the program has a handler of its own. `end` is called in a thread of its own, once.
void watch_interrupts(std::function<void()> end);
/// Whether Ctrl-C was pressed.
[[nodiscard]] bool interrupt_requested();

}  // namespace heddle::cudart
