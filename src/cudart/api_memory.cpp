// Allocation: device, pinned, managed, pitched; pools; what a pointer is.
#include <algorithm>

#include "cudart/context.h"
#include "cudart/properties.h"
#include "cudart/version.h"

namespace heddle::cudart {
namespace {

constexpr std::uint64_t kPitchAlignment = 512;

void* as_pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

Error allocate(void** pointer, std::size_t bytes, MemoryKind kind, unsigned flags = 0) {
  return call([&](Context& context) {
    require(pointer != nullptr);
    *pointer = nullptr;
    if (bytes != 0) *pointer = as_pointer(context.memory.allocate(context, bytes, kind, flags));
  });
}

PitchedPointer allocate_pitched(Context& context, std::size_t width, std::size_t height, std::size_t depth) {
  const std::uint64_t pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  const std::uint64_t rows = std::uint64_t{height} * std::max<std::size_t>(depth, 1);
  require(pitch == 0 || rows <= ~std::uint64_t{0} / pitch, cudaErrorMemoryAllocation);
  void* pointer = nullptr;
  if (pitch * rows != 0) pointer = as_pointer(context.memory.allocate(context, pitch * rows, MemoryKind::device));
  return {pointer, pitch, width, height};
}

/// Memory of a stream's order is given at once and taken back when the stream has come there.
Error free_in_order(void* pointer, StreamHandle stream) {
  return call([&](Context& context) {
    context.queues.wait(context, stream);
    context.memory.free(context, pointer, false, cudaErrorInvalidValue);
  });
}

}  // namespace

HEDDLE_API Error cudaMalloc(void** pointer, std::size_t bytes) { return allocate(pointer, bytes, MemoryKind::device); }
HEDDLE_API Error cudaFree(void* pointer) {
  return call([&](Context& context) {
    static_cast<void>(context.device());  // cudaFree(0) is how programs ask for initialisation
    context.memory.free(context, pointer, false, cudaErrorInvalidValue);
  });
}
HEDDLE_API Error cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::pinned);
}
HEDDLE_API Error cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return allocate(pointer, bytes, MemoryKind::pinned, flags);
}
HEDDLE_API Error cudaFreeHost(void* pointer) {
  return call([&](Context& context) { context.memory.free(context, pointer, true, cudaErrorInvalidValue); });
}
HEDDLE_API Error cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  if (flags != 0 && flags != 1 && flags != 2) return call([](Context&) { throw Failure(cudaErrorInvalidValue); });
  return allocate(pointer, bytes, MemoryKind::managed, flags);
}

HEDDLE_API Error cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  return call([&](Context& context) {
    require(pointer != nullptr && pitch != nullptr);
    const PitchedPointer made = allocate_pitched(context, width, height, 1);
    *pointer = made.pointer;
    *pitch = made.pitch;
  });
}
HEDDLE_API Error cudaMalloc3D(PitchedPointer* pointer, Extent extent) {
  return call([&](Context& context) {
    require(pointer != nullptr);
    *pointer = allocate_pitched(context, extent.width, extent.height, extent.depth);
  });
}

HEDDLE_API Error cudaMallocAsync(void** pointer, std::size_t bytes, StreamHandle) {
  return allocate(pointer, bytes, MemoryKind::device);
}
HEDDLE_API Error cudaMallocAsync_ptsz(void** pointer, std::size_t bytes, StreamHandle) {
  return allocate(pointer, bytes, MemoryKind::device);
}
HEDDLE_API Error cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, void*, StreamHandle) {
  return allocate(pointer, bytes, MemoryKind::device);
}
HEDDLE_API Error cudaMallocFromPoolAsync_ptsz(void** pointer, std::size_t bytes, void*, StreamHandle) {
  return allocate(pointer, bytes, MemoryKind::device);
}
HEDDLE_API Error cudaFreeAsync(void* pointer, StreamHandle stream) { return free_in_order(pointer, stream); }
HEDDLE_API Error cudaFreeAsync_ptsz(void* pointer, StreamHandle stream) {
  return free_in_order(pointer, stream_or_default(stream, true));
}
// There is one pool, which keeps nothing; its handle is the address of this.
static char the_pool;
HEDDLE_API Error cudaDeviceGetDefaultMemPool(void** pool, int) {
  *pool = &the_pool;
  return cudaSuccess;
}
HEDDLE_API Error cudaDeviceGetMemPool(void** pool, int) {
  *pool = &the_pool;
  return cudaSuccess;
}
HEDDLE_API Error cudaDeviceSetMemPool(int, void*) { return cudaSuccess; }
HEDDLE_API Error cudaMemPoolCreate(void** pool, const void*) {
  *pool = &the_pool;
  return cudaSuccess;
}
HEDDLE_API Error cudaMemPoolDestroy(void*) { return cudaSuccess; }
HEDDLE_API Error cudaMemPoolTrimTo(void*, std::size_t) { return cudaSuccess; }
HEDDLE_API Error cudaMemPoolSetAttribute(void*, int, void*) { return cudaSuccess; }
HEDDLE_API Error cudaMemPoolGetAttribute(void*, int attribute, void* value) {
  return call([&](Context& context) {
    require(value != nullptr);
    if (attribute <= 3) {
      *static_cast<int*>(value) = attribute == 4 ? 0 : 1;
    } else {
      *static_cast<std::uint64_t*>(value) = attribute == 4 ? 0 : context.memory.used();
    }
  });
}

HEDDLE_API Error cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return call([&](Context& context) {
    require(device != nullptr);
    const Allocation* found = context.memory.find(host);
    require(found != nullptr && found->kind != MemoryKind::device);
    *device = host;
    if (found->kind == MemoryKind::registered && found->address > found->mapped)
      *device = as_pointer(found->mapped + (reinterpret_cast<std::uint64_t>(host) - found->address));
  });
}
HEDDLE_API Error cudaHostGetFlags(unsigned* flags, void* host) {
  return call([&](Context& context) {
    const Allocation* found = context.memory.find(host);
    require(flags != nullptr && found != nullptr && found->kind != MemoryKind::device);
    *flags = found->flags | 2;  // mapped, whether asked for or not
  });
}
HEDDLE_API Error cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return call([&](Context& context) { context.memory.register_host(context, pointer, bytes, flags); });
}
HEDDLE_API Error cudaHostUnregister(void* pointer) {
  return call([&](Context& context) { context.memory.unregister_host(context, pointer); });
}

HEDDLE_API Error cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return call([&](Context& context) {
    const std::uint64_t total = device_limits(context).memory_bytes;
    if (total_bytes != nullptr) *total_bytes = total;
    if (free_bytes != nullptr) *free_bytes = std::min(total, context.device().free_bytes());
  });
}

HEDDLE_API Error cudaPointerGetAttributes(PointerAttributes* attributes, const void* pointer) {
  return call([&](Context& context) {
    require(attributes != nullptr);
    const Allocation* found = context.memory.find(pointer);
    const int before_11 = 0;
    *attributes = {before_11, found == nullptr ? -2 : 0, nullptr, nullptr};
    auto* same = const_cast<void*>(pointer);
    if (found == nullptr) {
      attributes->host_pointer = same;
      return;
    }
    switch (found->kind) {
      case MemoryKind::pinned:
      case MemoryKind::registered:
        *attributes = {1, 0, same, same};
        break;
      case MemoryKind::managed:
        *attributes = {3, 0, same, same};
        break;
      case MemoryKind::device:
      case MemoryKind::symbol:
        *attributes = {2, 0, same, nullptr};
        break;
    }
  });
}

}  // namespace heddle::cudart
