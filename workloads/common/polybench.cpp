#include "workloads/common/polybench.h"

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/dense.h"

namespace heddle::workloads::polybench {

Outcome run_products(runtime::Device& device, const runtime::Module& module, std::size_t given,
                     const std::vector<Product>& products, const Request& request) {
  const auto n = static_cast<std::uint32_t>(request.elements);
  const std::size_t count = std::size_t{n} * n;
  std::vector<dense::Matrix> matrices;
  std::vector<runtime::DeviceArray<float>> arrays;
  for (std::size_t m = 0; m < given; ++m) {
    matrices.push_back(random_floats(count, request.seed, m));
    arrays.emplace_back(device, matrices.back());
  }
  for (std::size_t p = 0; p < products.size(); ++p) arrays.emplace_back(device, count);
  for (std::size_t p = 0; p < products.size(); ++p) {
    const Product& product = products[p];
    launch_square(device, module.kernel(product.kernel), n, arrays[product.left].address(),
                  arrays[product.right].address(), arrays[given + p].address(), n);
  }
  Outcome outcome;
  for (std::size_t p = 0; p < products.size(); ++p) {
    const Product& product = products[p];
    matrices.push_back(
        dense::product(matrices[product.left], matrices[product.right], n, 1.0f, dense::Matrix(count, 0.0f)));
    Outcome compared = compare_exact(matrices.back(), arrays[given + p].download(), product.what);
    outcome = p == 0 ? std::move(compared) : both(std::move(outcome), std::move(compared));
  }
  return outcome;
}

}  // namespace heddle::workloads::polybench
