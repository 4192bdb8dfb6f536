#include "workloads/common/transpose.h"

#include "workloads/common/compare.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"

namespace heddle::workloads {

Outcome run_transpose(runtime::Device& device, const runtime::Kernel& kernel, TransposeGrid order,
                      const Request& request) {
  constexpr std::uint32_t kTile = 32;
  constexpr std::uint32_t kRowsPerStep = 8;
  const auto rows = static_cast<std::uint32_t>(request.elements);
  const std::uint32_t columns = rows + rows / 4;
  const std::size_t count = std::size_t{rows} * columns;
  Random random(request.seed);
  std::vector<float> in(count);
  for (float& v : in) v = random.uniform();
  std::vector<float> expected(count);
  for (std::size_t y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x < columns; ++x) expected[x * rows + y] = in[y * columns + x];
  }

  const runtime::DeviceArray<float> device_in(device, in);
  runtime::DeviceArray<float> device_out(device, count);
  device_out.fill(0xff);
  Dim3 grid{blocks_for(columns, kTile), blocks_for(rows, kTile)};
  if (order == TransposeGrid::along_columns) std::swap(grid.x, grid.y);
  device.launch(kernel, grid, {kTile, kRowsPerStep}, 0, device_in.address(), device_out.address(), rows, columns);
  return compare_exact(expected, device_out.download(), "elements");
}

}  // namespace heddle::workloads
