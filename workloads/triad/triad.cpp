// STREAM triad as SHOC runs it: the arrays are processed in pieces, one launch each. One rounding per element: exact.
#include <cmath>

#include "workloads/common/arrays.h"
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(triad)

namespace heddle::workloads::triad {
namespace {

constexpr std::uint32_t kBlock = 128;
constexpr std::uint32_t kPiece = 1 << 20;  ///< elements per launch: 4 MiB of each array
constexpr float kScalar = 1.75f;

class Triad final : public Workload {
 public:
  Triad()
      : Workload({.name = "triad",
                  .summary = "STREAM triad, c = a + s * b in pieces of 4 MiB: three arrays streamed once.",
                  .suite = "SHOC",
                  .papers = {{"mask", "TRD", {Trait::kL1TlbHigh, Trait::kL2TlbHigh}}},
                  .kernels = {{"triad", "TRD"}},
                  .unit = "elements",
                  .sizes = {{"tiny", 20'000}, {"small", 1'000'000}, {"medium", 3'500'000}, {"paper", 4'194'304}},
                  .least = 1,
                  .most = std::uint64_t{1} << 30,
                  .ptx = embedded::triad}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto count = static_cast<std::uint32_t>(request.elements);
    const std::vector<float> a = random_floats(count, request.seed, 0, 0.0f, 10.0f);
    const std::vector<float> b = random_floats(count, request.seed, 1, 0.0f, 10.0f);
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_a(device, a);
    const runtime::DeviceArray<float> device_b(device, b);
    const runtime::DeviceArray<float> device_c(device, count);
    for (std::uint32_t done = 0; done < count; done += kPiece) {
      const std::uint32_t piece = std::min(kPiece, count - done);
      const std::uint64_t offset = std::uint64_t{done} * sizeof(float);
      device.launch(module.kernel("triad"), {blocks_for(piece, kBlock)}, {kBlock}, 0, device_a.address() + offset,
                    device_b.address() + offset, device_c.address() + offset, kScalar, piece);
    }
    std::vector<float> expected(count);
    for (std::uint32_t i = 0; i < count; ++i) expected[i] = std::fma(kScalar, b[i], a[i]);
    return compare_exact(expected, device_c.download(), "elements");
  }
};

}  // namespace

HEDDLE_WORKLOAD(Triad)

}  // namespace heddle::workloads::triad
