// Queries of a B+ tree as in Rodinia: one block per query, one thread per key of a node. At each level every thread
// compares one key; the one whose interval holds the key says where to go on.
#include "heddle_cuda.h"

#include "node.h"

extern "C" __global__ void __launch_bounds__(kFanout)
    btree_find(int height, const BtreeNode* __restrict__ nodes, const int* __restrict__ records,
               const int* __restrict__ wanted, int* answers) {
  __shared__ int current, next;
  const int thread = threadIdx.x, query = blockIdx.x;
  if (thread == 0) current = next = 0;
  __syncthreads();
  const int key = wanted[query];
  for (int level = 0; level < height; ++level) {
    if (nodes[current].keys[thread] <= key && nodes[current].keys[thread + 1] > key) {
      next = nodes[current].indices[thread];
    }
    __syncthreads();
    if (thread == 0) current = next;
    __syncthreads();
  }
  if (nodes[current].keys[thread] == key) answers[query] = records[nodes[current].indices[thread]];
}

// Both ends of the range go down the tree together; the answer is the first record and their number.
extern "C" __global__ void __launch_bounds__(kFanout)
    btree_find_range(int height, const BtreeNode* __restrict__ nodes, const int* __restrict__ first_key,
                     const int* __restrict__ last_key, int* range_start, int* range_length) {
  __shared__ int current, next, current_last, next_last;
  const int thread = threadIdx.x, query = blockIdx.x;
  if (thread == 0) current = next = current_last = next_last = 0;
  __syncthreads();
  const int first = first_key[query], last = last_key[query];
  for (int level = 0; level < height; ++level) {
    if (nodes[current].keys[thread] <= first && nodes[current].keys[thread + 1] > first) {
      next = nodes[current].indices[thread];
    }
    if (nodes[current_last].keys[thread] <= last && nodes[current_last].keys[thread + 1] > last) {
      next_last = nodes[current_last].indices[thread];
    }
    __syncthreads();
    if (thread == 0) {
      current = next;
      current_last = next_last;
    }
    __syncthreads();
  }
  if (nodes[current].keys[thread] == first) range_start[query] = nodes[current].indices[thread];
  __syncthreads();
  if (nodes[current_last].keys[thread] == last) {
    range_length[query] = nodes[current_last].indices[thread] - range_start[query] + 1;
  }
}
