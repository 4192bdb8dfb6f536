// The CUDA device language for clang without a CUDA toolkit: what a .cu file of this project may use.
//
// clang knows the CUDA attributes and the NVPTX builtins; this header and its parts give them the names CUDA programs
// use. Covered: qualifiers, built-in variables, vector types, barriers, fences, shuffles, votes, atomics, bit
// operations, conversions, approximate intrinsics, libm (heddle_math.h), printf, assert, device malloc.
// Not covered: textures, cooperative groups, half precision, wmma, device-side launches, host code with <<<>>>.
// nvcc brings all of this itself: compiled by nvcc, this header declares nothing.
#pragma once

#ifndef __NVCC__

#ifndef __clang__
#error "heddle_cuda.h is for clang in CUDA mode (-x cuda); other compilers need the CUDA toolkit"
#endif

#include <stddef.h>
#include <stdint.h>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(bytes) __attribute__((aligned(bytes)))

#define HEDDLE_DEVICE static __attribute__((device, always_inline, unused)) inline

#include "heddle_vector_types.h"

// --- Built-in variables. A property read becomes a read of the special register, so `threadIdx.x` costs one mov.
namespace heddle_device {

#define HEDDLE_BUILTIN_AXIS(axis, reg)                   \
  __declspec(property(get = read_##axis)) unsigned axis; \
  HEDDLE_DEVICE unsigned read_##axis() { return __nvvm_read_ptx_sreg_##reg##_##axis(); }
#define HEDDLE_BUILTIN_VARIABLE(type, reg)                                  \
  struct type {                                                             \
    HEDDLE_BUILTIN_AXIS(x, reg)                                             \
    HEDDLE_BUILTIN_AXIS(y, reg)                                             \
    HEDDLE_BUILTIN_AXIS(z, reg)                                             \
    __attribute__((device)) operator dim3() const { return dim3(x, y, z); } \
  };
HEDDLE_BUILTIN_VARIABLE(ThreadIdx, tid)
HEDDLE_BUILTIN_VARIABLE(BlockIdx, ctaid)
HEDDLE_BUILTIN_VARIABLE(BlockDim, ntid)
HEDDLE_BUILTIN_VARIABLE(GridDim, nctaid)
#undef HEDDLE_BUILTIN_VARIABLE
#undef HEDDLE_BUILTIN_AXIS

}  // namespace heddle_device

// `extern ... weak` and never defined: only the properties are used, so no symbol is referenced.
extern const __attribute__((device, weak)) heddle_device::ThreadIdx threadIdx;
extern const __attribute__((device, weak)) heddle_device::BlockIdx blockIdx;
extern const __attribute__((device, weak)) heddle_device::BlockDim blockDim;
extern const __attribute__((device, weak)) heddle_device::GridDim gridDim;
static constexpr int warpSize = 32;

// --- Barriers and fences. clang's builtins alone are not enough: LLVM 14 believes that an intrinsic changes no
// variable of this file whose address never leaves it, and so keeps a __shared__ value in a register across bar.sync.
// An asm that clobbers memory, on either side, makes it load again.
#define HEDDLE_COMPILER_FENCE() asm volatile("" ::: "memory")
#define __syncthreads() heddle_device::synchronise_block()
namespace heddle_device {
HEDDLE_DEVICE void synchronise_block() { asm volatile("bar.sync 0;" ::: "memory"); }
}  // namespace heddle_device
#define HEDDLE_FENCED(type, name, parameters, call) \
  HEDDLE_DEVICE type name parameters {              \
    HEDDLE_COMPILER_FENCE();                        \
    const int result = call;                        \
    HEDDLE_COMPILER_FENCE();                        \
    return (type)result;                            \
  }
HEDDLE_FENCED(int, __syncthreads_count, (int predicate), __nvvm_bar0_popc(predicate))
HEDDLE_FENCED(int, __syncthreads_and, (int predicate), __nvvm_bar0_and(predicate))
HEDDLE_FENCED(int, __syncthreads_or, (int predicate), __nvvm_bar0_or(predicate))
HEDDLE_FENCED(void, __threadfence, (), (__nvvm_membar_gl(), 0))
HEDDLE_FENCED(void, __threadfence_block, (), (__nvvm_membar_cta(), 0))
HEDDLE_FENCED(void, __threadfence_system, (), (__nvvm_membar_sys(), 0))

// --- Clocks.
typedef long int clock_t;
HEDDLE_DEVICE clock_t clock() { return (clock_t)__nvvm_read_ptx_sreg_clock(); }
HEDDLE_DEVICE long long int clock64() { return (long long int)__nvvm_read_ptx_sreg_clock64(); }
HEDDLE_DEVICE unsigned long long __globaltimer() {
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}

// --- The device run time: resolved by whoever runs the PTX.
extern "C" {
__attribute__((device)) int vprintf(const char* format, void* arguments);
__attribute__((device)) int printf(const char* format, ...);  // clang rewrites calls into vprintf
__attribute__((device)) void* malloc(size_t bytes);
__attribute__((device)) void free(void* address);
__attribute__((device, noreturn)) void __assertfail(const char* condition, const char* file, unsigned line,
                                                    const char* function, size_t char_size);
}
HEDDLE_DEVICE void __trap() { asm volatile("trap;"); }
HEDDLE_DEVICE void __brkpt() { asm volatile("brkpt;"); }

#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __assertfail(#condition, __FILE__, __LINE__, __func__, sizeof(char)))
#endif

#include "heddle_atomics.h"
#include "heddle_intrinsics.h"
#include "heddle_math.h"
#include "heddle_warp.h"

#endif  // __NVCC__
