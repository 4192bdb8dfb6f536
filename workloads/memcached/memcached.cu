// A batch of GET requests of a key-value store, as in the GPU ports of memcached: one thread per request, which hashes
// its key byte by byte, walks the chain of its bucket, compares keys, and copies the value into the response. Threads
// differ in the length of key, chain and value, and chains go anywhere in the heap.
#include "heddle_cuda.h"

#include "item.h"

extern "C" __global__ void memcached_get(const unsigned char* __restrict__ requests, unsigned count,
                                         const unsigned* __restrict__ buckets, unsigned bucket_mask,
                                         const unsigned char* __restrict__ heap, unsigned* responses) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const unsigned char* request = requests + (size_t)i * kRequestBytes;
  const unsigned length = request[0];
  const unsigned char* key = request + 1;
  unsigned hash = 2166136261u;
  for (unsigned b = 0; b < length; ++b) hash = (hash ^ key[b]) * 16777619u;

  unsigned* response = responses + (size_t)i * kResponseWords;
  for (unsigned place = buckets[hash & bucket_mask]; place != 0;) {
    const ItemHeader* item = (const ItemHeader*)(heap + (size_t)place * kUnit);
    if (item->hash == hash && item->key_bytes == length) {
      const unsigned char* stored = (const unsigned char*)(item + 1);
      unsigned b = 0;
      while (b < length && stored[b] == key[b]) ++b;
      if (b == length) {
        const unsigned* value = (const unsigned*)(stored + (length + 3) / 4 * 4);
        const unsigned words = (item->value_bytes + 3u) / 4;
        for (unsigned w = 0; w < words; ++w) response[1 + w] = value[w];
        response[0] = item->value_bytes;
        return;
      }
    }
    place = item->next;
  }
  response[0] = 0xffffffffu;  // not found
}
