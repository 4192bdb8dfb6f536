// Joins modules that name each other's functions and variables: relocatable device code.
#pragma once

#include <vector>

#include "ptx/module.h"

namespace heddle::ptx {

/// One module of all of them. A name that is visible, weak or common means the same thing everywhere; others stay
/// their module's own. Declarations give way to the definition. Two definitions that are not weak are an error.
[[nodiscard]] Module link(std::vector<Module> modules, Diagnostics& diagnostics);

}  // namespace heddle::ptx
