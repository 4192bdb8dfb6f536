// Many instantiations of templates: types, numbers, functors, variadic ones.
#include <type_traits>

#include "check.h"

template <typename T, int N, typename F>
__global__ void apply(T* data, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  T x = data[i];
#pragma unroll
  for (int k = 0; k < N; ++k) x = f(x, static_cast<T>(k));
  data[i] = x;
}
struct Add {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a + b;
  }
};
struct MulAdd {
  int factor;
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a * static_cast<T>(factor) + b;
  }
};

template <typename T, int N, typename F>
void run(const char* name, F f) {
  T host[64], *data;
  for (int i = 0; i < 64; ++i) host[i] = static_cast<T>(i);
  CHECK(cudaMalloc(&data, sizeof(host)));
  CHECK(cudaMemcpy(data, host, sizeof(host), cudaMemcpyHostToDevice));
  apply<T, N, F><<<2, 32>>>(data, f);
  CHECK(cudaMemcpy(host, data, sizeof(host), cudaMemcpyDeviceToHost));
  std::printf("%s %d: %08x %.0f\n", name, N, checksum(host, sizeof(host)), (double)host[63]);
  CHECK(cudaFree(data));
}
template <typename T>
void all(const char* name) {
  run<T, 1>(name, Add{});
  run<T, 2>(name, Add{});
  run<T, 5>(name, Add{});
  run<T, 3>(name, MulAdd{3});
  run<T, 4>(name, MulAdd{2});
}

template <typename... Ts>
__device__ int total(Ts... values) {
  return (0 + ... + static_cast<int>(values));
}
template <int... Ns>
__global__ void variadic(int* out) {
  out[0] = total(Ns..., 1.5f, (short)7);
}

int main() {
  all<int>("int");
  all<unsigned char>("unsigned char");
  all<short>("short");
  all<long long>("long long");
  all<unsigned>("unsigned");
  all<float>("float");
  all<double>("double");
  int* out;
  CHECK(cudaMalloc(&out, 4));
  variadic<1, 2, 3, 4, 5><<<1, 1>>>(out);
  int host;
  CHECK(cudaMemcpy(&host, out, 4, cudaMemcpyDeviceToHost));
  std::printf("variadic %d\n", host);
}
