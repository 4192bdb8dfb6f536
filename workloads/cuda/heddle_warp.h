// Warp-level operations: synchronisation, shuffles, votes, matches.
//
// The shuffle's last operand packs CUDA's `width`: bits 8..12 hold the segment mask (32 - width), bits 0..4 the clamp,
// which is 0 for `up` (the lowest lane of the segment) and 31 for the others.
#pragma once

HEDDLE_FENCED(void, __syncwarp, (unsigned mask = 0xffffffffu), (__nvvm_bar_warp_sync(mask), 0))

HEDDLE_DEVICE unsigned __activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
HEDDLE_DEVICE unsigned __lane_id() { return __nvvm_read_ptx_sreg_laneid(); }
HEDDLE_DEVICE unsigned __lanemask_lt() { return __nvvm_read_ptx_sreg_lanemask_lt(); }

HEDDLE_DEVICE int __all_sync(unsigned mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
HEDDLE_DEVICE int __any_sync(unsigned mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
HEDDLE_DEVICE int __uni_sync(unsigned mask, int predicate) { return __nvvm_vote_uni_sync(mask, predicate); }
HEDDLE_DEVICE unsigned __ballot_sync(unsigned mask, int predicate) { return __nvvm_vote_ballot_sync(mask, predicate); }
HEDDLE_DEVICE unsigned __match_any_sync(unsigned mask, unsigned value) {
  return __nvvm_match_any_sync_i32(mask, value);
}
HEDDLE_DEVICE unsigned __match_any_sync(unsigned mask, int value) {
  return __nvvm_match_any_sync_i32(mask, (unsigned)value);
}

// One name for the four shuffles, CUDA's names and operand.
#define HEDDLE_SHUFFLE(name, mode, clamp, Lane, lane)                                                         \
  HEDDLE_DEVICE int name(unsigned mask, int value, Lane lane, int width = 32) {                               \
    return __nvvm_shfl_sync_##mode##_i32(mask, value, (int)lane, ((32 - width) << 8) | clamp);                \
  }                                                                                                           \
  HEDDLE_DEVICE unsigned name(unsigned mask, unsigned value, Lane lane, int width = 32) {                     \
    return (unsigned)name(mask, (int)value, lane, width);                                                     \
  }                                                                                                           \
  HEDDLE_DEVICE float name(unsigned mask, float value, Lane lane, int width = 32) {                           \
    return __nvvm_shfl_sync_##mode##_f32(mask, value, (int)lane, ((32 - width) << 8) | clamp);                \
  }                                                                                                           \
  HEDDLE_DEVICE unsigned long long name(unsigned mask, unsigned long long value, Lane lane, int width = 32) { \
    const unsigned low = name(mask, (unsigned)value, lane, width);                                            \
    const unsigned high = name(mask, (unsigned)(value >> 32), lane, width);                                   \
    return (unsigned long long)high << 32 | low;                                                              \
  }                                                                                                           \
  HEDDLE_DEVICE long long name(unsigned mask, long long value, Lane lane, int width = 32) {                   \
    return (long long)name(mask, (unsigned long long)value, lane, width);                                     \
  }                                                                                                           \
  HEDDLE_DEVICE long name(unsigned mask, long value, Lane lane, int width = 32) {                             \
    return (long)name(mask, (unsigned long long)value, lane, width);                                          \
  }                                                                                                           \
  HEDDLE_DEVICE unsigned long name(unsigned mask, unsigned long value, Lane lane, int width = 32) {           \
    return (unsigned long)name(mask, (unsigned long long)value, lane, width);                                 \
  }                                                                                                           \
  HEDDLE_DEVICE double name(unsigned mask, double value, Lane lane, int width = 32) {                         \
    const unsigned long long bits = __builtin_bit_cast(unsigned long long, value);                            \
    return __builtin_bit_cast(double, name(mask, bits, lane, width));                                         \
  }

HEDDLE_SHUFFLE(__shfl_sync, idx, 0x1f, int, source)
HEDDLE_SHUFFLE(__shfl_up_sync, up, 0x00, unsigned, delta)
HEDDLE_SHUFFLE(__shfl_down_sync, down, 0x1f, unsigned, delta)
HEDDLE_SHUFFLE(__shfl_xor_sync, bfly, 0x1f, int, lane_mask)
#undef HEDDLE_SHUFFLE
