// Kernels as people know them: the compiler writes a C++ name and its types as one word.
#pragma once

#include <string>

namespace heddle {

/// "_Z5scaleIfEvPT_i" as "scale<float>(float*, int)". Other names stay as they are.
[[nodiscard]] std::string kernel_name(const std::string& symbol);
/// The same without the types of the parameters: "scale<float>".
[[nodiscard]] std::string short_kernel_name(const std::string& symbol);

}  // namespace heddle
