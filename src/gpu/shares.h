// Shares of applications, as parameters write them: "even", or numbers joined by ':' ("15:15", "9:1").
#pragma once

#include <string>
#include <vector>

#include "sim/parameter.h"

namespace heddle::gpu {

/// One number for each application; one alone has all, whatever the text says. Throws UserError that names the
/// parameter if the text has not as many.
[[nodiscard]] std::vector<unsigned> shares_of(const std::string& parameter, const std::string& text,
                                              unsigned applications);

/// A parameter that holds shares.
[[nodiscard]] sim::Text shares_text(sim::ParameterGroup& group, const std::string& key, const std::string& description);

}  // namespace heddle::gpu
