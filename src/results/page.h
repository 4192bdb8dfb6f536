// The files of web/, inside the program.
#pragma once

#include <string_view>

namespace heddle::results {

std::string_view page_charts();  ///< web/third_party/chart.umd.min.js
std::string_view page_script();  ///< web/report.js
std::string_view page_style();   ///< web/report.css

}  // namespace heddle::results
