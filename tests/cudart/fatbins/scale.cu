// The program behind the recorded containers; tests/cudart/fatbins/README.md says how they were made.
__device__ float factor = 3.0f;
__global__ void scale(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}
