// What sharing costs, as a page: each application together and alone, and the run together over time.
#pragma once

#include "cli/mix.h"
#include "results/report.h"

namespace heddle::cli {

[[nodiscard]] results::Report mix_report(const MixResult& result, const std::string& machine,
                                         const std::string& database);

}  // namespace heddle::cli
