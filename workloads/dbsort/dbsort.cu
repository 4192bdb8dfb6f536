// Sorts database records of 100 bytes by their 10-byte keys, in place, with a bitonic network: one launch per column of
// the network, one thread per pair of records; records that stand the wrong way round are exchanged whole.
//
// dbsort_exchange has records one after the other. Keys are compared byte by byte, most significant first, until they
// differ, and records exchanged word by word. Neighbouring threads' records are 100 bytes and more apart: every access
// of a warp touches many lines, and in the wide columns many pages.
// dbsort_exchange_columns has the n-th words of all records together, as a database that stores columns. Keys are
// compared word by word. An access of a warp is one line or two, and the words of a record lie on 25 pages.
#include "heddle_cuda.h"

#include "record.h"

// The pairs of a column: `mirrored`, the first column of a merge, pairs the first record of a group of 2 * span with
// the last; the others pair records that lie `span` apart. The smaller key always goes to the front, so records beyond
// the end count as largest and pairs with them need no work: any number of records can be sorted.
struct Pair {
  unsigned first, second;
};
static __device__ Pair pair_of(unsigned i, unsigned span, int mirrored) {
  const unsigned group = i / span * 2 * span, within = i % span;
  const unsigned first = group + within;
  return {first, mirrored ? group + 2 * span - 1 - within : first + span};
}

extern "C" __global__ void dbsort_exchange(Record* records, unsigned count, unsigned span, int mirrored) {
  const Pair pair = pair_of(blockIdx.x * blockDim.x + threadIdx.x, span, mirrored);
  if (pair.second >= count) return;
  int difference = 0;
  for (int b = 0; b < kKeyBytes && difference == 0; ++b) {
    difference = (int)records[pair.first].key[b] - (int)records[pair.second].key[b];
  }
  if (difference <= 0) return;
  unsigned* a = (unsigned*)&records[pair.first];
  unsigned* b = (unsigned*)&records[pair.second];
  for (unsigned w = 0; w < sizeof(Record) / 4; ++w) {
    const unsigned word = a[w];
    a[w] = b[w];
    b[w] = word;
  }
}

// The bytes of a word as a number, the first one most significant.
static __device__ unsigned as_key(unsigned word) { return __byte_perm(word, 0, 0x0123); }

extern "C" __global__ void dbsort_exchange_columns(unsigned* words, unsigned count, unsigned span, int mirrored) {
  const Pair pair = pair_of(blockIdx.x * blockDim.x + threadIdx.x, span, mirrored);
  if (pair.second >= count) return;
  unsigned a = 0, b = 0;
  for (unsigned w = 0; w * 4 < kKeyBytes && a == b; ++w) {
    a = as_key(words[w * count + pair.first]);
    b = as_key(words[w * count + pair.second]);
    if (w * 4 + 4 > kKeyBytes) {  // half a word of key
      a >>= 16;
      b >>= 16;
    }
  }
  if (a <= b) return;
  for (unsigned w = 0; w < kRecordWords; ++w) {
    const unsigned word = words[w * count + pair.first];
    words[w * count + pair.first] = words[w * count + pair.second];
    words[w * count + pair.second] = word;
  }
}
