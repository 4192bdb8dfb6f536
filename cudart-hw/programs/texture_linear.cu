// Texture objects over linear memory: elements of several types, and outside of it.
#include "check.h"

__global__ void fetch(cudaTextureObject_t floats, cudaTextureObject_t bytes, cudaTextureObject_t vectors, float* out) {
  const int i = threadIdx.x;
  out[i] = tex1Dfetch<float>(floats, i * 2);
  out[32 + i] = tex1Dfetch<unsigned char>(bytes, i);
  const float4 v = tex1Dfetch<float4>(vectors, i / 4);
  out[64 + i] = v.x + v.y * 10 + v.z * 100 + v.w * 1000;
}

template <typename T>
cudaTextureObject_t make(const T* data, size_t bytes) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<T*>(data);
  resource.res.linear.desc = cudaCreateChannelDesc<T>();
  resource.res.linear.sizeInBytes = bytes;
  cudaTextureDesc texture{};
  texture.readMode = cudaReadModeElementType;
  cudaTextureObject_t object;
  CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
  return object;
}

int main() {
  float floats[64], vectors[32], host[96], *dfloats, *out;
  float4* dvectors;
  unsigned char bytes[32], *dbytes;
  for (int i = 0; i < 64; ++i) floats[i] = i * 0.25f;
  for (int i = 0; i < 32; ++i) bytes[i] = (unsigned char)(i * 9), vectors[i] = (float)(i % 7);
  CHECK(cudaMalloc(&dfloats, sizeof(floats)));
  CHECK(cudaMalloc(&dbytes, sizeof(bytes)));
  CHECK(cudaMalloc(&dvectors, sizeof(vectors)));
  CHECK(cudaMalloc(&out, sizeof(host)));
  CHECK(cudaMemcpy(dfloats, floats, sizeof(floats), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dbytes, bytes, sizeof(bytes), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(dvectors, vectors, sizeof(vectors), cudaMemcpyHostToDevice));
  cudaTextureObject_t a = make(dfloats, sizeof(floats)), b = make(dbytes, sizeof(bytes)),
                      c = make(dvectors, sizeof(vectors));
  fetch<<<1, 32>>>(a, b, c, out);
  CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
  for (int row = 0; row < 3; ++row)
    std::printf("%.2f %.2f %.2f | %08x\n", host[row * 32 + 1], host[row * 32 + 15], host[row * 32 + 31],
                checksum(host + row * 32, 128));
  CHECK(cudaDestroyTextureObject(a));
  CHECK(cudaDestroyTextureObject(b));
  CHECK(cudaDestroyTextureObject(c));
}
