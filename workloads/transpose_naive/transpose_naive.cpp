// Matrix transposition through global memory.
#include "workloads/common/embedded.h"
#include "workloads/common/transpose.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(transpose_naive)

namespace heddle::workloads::transpose_naive {
namespace {

class TransposeNaive final : public Workload {
 public:
  TransposeNaive()
      : Workload({.name = "transpose_naive",
                  .summary =
                      "Transposes a float matrix with loads down the columns, one line per lane, and coalesced stores.",
                  .suite = "NVIDIA developer blog",
                  .papers = {{"warppool", "transpose_naive", {Trait::kDivergent}}},
                  .kernels = {{"transpose_naive", "transpose_naive"}},
                  .unit = "matrix rows (columns: rows + rows/4)",
                  .sizes = {{"tiny", 100}, {"small", 1'250}, {"medium", 4'000}},
                  .least = 1,
                  .most = 32'768,
                  .ptx = embedded::transpose_naive}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    return run_transpose(device, load(device).kernel("transpose_naive"), TransposeGrid::along_columns, request);
  }
};

}  // namespace

HEDDLE_WORKLOAD(TransposeNaive)

}  // namespace heddle::workloads::transpose_naive
