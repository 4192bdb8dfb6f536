// Bit operations, read-only loads, conversions, rounding-explicit arithmetic and the approximate functions.
//
// The `__name` functions of this file map to one or two PTX instructions each; their accuracy is the one the PTX
// manual states for ex2.approx, lg2.approx, sin.approx, cos.approx, div.approx and rsqrt.approx.
#pragma once

// --- Bits.
HEDDLE_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
HEDDLE_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
HEDDLE_DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
HEDDLE_DEVICE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
HEDDLE_DEVICE int __ffs(int x) { return x == 0 ? 0 : 32 - __clz(x & -x); }
HEDDLE_DEVICE int __ffsll(long long x) { return x == 0 ? 0 : 64 - __clzll(x & -x); }
HEDDLE_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
HEDDLE_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
HEDDLE_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  return (unsigned)__nvvm_prmt((int)x, (int)y, (int)selector);
}
HEDDLE_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long pair = (unsigned long long)high << 32 | low;
  return (unsigned)(pair << (shift & 31) >> 32);
}
HEDDLE_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long pair = (unsigned long long)high << 32 | low;
  return (unsigned)(pair >> (shift & 31));
}

// --- Integer arithmetic.
HEDDLE_DEVICE int __mulhi(int x, int y) { return __nvvm_mulhi_i(x, y); }
HEDDLE_DEVICE unsigned __umulhi(unsigned x, unsigned y) { return __nvvm_mulhi_ui(x, y); }
HEDDLE_DEVICE long long __mul64hi(long long x, long long y) { return __nvvm_mulhi_ll(x, y); }
HEDDLE_DEVICE unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return __nvvm_mulhi_ull(x, y);
}
HEDDLE_DEVICE int __mul24(int x, int y) { return __nvvm_mul24_i(x, y); }
HEDDLE_DEVICE unsigned __umul24(unsigned x, unsigned y) { return __nvvm_mul24_ui(x, y); }
HEDDLE_DEVICE unsigned __usad(unsigned x, unsigned y, unsigned z) { return __nvvm_sad_ui(x, y, z); }

#define HEDDLE_MIN_MAX(T)                                 \
  HEDDLE_DEVICE T min(T x, T y) { return x < y ? x : y; } \
  HEDDLE_DEVICE T max(T x, T y) { return x > y ? x : y; }
HEDDLE_MIN_MAX(int)
HEDDLE_MIN_MAX(unsigned)
HEDDLE_MIN_MAX(long)
HEDDLE_MIN_MAX(unsigned long)
HEDDLE_MIN_MAX(long long)
HEDDLE_MIN_MAX(unsigned long long)
#undef HEDDLE_MIN_MAX
HEDDLE_DEVICE unsigned min(int x, unsigned y) { return min((unsigned)x, y); }
HEDDLE_DEVICE unsigned min(unsigned x, int y) { return min(x, (unsigned)y); }
HEDDLE_DEVICE unsigned max(int x, unsigned y) { return max((unsigned)x, y); }
HEDDLE_DEVICE unsigned max(unsigned x, int y) { return max(x, (unsigned)y); }
// Unlike a comparison, these return the other operand when one is NaN.
HEDDLE_DEVICE float min(float x, float y) { return __builtin_fminf(x, y); }
HEDDLE_DEVICE float max(float x, float y) { return __builtin_fmaxf(x, y); }
HEDDLE_DEVICE double min(double x, double y) { return __builtin_fmin(x, y); }
HEDDLE_DEVICE double max(double x, double y) { return __builtin_fmax(x, y); }
HEDDLE_DEVICE int abs(int x) { return x < 0 ? -x : x; }
HEDDLE_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }

// --- Loads through the read-only path (ld.global.nc).
#define HEDDLE_LDG(T, suffix) \
  HEDDLE_DEVICE T __ldg(const T* address) { return (T)__nvvm_ldg_##suffix(address); }
HEDDLE_LDG(char, c)
HEDDLE_LDG(unsigned char, uc)
HEDDLE_LDG(short, s)
HEDDLE_LDG(unsigned short, us)
HEDDLE_LDG(int, i)
HEDDLE_LDG(unsigned, ui)
HEDDLE_LDG(long, l)
HEDDLE_LDG(unsigned long, ul)
HEDDLE_LDG(long long, ll)
HEDDLE_LDG(unsigned long long, ull)
HEDDLE_LDG(float, f)
HEDDLE_LDG(double, d)
#undef HEDDLE_LDG
#define HEDDLE_LDG_VECTOR(T, Component, suffix2, suffix4)      \
  HEDDLE_DEVICE T##2 __ldg(const T##2 * address) {             \
    typedef Component Raw __attribute__((ext_vector_type(2))); \
    const Raw v = __nvvm_ldg_##suffix2((const Raw*)address);   \
    return {v.x, v.y};                                         \
  }                                                            \
  HEDDLE_DEVICE T##4 __ldg(const T##4 * address) {             \
    typedef Component Raw __attribute__((ext_vector_type(4))); \
    const Raw v = __nvvm_ldg_##suffix4((const Raw*)address);   \
    return {v.x, v.y, v.z, v.w};                               \
  }
