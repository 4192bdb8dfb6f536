// The PTX that the build put into the program. HEDDLE_EMBEDDED_PTX(NAME), at namespace scope in NAME.cpp, makes
// heddle::workloads::embedded::NAME() available: the text of NAME.cu compiled to PTX.
#pragma once

#include <string_view>

#define HEDDLE_EMBEDDED_PTX(name)         \
  namespace heddle::workloads::embedded { \
  std::string_view name();                \
  }
