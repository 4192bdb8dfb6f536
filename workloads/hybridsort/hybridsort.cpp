// Hybrid sort: floats, three quarters uniform and one quarter crowded together, so that pivots must follow the data.
// Buckets are filled up to vectors of four with infinity while they are merged. The result is compared with std::sort.
#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(hybridsort)

namespace heddle::workloads::hybridsort {
namespace {

constexpr std::uint32_t kBins = 1'024;
constexpr std::uint32_t kMostBuckets = 1'024;
constexpr std::uint32_t kPerBucket = 128;  // values, about
constexpr std::uint32_t kPerBlock = 1'024;
constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kBlock = 208;

/// The upper end of each bucket, so that all get about as many values: bins are taken to be evenly filled inside.
std::vector<float> make_pivots(const std::vector<std::uint32_t>& histogram, std::uint32_t buckets, float least,
                               float width) {
  const double total = std::accumulate(histogram.begin(), histogram.end(), 0.0);
  std::vector<float> pivots;
  double before = 0;
  for (std::uint32_t bin = 0; bin < histogram.size(); ++bin) {
    const double here = histogram[bin];
    while (pivots.size() + 1 < buckets) {
      const double wanted = total * static_cast<double>(pivots.size() + 1) / buckets;
      if (wanted > before + here) break;
      const double within = here > 0 ? (wanted - before) / here : 0.0;
      pivots.push_back(least + width * static_cast<float>(bin + within));
    }
    before += here;
  }
  pivots.resize(buckets, std::numeric_limits<float>::infinity());
  return pivots;
}

class HybridSort final : public Workload {
 public:
  HybridSort()
      : Workload({.name = "hybridsort",
                  .summary = "Sort by buckets, then by merging: searches, scattered stores, divergent merges.",
                  .suite = "Rodinia",
                  .papers = {{"regless", "hybridsort", {}}},
                  .kernels = {{"hybridsort_histogram", "hybridsort_1"},
                              {"hybridsort_count", "hybridsort_2"},
                              {"hybridsort_offsets", "hybridsort_3"},
                              {"hybridsort_scatter", "hybridsort_4"},
                              {"hybridsort_merge_first", "hybridsort_5"},
                              {"hybridsort_merge_pass", "hybridsort_6"},
                              {"hybridsort_merge_pack", "hybridsort_7"}},
                  .unit = "values",
                  .sizes = {{"tiny", 1'500}, {"small", 50'000}, {"medium", 400'000}, {"paper", 4'194'304}},
                  .least = 1,
                  .most = 200'000'000,
                  .ptx = embedded::hybridsort}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto count = static_cast<std::uint32_t>(request.elements);
    Random random(request.seed);
    std::vector<float> values(count);
    for (float& v : values) {
      v = random.below(4) == 0 ? random.uniform(100.0f, 110.0f) : random.uniform(-1'000.0f, 1'000.0f);
    }
    const std::vector<float> actual = sort_on(device, values);
    std::sort(values.begin(), values.end());
    return compare_exact(values, actual, "sorted values");
  }

 private:
  std::vector<float> sort_on(runtime::Device& device, const std::vector<float>& values) const {
    const auto count = static_cast<std::uint32_t>(values.size());
    const runtime::Module module = load(device);
    const runtime::DeviceArray<float> device_values(device, values);
    const std::uint32_t buckets = std::min(kMostBuckets, std::bit_ceil(blocks_for(count, kPerBucket)));
    const std::vector<float> pivots = find_pivots(device, module, device_values, values, buckets);

    const runtime::DeviceArray<float> device_pivots(device, pivots);
    const std::uint32_t blocks = blocks_for(count, kPerBlock);
    const runtime::DeviceArray<std::uint32_t> bucket_and_rank(device, count);
    const runtime::DeviceArray<std::uint32_t> block_counts(device, std::size_t{blocks} * buckets);
    const runtime::DeviceArray<std::uint32_t> bucket_sizes(device, buckets);
    device.launch(module.kernel("hybridsort_count"), {blocks}, {kWarp}, 0, device_values.address(), count, kPerBlock,
                  device_pivots.address(), buckets, bucket_and_rank.address(), block_counts.address());
    device.launch(module.kernel("hybridsort_offsets"), {blocks_for(buckets, 128)}, {128}, 0, block_counts.address(),
                  blocks, buckets, bucket_sizes.address());
    const std::vector<std::uint32_t> sizes = bucket_sizes.download();
    std::vector<std::uint32_t> starts{0};
    std::vector<std::uint32_t> packed{0};
    for (const std::uint32_t size : sizes) {
      starts.push_back(starts.back() + static_cast<std::uint32_t>(round_up(size, 4)));
      packed.push_back(packed.back() + size);
    }
    const runtime::DeviceArray<std::uint32_t> device_starts(device, starts);
    const runtime::DeviceArray<std::uint32_t> device_packed(device, packed);
    const runtime::DeviceArray<float> first(device,
                                            std::vector<float>(starts.back(), std::numeric_limits<float>::infinity()));
    const runtime::DeviceArray<float> second(device, starts.back());
    device.launch(module.kernel("hybridsort_scatter"), {blocks}, {kWarp}, 0, device_values.address(), count, kPerBlock,
                  bucket_and_rank.address(), block_counts.address(), buckets, device_starts.address(), first.address());

    const std::uint32_t vectors = starts.back() / 4;
    device.launch(module.kernel("hybridsort_merge_first"), {blocks_for(vectors, kBlock)}, {kBlock}, 0, first.address(),
                  vectors);
    const auto longest = static_cast<std::uint32_t>(round_up(*std::max_element(sizes.begin(), sizes.end()), 4));
    runtime::DeviceAddress from = first.address();
    runtime::DeviceAddress to = second.address();
    for (std::uint32_t length = 4; length < longest; length *= 2) {
      const std::uint32_t threads = blocks_for(longest, std::uint64_t{2} * length);
      device.launch(module.kernel("hybridsort_merge_pass"), {blocks_for(std::uint64_t{threads} * buckets, kBlock)},
                    {kBlock}, 0, from, to, device_starts.address(), buckets, threads, length);
      std::swap(from, to);
    }
    device.launch(module.kernel("hybridsort_merge_pack"), {buckets}, {kBlock}, 0, from, device_values.address(),
                  device_starts.address(), device_packed.address(), buckets);
    return device_values.download();
  }

  static std::vector<float> find_pivots(runtime::Device& device, const runtime::Module& module,
                                        const runtime::DeviceArray<float>& device_values,
                                        const std::vector<float>& values, std::uint32_t buckets) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    const float width = std::max(*most - *least, 1e-6f) / static_cast<float>(kBins);
    runtime::DeviceArray<std::uint32_t> histogram(device, kBins);
    histogram.fill(0);
    const auto count = static_cast<std::uint32_t>(values.size());
    device.launch(module.kernel("hybridsort_histogram"), {std::min(64u, blocks_for(count, 256))}, {256}, 0,
                  device_values.address(), count, *least, 1.0f / width, histogram.address());
    return make_pivots(histogram.download(), buckets, *least, width);
  }
};

}  // namespace

HEDDLE_WORKLOAD(HybridSort)

}  // namespace heddle::workloads::hybridsort
