// Two matrix products in a row.
#include "workloads/common/embedded.h"
#include "workloads/common/polybench.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(two_mm)

namespace heddle::workloads::two_mm {
namespace {

class TwoMm final : public Workload {
 public:
  TwoMm()
      : Workload({.name = "2mm",
                  .summary = "Two matrix products in a row: untiled, two loads and one store per step.",
                  .suite = "PolyBench",
                  .papers = {{"warppool", "2MM_1", {Trait::kCoalesced}}},
                  .kernels = {{"two_mm_first", "2MM-1"}, {"two_mm_second", "2MM-2"}},
                  .unit = "matrix rows",
                  .sizes = {{"tiny", 48}, {"small", 160}, {"medium", 384}, {"paper", 2'048}},
                  .least = 1,
                  .most = 8'192,
                  .ptx = embedded::two_mm}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    return polybench::run_products(device, load(device), 3,
                                   {{"two_mm_first", 0, 1, "elements of the first product"},
                                    {"two_mm_second", 3, 2, "elements of the second product"}},
                                   request);
  }
};

}  // namespace

HEDDLE_WORKLOAD(TwoMm)

}  // namespace heddle::workloads::two_mm
