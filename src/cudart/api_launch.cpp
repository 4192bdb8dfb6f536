// Launching kernels.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cudart/capture.h"
#include "cudart/context.h"
#include "cudart/properties.h"
#include "cudart/version.h"

namespace heddle::cudart {
namespace {

enum LaunchAttributeId : int { kIgnore = 0, kCooperative = 2, kClusterDimension = 4 };

/// What CUDA calls a grid or a block that cannot be; CUDA 13 has no error of its own for it any more.
ErrorCode bad_configuration() { return kMajorVersion >= 13 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration; }

/// A block that hardware would take, and the GPU that is simulated is too small for.
void check_fit(const runtime::Kernel& kernel, const char* what, std::uint64_t needed, std::uint64_t there) {
  if (needed <= there) return;
  throw Failure(cudaErrorLaunchOutOfResources,
                fmt::format("kernel '{}': a block needs {} {}, and has {} on this GPU: {} too many (701)",
                            kernel.info().name, needed, what, there, needed - there));
}

void check_shape(Context& context, const Function& function, const runtime::Kernel& kernel, const GridSize& grid,
                 const GridSize& block, std::size_t shared) {
  const DeviceLimits limits = device_limits(context);
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  require(blocks != 0 && threads != 0, bad_configuration());
  require(block.x <= 1024 && block.y <= 1024 && block.z <= 64 && threads <= 1024, bad_configuration());
  check_fit(kernel, "threads", threads, limits.threads_per_block);
  require(grid.x <= 0x7fffffffu && grid.y <= 65535 && grid.z <= 65535, bad_configuration());
  const unsigned static_shared = kernel.info().static_shared_bytes;
  check_fit(kernel, "bytes of shared memory", static_shared, limits.shared_per_block_optin);
  const unsigned unasked = limits.shared_per_block - std::min(limits.shared_per_block, static_shared);
  require(shared <= std::max(function.max_dynamic_shared, unasked), cudaErrorInvalidValue);
  require(kernel.info().max_threads_per_block == 0 || threads <= kernel.info().max_threads_per_block,
          cudaErrorInvalidValue);
  require(shared + static_shared <= limits.shared_per_block_optin, cudaErrorInvalidValue);
}

void launch_function(Context& context, Function& function, const GridSize& grid, const GridSize& block,
                     void* const* arguments, std::size_t shared, StreamHandle stream, bool cooperative) {
  const runtime::Kernel& kernel = context.programs.kernel(context, function);
  check_shape(context, function, kernel, grid, block, shared);
  std::vector<std::span<const std::byte>> views;
  const std::vector<unsigned>& sizes = kernel.info().parameter_sizes;
  require(arguments != nullptr || sizes.empty());
  views.reserve(sizes.size());
  for (std::size_t a = 0; a < sizes.size(); ++a)
    views.emplace_back(static_cast<const std::byte*>(arguments[a]), sizes[a]);
  Capturer* const capture = Capturer::instance();
  if (capture != nullptr) {
    session::Capture::Launch step{0, function.name, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared, {},
                                  0, cooperative};
    for (const auto& view : views) step.arguments.emplace_back(reinterpret_cast<const char*>(view.data()), view.size());
    step.stream = context.queues.stream(context, stream).queue;
    capture->launching(function.binary, std::move(step));
  }
  context.queues.launch(context, stream, kernel, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z},
                        static_cast<std::uint32_t>(shared), views, cooperative);
  if (capture != nullptr) capture->launched();
}

void launch(Context& context, const void* host_or_handle, const GridSize& grid, const GridSize& block,
            void* const* arguments, std::size_t shared, StreamHandle stream, bool cooperative = false) {
  Function& function = context.programs.function(host_or_handle);
  try {
    launch_function(context, function, grid, block, arguments, shared, stream, cooperative);
  } catch (const Failure& failure) {
    context.note_refused(function.name, failure.code(), failure.what());
    throw;
  } catch (const runtime::LaunchError& error) {
    context.note_refused(function.name, cudaErrorUnknown, error.what());
    throw;
  }
}

Error launch_extended(const LaunchConfiguration* configuration, const void* function, void** arguments,
                      bool per_thread) {
  return call([&](Context& context) {
    require(configuration != nullptr);
    bool cooperative = false;
    for (unsigned a = 0; a < configuration->attribute_count; ++a) {
      const LaunchAttribute& attribute = configuration->attributes[a];
      if (attribute.id == kCooperative && attribute.cooperative != 0) {
        check_cooperative(context, function, configuration->grid, configuration->block,
                          configuration->dynamic_shared_bytes);
        cooperative = true;
      }
      if (attribute.id == kClusterDimension &&
          std::uint64_t{attribute.cluster.x} * attribute.cluster.y * attribute.cluster.z > 1)
        throw Failure(cudaErrorNotSupported, "launches in clusters of several blocks are not supported");
      // The others are hints: priorities, cache windows, early starts.
    }
    launch(context, function, configuration->grid, configuration->block, arguments, configuration->dynamic_shared_bytes,
           stream_or_default(configuration->stream, per_thread), cooperative);
  });
}

Error launch_cooperative(const void* function, GridSize grid, GridSize block, void** arguments, std::size_t shared,
                         StreamHandle stream) {
  return call([&](Context& context) {
    check_cooperative(context, function, grid, block, shared);
    launch(context, function, grid, block, arguments, shared, stream, true);
  });
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the compiler's names
HEDDLE_API Error __cudaGetKernel(KernelHandle* kernel, const void* host) {
  // Called once per stub, so its error would be lost: the launch finds it again.
  *kernel = host;
  return cudaSuccess;
}

HEDDLE_API Error __cudaLaunchKernel(KernelHandle kernel, GridSize grid, GridSize block, void** arguments,
                                    std::size_t shared, StreamHandle stream) {
  return call([&](Context& context) { launch(context, kernel, grid, block, arguments, shared, stream); });
}
HEDDLE_API Error __cudaLaunchKernel_ptsz(KernelHandle kernel, GridSize grid, GridSize block, void** arguments,
                                         std::size_t shared, StreamHandle stream) {
  return call([&](Context& context) {
    launch(context, kernel, grid, block, arguments, shared, stream_or_default(stream, true));
  });
}
// NOLINTEND(bugprone-reserved-identifier)
HEDDLE_API Error cudaLaunchKernel(const void* function, GridSize grid, GridSize block, void** arguments,
                                  std::size_t shared, StreamHandle stream) {
  return __cudaLaunchKernel(function, grid, block, arguments, shared, stream);
}
HEDDLE_API Error cudaLaunchKernel_ptsz(const void* function, GridSize grid, GridSize block, void** arguments,
                                       std::size_t shared, StreamHandle stream) {
  return __cudaLaunchKernel_ptsz(function, grid, block, arguments, shared, stream);
}

HEDDLE_API Error cudaLaunchKernelExC(const LaunchConfiguration* configuration, const void* function, void** arguments) {
  return launch_extended(configuration, function, arguments, false);
}
HEDDLE_API Error cudaLaunchKernelExC_ptsz(const LaunchConfiguration* configuration, const void* function,
                                          void** arguments) {
  return launch_extended(configuration, function, arguments, true);
}

HEDDLE_API Error cudaLaunchCooperativeKernel(const void* function, GridSize grid, GridSize block, void** arguments,
                                             std::size_t shared, StreamHandle stream) {
  return launch_cooperative(function, grid, block, arguments, shared, stream);
}
HEDDLE_API Error cudaLaunchCooperativeKernel_ptsz(const void* function, GridSize grid, GridSize block, void** arguments,
                                                  std::size_t shared, StreamHandle stream) {
  return launch_cooperative(function, grid, block, arguments, shared, stream_or_default(stream, true));
}

}  // namespace heddle::cudart
