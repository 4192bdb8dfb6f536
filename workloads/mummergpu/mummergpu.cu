// Maximal matches of reads in a reference, as in MUMmerGPU: one thread per read walks the suffix tree of the reference.
// For each base of the read in turn it finds the longest match that begins there; from one to the next it follows a
// suffix link. A second kernel, one thread per match, visits the leaves below it. Every lane is somewhere else in the
// tree: each load touches up to 32 lines and pages.
#include "heddle_cuda.h"

#include "node.h"

extern "C" __global__ void mummergpu_match(const SuffixNode* __restrict__ nodes,
                                           const SuffixChildren* __restrict__ children,
                                           const unsigned char* __restrict__ reference,
                                           const unsigned char* __restrict__ reads, unsigned read_count,
                                           SuffixMatch* matches) {
  const unsigned read = blockIdx.x * blockDim.x + threadIdx.x;
  if (read >= read_count) return;
  const unsigned char* query = reads + (size_t)read * kReadLength;
  unsigned node = 0, depth = 0, matched = 0;  // depth is that of the node, never more than matched
  for (unsigned begin = 0; begin < kReadLength; ++begin) {
    unsigned below = node;
    while (begin + depth < kReadLength) {
      const unsigned child = children[node].base[query[begin + depth]];
      if (child == 0) break;
      const SuffixNode edge = nodes[child];
      below = child;
      if (matched < depth + edge.length) {
        // Known to match up to here: from now on base by base. The end of the reference matches nothing.
        const unsigned end = min(depth + edge.length, kReadLength - begin);
        while (matched < end && reference[edge.start + matched - depth] == query[begin + matched]) ++matched;
        if (matched < depth + edge.length) {
          if (matched == depth) below = node;
          break;
        }
      }
      node = child;
      depth = edge.depth;
    }
    matches[(size_t)read * kReadLength + begin] = {below, matched};
    if (node == 0) {
      matched = matched > 0 ? matched - 1 : 0;
    } else {
      node = nodes[node].link;
      depth = nodes[node].depth;
      --matched;
    }
  }
}

// How often, and where first, each long match occurs: a walk over all nodes below it, without a stack.
extern "C" __global__ void mummergpu_print(const SuffixNode* __restrict__ nodes,
                                           const SuffixChildren* __restrict__ children,
                                           const SuffixUp* __restrict__ ups,
                                           const unsigned char* __restrict__ reference, unsigned reference_length,
                                           const SuffixMatch* __restrict__ matches, unsigned match_count,
                                           SuffixPlaces* places) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= match_count) return;
  const SuffixMatch match = matches[i];
  if (match.length < kLeastMatch) return;
  unsigned count = 0, first = 0xffffffffu;
  unsigned node = match.node, slot = 0;
  for (;;) {
    unsigned child = 0;
    const SuffixChildren down = children[node];
    for (; slot < 4 && child == 0; ++slot) child = down.base[slot];
    if (child == 0 && slot == 4) {
      child = ups[node].end_child;
      slot = 5;
    }
    if (child != 0) {
      node = child;
      slot = 0;
      if (nodes[node].start + nodes[node].length <= reference_length) continue;
      first = min(first, reference_length + 1 - nodes[node].depth);  // a leaf: its edge runs to the end
      ++count;
      slot = 5;
    } else if (node == match.node) {
      if (count == 0) {  // the match ended on a leaf's edge
        count = 1;
        first = reference_length + 1 - nodes[node].depth;
      }
      break;
    } else {
      slot = reference[nodes[node].start] + 1u;
      if (nodes[node].start == reference_length) slot = 5;
      node = ups[node].parent;
    }
  }
  places[i] = {count, first};
}
