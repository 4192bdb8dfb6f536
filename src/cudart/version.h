// Which major version of the CUDA runtime this copy of the library stands in for. Each libcudart.so.* defines it.
#pragma once

namespace heddle::cudart {

extern const int kMajorVersion;  ///< 11, 12 or 13

}  // namespace heddle::cudart
