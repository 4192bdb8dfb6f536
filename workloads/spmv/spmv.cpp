// Sparse matrix times vector with three kernels; the references add in the kernels' order, so the checks are exact.
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/spmv/reference.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(spmv)

namespace heddle::workloads::spmv {
namespace {

constexpr std::uint32_t kBlock = 128;
constexpr std::uint32_t kTypicalRow = 24;

class Spmv final : public Workload {
 public:
  Spmv()
      : Workload({.name = "spmv",
                  .summary = "Sparse matrix times vector: CSR with a thread and with a warp per row, and JDS; gathers "
                             "from the vector.",
                  .suite = "Parboil",
                  .papers = {{"warppool", "spmv", {Trait::kDivergent}}},
                  .kernels = {{"spmv_scalar", "spmv_1"}, {"spmv_vector", "spmv_2"}, {"spmv_jds", "spmv_3"}},
                  .unit = "matrix rows",
                  .sizes = {{"tiny", 700}, {"small", 25'000}, {"medium", 200'000}},
                  .least = 1,
                  .most = std::uint64_t{1} << 24,
                  .ptx = embedded::spmv}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto rows = static_cast<std::uint32_t>(request.elements);
    const CsrMatrix matrix = irregular_matrix(rows, kTypicalRow, request.seed);
    Random random(request.seed, 3);
    std::vector<float> x(matrix.columns);
    for (float& v : x) v = random.uniform(-1.0f, 1.0f);

    const runtime::Module module = load(device);
    const runtime::DeviceArray<std::uint32_t> row_start(device, matrix.row_start);
    // One entry more, so that a matrix without entries has addresses too.
    const runtime::DeviceArray<std::uint32_t> column(device, with_spare(matrix.column));
    const runtime::DeviceArray<float> value(device, with_spare(matrix.value));
    const runtime::DeviceArray<float> device_x(device, x);
    runtime::DeviceArray<float> device_y(device, rows);
    const auto run_kernel = [&](const char* kernel, std::uint32_t threads_per_row, const std::vector<float>& expected) {
      device_y.fill(0xff);
      device.launch(module.kernel(kernel), {blocks_for(std::uint64_t{rows} * threads_per_row, kBlock)}, {kBlock}, 0,
                    row_start.address(), column.address(), value.address(), device_x.address(), device_y.address(),
                    rows);
      return compare_exact(expected, device_y.download(), kernel);
    };
    const Outcome scalar = run_kernel("spmv_scalar", 1, spmv::multiply_scalar(matrix, x));
    const Outcome vector = run_kernel("spmv_vector", kWarpSize, spmv::multiply_vector(matrix, x));
    const spmv::JdsMatrix jds = spmv::to_jds(matrix);
    const runtime::DeviceArray<std::uint32_t> jag_start(device, with_spare(jds.jag_start));
    const runtime::DeviceArray<std::uint32_t> length(device, jds.length);
    const runtime::DeviceArray<std::uint32_t> permutation(device, jds.permutation);
    const runtime::DeviceArray<std::uint32_t> jds_column(device, with_spare(jds.column));
    const runtime::DeviceArray<float> jds_value(device, with_spare(jds.value));
    device_y.fill(0xff);
    device.launch(module.kernel("spmv_jds"), {blocks_for(rows, kBlock)}, {kBlock}, 0, jag_start.address(),
                  length.address(), permutation.address(), jds_column.address(), jds_value.address(),
                  device_x.address(), device_y.address(), rows);
    // A row's entries are added in the same order as by the scalar kernel.
    const Outcome in_jds = compare_exact(spmv::multiply_scalar(matrix, x), device_y.download(), "spmv_jds");
    return both(both(scalar, vector), in_jds);
  }

 private:
  template <typename T>
  static std::vector<T> with_spare(std::vector<T> values) {
    values.push_back(T{});
    return values;
  }
};

}  // namespace

HEDDLE_WORKLOAD(Spmv)

}  // namespace heddle::workloads::spmv
