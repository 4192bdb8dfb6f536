// Cooperative groups: blocks, tiles, coalesced groups, reductions over tiles.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;

template <typename Tile>
__device__ int tile_sum(Tile tile, int value) {
  for (int offset = tile.size() / 2; offset > 0; offset /= 2) value += tile.shfl_down(value, offset);
  return tile.shfl(value, 0);
}

__global__ void run(int* out) {
  cg::thread_block block = cg::this_thread_block();
  __shared__ int scratch[128];
  const int i = (int)block.thread_rank();
  scratch[i] = i;
  block.sync();
  auto tile32 = cg::tiled_partition<32>(block);
  auto tile8 = cg::tiled_partition<8>(block);
  out[i] = tile_sum(tile32, scratch[127 - i]);
  out[128 + i] = tile_sum(tile8, i);
  out[256 + i] = (int)(tile8.meta_group_rank() * 1000 + tile8.thread_rank() * 10 + tile8.meta_group_size() % 10);
  out[384 + i] = cg::reduce(tile32, i, cg::plus<int>()) + cg::reduce(tile8, i, cg::greater<int>());
  out[512 + i] = cg::inclusive_scan(tile32, i);
  out[640 + i] = 0;
  if (i % 3 == 1) {
    cg::coalesced_group active = cg::coalesced_threads();
    out[640 + i] = (int)(active.size() * 100 + active.thread_rank());
  }
  out[768 + i] = (int)(block.group_index().x * 1000 + block.size());
  auto tile4 = cg::tiled_partition<4>(tile32);
  out[896 + i] = tile4.any(i == 5) + 2 * tile4.all(i < 64) + 4 * (int)tile4.ballot(i & 1);
}

int main() {
  int *out, host[1024];
  CHECK(cudaMalloc(&out, sizeof(host)));
  run<<<1, 128>>>(out);
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  for (int row = 0; row < 8; ++row)
    std::printf("%d %d %d %d | %08x\n", host[row * 128], host[row * 128 + 5], host[row * 128 + 40],
                host[row * 128 + 127], checksum(host + row * 128, 512));
}
