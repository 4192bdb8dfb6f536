// cudaMemset of odd sizes and offsets, and asynchronous.
#include "check.h"

int main() {
  unsigned char host[1000], *data;
  CHECK(cudaMalloc(&data, 1000));
  CHECK(cudaMemset(data, 0x11, 1000));
  CHECK(cudaMemset(data + 3, 0xab, 5));
  CHECK(cudaMemset(data + 100, -1, 1));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMemsetAsync(data + 200, 0x122, 17, stream));
  CHECK(cudaMemset2DAsync(data + 300, 20, 0x33, 7, 4, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(host, data, 1000, cudaMemcpyDeviceToHost));
  std::printf("%02x %02x %02x %02x %02x %02x %02x %02x | %08x\n", host[2], host[3], host[7], host[8], host[100],
              host[216], host[326], host[327], checksum(host, 1000));
}
