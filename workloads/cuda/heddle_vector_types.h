// CUDA's vector types (float4 and friends), their make_ functions, and dim3.
//
// The alignments are CUDA's: two- and four-component types are aligned to their size (16 bytes at most), so that a
// float4 is loaded by one ld.v4; three-component types are aligned like one component.
#pragma once

#define HEDDLE_VECTOR_TYPES(name, T, align2, align4)                                                              \
  struct name##1 {                                                                                                \
    T x;                                                                                                          \
  };                                                                                                              \
  struct __attribute__((aligned(align2))) name##2 {                                                               \
    T x, y;                                                                                                       \
  };                                                                                                              \
  struct name##3 {                                                                                                \
    T x, y, z;                                                                                                    \
  };                                                                                                              \
  struct __attribute__((aligned(align4))) name##4 {                                                               \
    T x, y, z, w;                                                                                                 \
  };                                                                                                              \
  static inline __attribute__((host, device, unused)) name##1 make_##name##1(T x) { return {x}; }                 \
  static inline __attribute__((host, device, unused)) name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  static inline __attribute__((host, device, unused)) name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  static inline __attribute__((host, device, unused)) name##4 make_##name##4(T x, T y, T z, T w) {                \
    return {x, y, z, w};                                                                                          \
  }

HEDDLE_VECTOR_TYPES(char, signed char, 2, 4)
HEDDLE_VECTOR_TYPES(uchar, unsigned char, 2, 4)
HEDDLE_VECTOR_TYPES(short, short, 4, 8)
HEDDLE_VECTOR_TYPES(ushort, unsigned short, 4, 8)
HEDDLE_VECTOR_TYPES(int, int, 8, 16)
HEDDLE_VECTOR_TYPES(uint, unsigned int, 8, 16)
HEDDLE_VECTOR_TYPES(long, long int, 16, 16)
HEDDLE_VECTOR_TYPES(ulong, unsigned long int, 16, 16)
HEDDLE_VECTOR_TYPES(longlong, long long int, 16, 16)
HEDDLE_VECTOR_TYPES(ulonglong, unsigned long long int, 16, 16)
HEDDLE_VECTOR_TYPES(float, float, 8, 16)
HEDDLE_VECTOR_TYPES(double, double, 16, 16)
#undef HEDDLE_VECTOR_TYPES

struct dim3 {
  unsigned x, y, z;
  __attribute__((host, device)) constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1)
      : x(x_), y(y_), z(z_) {}
};
