// Sorts database records of 100 bytes by their 10-byte keys, in place, with a bitonic network: one launch per column of
// the network, one thread per pair of records. Keys are compared byte by byte, most significant first, until they
// differ; records that stand the wrong way round are exchanged whole, word by word. Neighbouring threads' records are
// 100 bytes and more apart: every access of a warp touches many lines, and in the wide columns many pages.
#include "heddle_cuda.h"

#include "record.h"

// The pairs of a column: `mirrored`, the first column of a merge, pairs the first record of a group of 2 * span with
// the last; the others pair records that lie `span` apart. The smaller key always goes to the front, so records beyond
// the end count as largest and pairs with them need no work: any number of records can be sorted.
extern "C" __global__ void dbsort_exchange(Record* records, unsigned count, unsigned span, int mirrored) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned group = i / span * 2 * span, within = i % span;
  const unsigned first = group + within;
  const unsigned second = mirrored ? group + 2 * span - 1 - within : first + span;
  if (second >= count) return;
  int difference = 0;
  for (int b = 0; b < kKeyBytes && difference == 0; ++b) {
    difference = (int)records[first].key[b] - (int)records[second].key[b];
  }
  if (difference <= 0) return;
  unsigned* a = (unsigned*)&records[first];
  unsigned* b = (unsigned*)&records[second];
  for (unsigned w = 0; w < sizeof(Record) / 4; ++w) {
    const unsigned word = a[w];
    a[w] = b[w];
    b[w] = word;
  }
}
