// What the programs share: a call that must not fail.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                     \
  do {                                                                                                  \
    const cudaError_t error_ = (call);                                                                  \
    if (error_ != cudaSuccess) {                                                                        \
      std::printf("line %d: %s: %s\n", __LINE__, cudaGetErrorName(error_), cudaGetErrorString(error_)); \
      std::exit(1);                                                                                     \
    }                                                                                                   \
  } while (0)

/// A number that any change of the bytes changes.
inline unsigned checksum(const void* data, size_t bytes) {
  unsigned hash = 2166136261u;
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 16777619u;
  return hash;
}
