// Textures over an array and over pitched memory: address modes, normalised coordinates, filtering at exact weights.
#include "check.h"

__global__ void sample(cudaTextureObject_t texture, float* out, float scale, float offset) {
  const int x = threadIdx.x, y = threadIdx.y;
  out[y * 16 + x] = tex2D<float>(texture, x * scale + offset, y * scale + offset);
}

int main() {
  float image[8 * 8], host[256], *out, *pitched;
  for (int i = 0; i < 64; ++i) image[i] = (float)((i * 37) % 64);
  CHECK(cudaMalloc(&out, sizeof(host)));
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &format, 8, 8));
  CHECK(cudaMemcpy2DToArray(array, 0, 0, image, 32, 32, 8, cudaMemcpyHostToDevice));
  size_t pitch;
  CHECK(cudaMallocPitch(&pitched, &pitch, 32, 8));
  CHECK(cudaMemcpy2D(pitched, pitch, image, 32, 32, 8, cudaMemcpyHostToDevice));
  const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                          cudaAddressModeBorder};
  for (int use_array = 0; use_array < 2; ++use_array) {
    for (int mode = 0; mode < 4; ++mode) {
      for (int filter = 0; filter < 2; ++filter) {
        const bool normalized = mode == 0 || mode == 2;
        if (!use_array && normalized) continue;  // pitched memory neither wraps nor mirrors
        cudaResourceDesc resource{};
        if (use_array) {
          resource.resType = cudaResourceTypeArray;
          resource.res.array.array = array;
        } else {
          resource.resType = cudaResourceTypePitch2D;
          resource.res.pitch2D.devPtr = pitched;
          resource.res.pitch2D.desc = format;
          resource.res.pitch2D.width = 8;
          resource.res.pitch2D.height = 8;
          resource.res.pitch2D.pitchInBytes = pitch;
        }
        cudaTextureDesc texture{};
        texture.addressMode[0] = texture.addressMode[1] = modes[mode];
        texture.filterMode = filter ? cudaFilterModeLinear : cudaFilterModePoint;
        texture.readMode = cudaReadModeElementType;
        texture.normalizedCoords = normalized;
        cudaTextureObject_t object;
        CHECK(cudaCreateTextureObject(&object, &resource, &texture, nullptr));
        const float unit = normalized ? 0.125f : 1.0f;
        sample<<<1, dim3(16, 16)>>>(object, out, 0.75f * unit, -1.5f * unit);
        CHECK(cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost));
        std::printf("%d %d %d: %.3f %.3f %.3f | %08x\n", use_array, mode, filter, host[0], host[85], host[255],
                    checksum(host, sizeof(host)));
        CHECK(cudaDestroyTextureObject(object));
      }
    }
  }
  CHECK(cudaFreeArray(array));
}