HEDDLE_LDG_VECTOR(int, int, i2, i4)
HEDDLE_LDG_VECTOR(uint, unsigned, ui2, ui4)
HEDDLE_LDG_VECTOR(float, float, f2, f4)
#undef HEDDLE_LDG_VECTOR

// --- Reinterpretation and conversion with an explicit rounding.
HEDDLE_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
HEDDLE_DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
HEDDLE_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
HEDDLE_DEVICE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
HEDDLE_DEVICE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
HEDDLE_DEVICE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
HEDDLE_DEVICE int __float2int_rn(float x) { return __nvvm_f2i_rn(x); }
HEDDLE_DEVICE int __float2int_rz(float x) { return __nvvm_f2i_rz(x); }
HEDDLE_DEVICE int __float2int_ru(float x) { return __nvvm_f2i_rp(x); }
HEDDLE_DEVICE int __float2int_rd(float x) { return __nvvm_f2i_rm(x); }
HEDDLE_DEVICE unsigned __float2uint_rn(float x) { return __nvvm_f2ui_rn(x); }
HEDDLE_DEVICE unsigned __float2uint_rz(float x) { return __nvvm_f2ui_rz(x); }
HEDDLE_DEVICE float __int2float_rn(int x) { return __nvvm_i2f_rn(x); }
HEDDLE_DEVICE float __uint2float_rn(unsigned x) { return __nvvm_ui2f_rn(x); }
HEDDLE_DEVICE float __double2float_rn(double x) { return __nvvm_d2f_rn(x); }
HEDDLE_DEVICE int __double2int_rn(double x) { return __nvvm_d2i_rn(x); }

// --- Arithmetic that is never contracted into an FMA. In asm, because LLVM turns its own intrinsics for these into
// ordinary additions and multiplications, and then contracts them.
#define HEDDLE_ROUNDED(T, name, instruction, constraint)                                     \
  HEDDLE_DEVICE T name(T x, T y) {                                                           \
    T result;                                                                                \
    asm(instruction " %0, %1, %2;" : "=" constraint(result) : constraint(x), constraint(y)); \
    return result;                                                                           \
  }
HEDDLE_ROUNDED(float, __fadd_rn, "add.rn.f32", "f")
HEDDLE_ROUNDED(float, __fsub_rn, "sub.rn.f32", "f")
HEDDLE_ROUNDED(float, __fmul_rn, "mul.rn.f32", "f")
HEDDLE_ROUNDED(double, __dadd_rn, "add.rn.f64", "d")
HEDDLE_ROUNDED(double, __dsub_rn, "sub.rn.f64", "d")
HEDDLE_ROUNDED(double, __dmul_rn, "mul.rn.f64", "d")
#undef HEDDLE_ROUNDED
HEDDLE_DEVICE float __fdiv_rn(float x, float y) { return __nvvm_div_rn_f(x, y); }
HEDDLE_DEVICE float __frcp_rn(float x) { return __nvvm_rcp_rn_f(x); }
HEDDLE_DEVICE float __fsqrt_rn(float x) { return __nvvm_sqrt_rn_f(x); }
HEDDLE_DEVICE float __fmaf_rn(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
HEDDLE_DEVICE double __fma_rn(double x, double y, double z) { return __builtin_fma(x, y, z); }

// --- Approximate functions.
HEDDLE_DEVICE float __fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
HEDDLE_DEVICE float __exp2f(float x) { return __nvvm_ex2_approx_f(x); }
HEDDLE_DEVICE float __expf(float x) { return __nvvm_ex2_approx_f(x * 1.44269504f); }
HEDDLE_DEVICE float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.32192809f); }
HEDDLE_DEVICE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
HEDDLE_DEVICE float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.693147181f; }
HEDDLE_DEVICE float __log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.301029996f; }
HEDDLE_DEVICE float __powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
HEDDLE_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
HEDDLE_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
HEDDLE_DEVICE float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
HEDDLE_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }
HEDDLE_DEVICE float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }
HEDDLE_DEVICE double rsqrt(double x) { return 1.0 / __nvvm_sqrt_rn_d(x); }
