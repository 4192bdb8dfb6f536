// The types of the CUDA runtime's binary interface, as far as this library reads or writes them.
//
// Written down from the documented interface: only sizes, order and values matter, so names are our own where that is
// clearer. What differs between CUDA 11, 12 and 13 is not here but in the functions that read or write it.
#pragma once

#include <cstddef>
#include <cstdint>

#define HEDDLE_API extern "C" __attribute__((visibility("default")))

namespace heddle::cudart {

using Error = int;  ///< cudaError_t; the values are in errors.h
using StreamHandle = struct StreamTag*;
using EventHandle = struct EventTag*;
using KernelHandle = const void*;  ///< cudaKernel_t and cudaFunction_t
using HostFunction = void (*)(void*);
using StreamCallback = void (*)(StreamHandle, Error, void*);

// NOLINTBEGIN(misc-misplaced-const): the handle is constant, not what it names
inline const StreamHandle kLegacyStream = reinterpret_cast<StreamHandle>(std::uintptr_t{1});
inline const StreamHandle kPerThreadStream = reinterpret_cast<StreamHandle>(std::uintptr_t{2});
// NOLINTEND(misc-misplaced-const)

struct GridSize {  ///< dim3
  unsigned x, y, z;
};

enum CopyKind : int { kHostToHost = 0, kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 3, kCopyDefault = 4 };

struct Extent {
  std::size_t width, height, depth;
};
struct Position {
  std::size_t x, y, z;
};
struct PitchedPointer {
  void* pointer;
  std::size_t pitch, width, height;
};

struct ChannelFormat {  ///< cudaChannelFormatDesc: bits of each channel
  int x, y, z, w;
  int kind;  ///< 0 signed, 1 unsigned, 2 float, 3 none
};

struct Array;  ///< cudaArray_t points at one

struct Copy3D {  ///< cudaMemcpy3DParms
  Array* source_array;
  Position source_position;
  PitchedPointer source;
  Array* destination_array;
  Position destination_position;
  PitchedPointer destination;
  Extent extent;
  int kind;
};

struct CopyPeer3D {  ///< cudaMemcpy3DPeerParms
  Array* source_array;
  Position source_position;
  PitchedPointer source;
  int source_device;
  Array* destination_array;
  Position destination_position;
  PitchedPointer destination;
  int destination_device;
  Extent extent;
};

enum ResourceKind : int { kResourceArray = 0, kResourceMipmap = 1, kResourceLinear = 2, kResourcePitch2D = 3 };

struct LinearResource {
  void* pointer;
  ChannelFormat format;
  std::size_t bytes;
};

struct PitchedResource {
  void* pointer;
  ChannelFormat format;
  std::size_t width, height, pitch;
};

struct ResourceDescription {  ///< cudaResourceDesc
  int kind;
  union {
    Array* array;
    LinearResource linear;
    PitchedResource pitch2d;
    int reserved[32];
  };
};

struct TextureDescription {  ///< cudaTextureDesc
  int address_mode[3];       ///< 0 wrap, 1 clamp, 2 mirror, 3 border
  int filter_mode;           ///< 0 point, 1 linear
  int read_mode;             ///< 0 element, 1 normalised float
  int srgb;
  float border_color[4];
  int normalized_coordinates;
  unsigned max_anisotropy;
  int mipmap_filter_mode;
  float mipmap_level_bias, min_mipmap_level, max_mipmap_level;
  int disable_trilinear_optimization;
  int seamless_cubemap;
};

struct FunctionAttributes {  ///< cudaFuncAttributes
  std::size_t shared_bytes, constant_bytes, local_bytes;
  int max_threads_per_block, registers, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared_bytes,
      preferred_carveout;
  // From CUDA 11.8 on; a program built with less has no room for them.
  int cluster_must_be_set, required_cluster[3], cluster_scheduling, non_portable_cluster_allowed;
};

struct PointerAttributes {  ///< cudaPointerAttributes
  int type;                 ///< 0 unregistered, 1 host, 2 device, 3 managed
  int device;
  void* device_pointer;
  void* host_pointer;
};

struct LaunchAttribute {  ///< cudaLaunchAttribute
  int id;
  int padding;
  union {
    char bytes[64];
    int cooperative;
    GridSize cluster;
  };
};

struct LaunchConfiguration {  ///< cudaLaunchConfig_t
  GridSize grid, block;
  std::size_t dynamic_shared_bytes;
  StreamHandle stream;
  const LaunchAttribute* attributes;
  unsigned attribute_count;
};

}  // namespace heddle::cudart
