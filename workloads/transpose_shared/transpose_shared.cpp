// Matrix transposition through shared memory.
#include "workloads/common/embedded.h"
#include "workloads/common/transpose.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(transpose_shared)

namespace heddle::workloads::transpose_shared {
namespace {

class TransposeShared final : public Workload {
 public:
  TransposeShared()
      : Workload(
            {.name = "transpose_shared",
             .summary = "Transposes a float matrix through padded tiles in shared memory: coalesced on both sides.",
             .suite = "NVIDIA developer blog",
             .papers = {{"warppool", "transpose_shared", {Trait::kCoalesced}}},
             .kernels = {{"transpose_shared", "transpose_shared"}},
             .unit = "matrix rows (columns: rows + rows/4)",
             .sizes = {{"tiny", 100}, {"small", 1'250}, {"medium", 4'000}},
             .least = 1,
             .most = 32'768,
             .ptx = embedded::transpose_shared}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    return run_transpose(device, load(device).kernel("transpose_shared"), TransposeGrid::along_rows, request);
  }
};

}  // namespace

HEDDLE_WORKLOAD(TransposeShared)

}  // namespace heddle::workloads::transpose_shared
