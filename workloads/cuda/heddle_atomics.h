// Atomic functions on global and shared memory, relaxed and device-wide as CUDA defines them.
//
// There are no builtins for unsigned or 64-bit unsigned forms where the bits do not depend on the sign; those are
// casts. min and max do depend on it and have builtins of their own. The _block and _system forms are left out.
#pragma once

#define HEDDLE_ATOMIC(name, T, builtin, Raw) \
  HEDDLE_DEVICE T name(T* address, T value) { return (T)builtin((Raw*)address, (Raw)value); }

HEDDLE_ATOMIC(atomicAdd, int, __nvvm_atom_add_gen_i, int)
HEDDLE_ATOMIC(atomicAdd, unsigned, __nvvm_atom_add_gen_i, int)
HEDDLE_ATOMIC(atomicAdd, unsigned long long, __nvvm_atom_add_gen_ll, long long)
HEDDLE_ATOMIC(atomicAdd, float, __nvvm_atom_add_gen_f, float)
HEDDLE_ATOMIC(atomicAdd, double, __nvvm_atom_add_gen_d, double)

HEDDLE_ATOMIC(atomicSub, int, __nvvm_atom_sub_gen_i, int)
HEDDLE_ATOMIC(atomicSub, unsigned, __nvvm_atom_sub_gen_i, int)

HEDDLE_ATOMIC(atomicExch, int, __nvvm_atom_xchg_gen_i, int)
HEDDLE_ATOMIC(atomicExch, unsigned, __nvvm_atom_xchg_gen_i, int)
HEDDLE_ATOMIC(atomicExch, unsigned long long, __nvvm_atom_xchg_gen_ll, long long)

HEDDLE_ATOMIC(atomicMin, int, __nvvm_atom_min_gen_i, int)
HEDDLE_ATOMIC(atomicMin, unsigned, __nvvm_atom_min_gen_ui, unsigned)
HEDDLE_ATOMIC(atomicMin, long long, __nvvm_atom_min_gen_ll, long long)
HEDDLE_ATOMIC(atomicMin, unsigned long long, __nvvm_atom_min_gen_ull, unsigned long long)
HEDDLE_ATOMIC(atomicMax, int, __nvvm_atom_max_gen_i, int)
HEDDLE_ATOMIC(atomicMax, unsigned, __nvvm_atom_max_gen_ui, unsigned)
HEDDLE_ATOMIC(atomicMax, long long, __nvvm_atom_max_gen_ll, long long)
HEDDLE_ATOMIC(atomicMax, unsigned long long, __nvvm_atom_max_gen_ull, unsigned long long)

HEDDLE_ATOMIC(atomicInc, unsigned, __nvvm_atom_inc_gen_ui, unsigned)
HEDDLE_ATOMIC(atomicDec, unsigned, __nvvm_atom_dec_gen_ui, unsigned)

HEDDLE_ATOMIC(atomicAnd, int, __nvvm_atom_and_gen_i, int)
HEDDLE_ATOMIC(atomicAnd, unsigned, __nvvm_atom_and_gen_i, int)
HEDDLE_ATOMIC(atomicAnd, unsigned long long, __nvvm_atom_and_gen_ll, long long)
HEDDLE_ATOMIC(atomicOr, int, __nvvm_atom_or_gen_i, int)
HEDDLE_ATOMIC(atomicOr, unsigned, __nvvm_atom_or_gen_i, int)
HEDDLE_ATOMIC(atomicOr, unsigned long long, __nvvm_atom_or_gen_ll, long long)
HEDDLE_ATOMIC(atomicXor, int, __nvvm_atom_xor_gen_i, int)
HEDDLE_ATOMIC(atomicXor, unsigned, __nvvm_atom_xor_gen_i, int)
HEDDLE_ATOMIC(atomicXor, unsigned long long, __nvvm_atom_xor_gen_ll, long long)
#undef HEDDLE_ATOMIC

HEDDLE_DEVICE float atomicExch(float* address, float value) {
  return __builtin_bit_cast(float, __nvvm_atom_xchg_gen_i((int*)address, __builtin_bit_cast(int, value)));
}

HEDDLE_DEVICE int atomicCAS(int* address, int compare, int value) {
  return __nvvm_atom_cas_gen_i(address, compare, value);
}
HEDDLE_DEVICE unsigned atomicCAS(unsigned* address, unsigned compare, unsigned value) {
  return (unsigned)__nvvm_atom_cas_gen_i((int*)address, (int)compare, (int)value);
}
HEDDLE_DEVICE unsigned long long atomicCAS(unsigned long long* address, unsigned long long compare,
                                           unsigned long long value) {
  return (unsigned long long)__nvvm_atom_cas_gen_ll((long long*)address, (long long)compare, (long long)value);
}
