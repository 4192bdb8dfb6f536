// Compiled, never run: the library's types are laid out as those of the toolkit at hand.
#include <cuda_runtime.h>

#include "cudart/abi.h"

namespace ours = heddle::cudart;

#define SAME_SIZE(a, b) static_assert(sizeof(a) == sizeof(b), "")
#define SAME_PLACE(a, am, b, bm) static_assert(offsetof(a, am) == offsetof(b, bm), "")

SAME_SIZE(ours::GridSize, dim3);
SAME_SIZE(ours::Extent, cudaExtent);
SAME_SIZE(ours::Position, cudaPos);
SAME_SIZE(ours::PitchedPointer, cudaPitchedPtr);
SAME_SIZE(ours::ChannelFormat, cudaChannelFormatDesc);
SAME_SIZE(ours::Copy3D, cudaMemcpy3DParms);
SAME_PLACE(ours::Copy3D, kind, cudaMemcpy3DParms, kind);
SAME_PLACE(ours::Copy3D, destination, cudaMemcpy3DParms, dstPtr);
SAME_SIZE(ours::CopyPeer3D, cudaMemcpy3DPeerParms);
SAME_PLACE(ours::ResourceDescription, linear, cudaResourceDesc, res.linear);
SAME_PLACE(ours::ResourceDescription, pitch2d.pitch, cudaResourceDesc, res.pitch2D.pitchInBytes);
SAME_SIZE(ours::TextureDescription, cudaTextureDesc);
SAME_PLACE(ours::TextureDescription, normalized_coordinates, cudaTextureDesc, normalizedCoords);
SAME_PLACE(ours::FunctionAttributes, non_portable_cluster_allowed, cudaFuncAttributes, nonPortableClusterSizeAllowed);
SAME_PLACE(ours::FunctionAttributes, max_dynamic_shared_bytes, cudaFuncAttributes, maxDynamicSharedSizeBytes);
SAME_PLACE(ours::PointerAttributes, host_pointer, cudaPointerAttributes, hostPointer);
SAME_SIZE(ours::LaunchConfiguration, cudaLaunchConfig_t);
SAME_SIZE(ours::LaunchAttribute, cudaLaunchAttribute);
SAME_PLACE(ours::LaunchAttribute, cluster, cudaLaunchAttribute, val);
