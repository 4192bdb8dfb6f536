// Three matrix products, the third of the results of the others.
#include "workloads/common/embedded.h"
#include "workloads/common/polybench.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(three_mm)

namespace heddle::workloads::three_mm {
namespace {

class ThreeMm final : public Workload {
 public:
  ThreeMm()
      : Workload({.name = "3mm",
                  .summary = "Three matrix products, the third of the results of the others: untiled, two loads and "
                             "one store per step.",
                  .suite = "PolyBench",
                  .papers = {{"warppool", "3MM_1", {Trait::kCoalesced}}},
                  .kernels = {{"three_mm_first", "3MM-1"}, {"three_mm_second", "3MM-2"}, {"three_mm_third", "3MM-3"}},
                  .unit = "matrix rows",
                  .sizes = {{"tiny", 40}, {"small", 136}, {"medium", 320}, {"paper", 512}},
                  .least = 1,
                  .most = 8'192,
                  .ptx = embedded::three_mm}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    return polybench::run_products(device, load(device), 4,
                                   {{"three_mm_first", 0, 1, "elements of the first product"},
                                    {"three_mm_second", 2, 3, "elements of the second product"},
                                    {"three_mm_third", 4, 5, "elements of the third product"}},
                                   request);
  }
};

}  // namespace

HEDDLE_WORKLOAD(ThreeMm)

}  // namespace heddle::workloads::three_mm
