// What kernels and host of the particle filter share: the random numbers of the particles (each its own linear
// congruential generator) and the brightness of object and ground.
#pragma once

#ifdef __CUDA__
#define HEDDLE_BOTH_SIDES __device__ static inline
#else
#ifdef __CUDACC__
#define HEDDLE_BOTH_SIDES __device__ static inline
#else
#define HEDDLE_BOTH_SIDES static inline
#endif
#endif

static const int kDark = 100;
static const int kBright = 228;
static const float kPi = 3.14159274f;
static const float kSeedRange = 2147483648.0f;

// Never 0, whose logarithm there is none of.
HEDDLE_BOTH_SIDES int next_seed(int seed) { return (int)((1103515245u * (unsigned)seed + 12345u) & 0x7fffffffu) | 1; }

HEDDLE_BOTH_SIDES int round_to_int(float value) { return value >= 0.0f ? (int)(value + 0.5f) : -(int)(0.5f - value); }
#undef HEDDLE_BOTH_SIDES
