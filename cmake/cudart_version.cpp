#include "cudart/version.h"

namespace heddle::cudart {

const int kMajorVersion = HEDDLE_CUDART_MAJOR;

}  // namespace heddle::cudart
