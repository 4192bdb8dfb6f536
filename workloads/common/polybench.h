// What PolyBench's matrix kernels have in common on the host: one thread per element of a result, in blocks of 32 x 8,
// and programs that are a list of products.
#pragma once

#include <string_view>
#include <vector>

#include "workloads/common/host.h"
#include "workloads/workload.h"

namespace heddle::workloads::polybench {

/// Launches a kernel with a thread for each element of a matrix of n x n.
template <typename... Arguments>
void launch_square(runtime::Device& device, const runtime::Kernel& kernel, std::uint32_t n, Arguments... arguments) {
  constexpr std::uint32_t kBlockX = 32;
  constexpr std::uint32_t kBlockY = 8;
  device.launch(kernel, {blocks_for(n, kBlockX), blocks_for(n, kBlockY)}, {kBlockX, kBlockY}, 0, arguments...);
}

/// A kernel that multiplies two matrices, by number: first those given, then the products in their order.
struct Product {
  std::string_view kernel;
  std::size_t left, right;
  std::string_view what;  ///< as messages call its elements
};
/// Multiplies random matrices of n x n, and compares every product. Sums in the kernels' order: exact.
[[nodiscard]] Outcome run_products(runtime::Device& device, const runtime::Module& module, std::size_t given,
                                   const std::vector<Product>& products, const Request& request);

}  // namespace heddle::workloads::polybench
