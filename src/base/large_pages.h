// Large pages of the host, where it gives them to those who ask.
#pragma once

namespace heddle {

/// Asks for large pages for what this process will allocate, up to some hundred megabytes: a simulated GPU is tens of
/// megabytes that are gone through in every quantum. For programs, at their start: it changes how the C library
/// allocates.
void allocate_in_large_pages();

}  // namespace heddle
