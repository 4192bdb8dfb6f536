// Managed memory: prefetching and advice. Where it does not migrate (managed.migrates), arguments are checked and
// nothing else happens.
#include "cudart/context.h"
#include "cudart/version.h"

namespace heddle::cudart {
namespace {

/// cudaMemLocation, as it is passed: both numbers in one register.
struct Location {
  enum Type : std::int32_t { invalid = 0, device = 1, host = 2, host_numa = 3, host_numa_current = 4 };
  std::int32_t type = invalid;
  std::int32_t id = 0;
};

constexpr int kHostDevice = -1;  ///< cudaCpuDeviceId

Location location_in(std::uint64_t argument) {
  return {static_cast<std::int32_t>(argument), static_cast<std::int32_t>(argument >> 32)};
}

/// What the older functions are given: the number of a device, or -1.
Location location_of(int device) {
  return device == kHostDevice ? Location{Location::host, 0} : Location{Location::device, device};
}

vm::Side side_of(Location where) {
  switch (where.type) {
    case Location::device:
      require(where.id == 0, cudaErrorInvalidDevice);
      return vm::Side::device;
    case Location::host:
    case Location::host_numa_current:
      return vm::Side::host;
    case Location::host_numa:
      require(where.id == 0);  // the host that programs are told of has one node
      return vm::Side::host;
    default:
      throw Failure(cudaErrorInvalidValue);
  }
}

/// All of the range must be managed memory of one allocation or variable.
void require_managed(Context& context, const void* pointer, std::size_t bytes) {
  require(pointer != nullptr && bytes != 0);
  const Allocation* found = context.memory.find(pointer);
  if (found != nullptr && found->kind == MemoryKind::managed) return require(context.memory.is_device(pointer, bytes));
  require(context.programs.is_managed(pointer, bytes));
}

std::uint64_t address_of(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

Error prefetch(const void* pointer, std::size_t bytes, Location where, unsigned flags, StreamHandle stream) {
  return call([&](Context& context) {
    require(pointer != nullptr);
    const vm::Side to = side_of(where);  // an H200 looks at this before it looks whose memory it is
    require(flags == 0);
    require_managed(context, pointer, bytes);
    context.queues.prefetch(context, stream, address_of(pointer), bytes, to);
  });
}

/// `fourth` and `fifth`: with a location, flags and the stream; with a device, the stream and nothing.
Error prefetch_either(const void* pointer, std::size_t bytes, std::uint64_t where, std::uintptr_t fourth,
                      StreamHandle fifth, bool own_stream) {
  if (kMajorVersion >= 13) {
    return prefetch(pointer, bytes, location_in(where), static_cast<unsigned>(fourth),
                    stream_or_default(fifth, own_stream));
  }
  return prefetch(pointer, bytes, location_of(static_cast<int>(where)), 0,
                  stream_or_default(reinterpret_cast<StreamHandle>(fourth), own_stream));
}

Error advise(const void* pointer, std::size_t bytes, int advice, Location where) {
  return call([&](Context& context) {
    constexpr int kFirst = 1;  // cudaMemAdviseSetReadMostly; each is followed by its opposite
    constexpr int kLast = 6;
    require(advice >= kFirst && advice <= kLast);
    require_managed(context, pointer, bytes);
    static constexpr vm::Advice kKinds[] = {vm::Advice::read_mostly, vm::Advice::preferred, vm::Advice::accessed_by};
    const vm::Advice kind = kKinds[(advice - kFirst) / 2];
    const bool set = (advice - kFirst) % 2 == 0;
    const bool has_side = kind == vm::Advice::accessed_by || (kind == vm::Advice::preferred && set);
    const vm::Side side = has_side ? side_of(where) : vm::Side::device;
    context.device().advise(address_of(pointer), bytes, kind, side, set);
  });
}

}  // namespace

// With CUDA 13 these two became what _v2 was before.
HEDDLE_API Error cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, std::uint64_t where,
                                      std::uintptr_t fourth, StreamHandle fifth) {
  return prefetch_either(pointer, bytes, where, fourth, fifth, false);
}
HEDDLE_API Error cudaMemPrefetchAsync_ptsz(const void* pointer, std::size_t bytes, std::uint64_t where,
                                           std::uintptr_t fourth, StreamHandle fifth) {
  return prefetch_either(pointer, bytes, where, fourth, fifth, true);
}
HEDDLE_API Error cudaMemPrefetchAsync_v2(const void* pointer, std::size_t bytes, std::uint64_t where, unsigned flags,
                                         StreamHandle stream) {
  return prefetch(pointer, bytes, location_in(where), flags, stream);
}
HEDDLE_API Error cudaMemPrefetchAsync_v2_ptsz(const void* pointer, std::size_t bytes, std::uint64_t where,
                                              unsigned flags, StreamHandle stream) {
  return prefetch(pointer, bytes, location_in(where), flags, stream_or_default(stream, true));
}
HEDDLE_API Error cudaMemAdvise(const void* pointer, std::size_t bytes, int advice, std::uint64_t where) {
  return advise(pointer, bytes, advice,
                kMajorVersion >= 13 ? location_in(where) : location_of(static_cast<int>(where)));
}
HEDDLE_API Error cudaMemAdvise_v2(const void* pointer, std::size_t bytes, int advice, std::uint64_t where) {
  return advise(pointer, bytes, advice, location_in(where));
}

// Which stream's kernels use a page does not say where it is.
HEDDLE_API Error cudaStreamAttachMemAsync(StreamHandle, void*, std::size_t, unsigned) { return cudaSuccess; }
HEDDLE_API Error cudaStreamAttachMemAsync_ptsz(StreamHandle, void*, std::size_t, unsigned) { return cudaSuccess; }

}  // namespace heddle::cudart
