// DNA sequence alignment: reads of 25 bases against a reference, one read per 16 bases of it. The check is exact and
// independent of the tree: lengths of all matches, and number and first place of those of 20 bases and more.
#include "workloads/mummergpu/reference.h"

#include "workloads/common/compare.h"
#include "workloads/common/dna.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/mummergpu/suffix_tree.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(mummergpu)

namespace heddle::workloads::mummergpu {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kErrorEvery = 40;

Outcome check(const std::vector<std::uint8_t>& reference, const std::vector<std::uint8_t>& reads,
              const std::vector<SuffixMatch>& matches, const std::vector<SuffixPlaces>& places) {
  const mummergpu::ReversedAutomaton automaton(reference);
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> counts;
  std::vector<std::uint32_t> firsts;
  for (std::size_t i = 0; i < reads.size(); i += kReadLength) {
    const auto result = automaton.match(reads.data() + i);
    lengths.insert(lengths.end(), result.lengths.begin(), result.lengths.end());
    for (const SuffixPlaces& p : result.places) {
      counts.push_back(p.count);
      firsts.push_back(p.first);
    }
  }
  std::vector<std::uint32_t> actual_lengths;
  std::vector<std::uint32_t> actual_counts;
  std::vector<std::uint32_t> actual_firsts;
  actual_lengths.reserve(matches.size());
  actual_counts.reserve(places.size());
  actual_firsts.reserve(places.size());
  for (const SuffixMatch& m : matches) actual_lengths.push_back(m.length);
  for (const SuffixPlaces& p : places) {
    actual_counts.push_back(p.count);
    actual_firsts.push_back(p.first);
  }
  return both(compare_exact(lengths, actual_lengths, "match lengths"),
              both(compare_exact(counts, actual_counts, "numbers of places"),
                   compare_exact(firsts, actual_firsts, "first places")));
}

class MummerGpu final : public Workload {
 public:
  MummerGpu()
      : Workload(
            {.name = "mummergpu",
             .summary = "DNA alignment: each thread walks a suffix tree with its own read; the most divergent loads.",
             .suite = "Rodinia",
             .papers = {{"mask", "MUM", {Trait::kL1TlbHigh, Trait::kL2TlbHigh}},
                        {"pichai", "mummergpu", {Trait::kDivergent}},
                        {"regless", "mummergpu", {}},
                        {"scavenger", "MUM", {Trait::kMemoryBound}}},
             .kernels = {{"mummergpu_match", "mummergpu_1"}, {"mummergpu_print", "mummergpu_2"}},
             .unit = "bases of the reference",
             .sizes = {{"tiny", 1'500}, {"small", 60'000}, {"medium", 600'000}, {"paper", 16'000'000}},
             .least = 1,
             .most = 1'000'000'000,
             .ptx = embedded::mummergpu}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto bases = static_cast<std::uint32_t>(request.elements);
    const std::uint32_t read_count = blocks_for(bases, 16);
    const std::vector<std::uint8_t> reference = random_genome(bases, request.seed);
    const std::vector<std::uint8_t> reads = random_reads(reference, read_count, kReadLength, kErrorEvery, request.seed);
    // One byte behind the last base, which equals none: edges of leaves run over the end.
    std::vector<std::uint8_t> ended = reference;
    ended.push_back(4);

    const runtime::Module module = load(device);
    const runtime::DeviceArray<std::uint8_t> device_reference(device, ended);
    const runtime::DeviceArray<std::uint8_t> device_reads(device, reads);
    const mummergpu::SuffixTree tree = mummergpu::build_suffix_tree(reference);
    const runtime::DeviceArray<SuffixNode> nodes(device, tree.nodes);
    const runtime::DeviceArray<SuffixChildren> children(device, tree.children);
    const runtime::DeviceArray<SuffixUp> ups(device, tree.ups);
    const std::uint32_t match_count = read_count * kReadLength;
    const runtime::DeviceArray<SuffixMatch> matches(device, match_count);
    runtime::DeviceArray<SuffixPlaces> places(device, match_count);
    places.fill(0);
    device.launch(module.kernel("mummergpu_match"), {blocks_for(read_count, kBlock)}, {kBlock}, 0, nodes.address(),
                  children.address(), device_reference.address(), device_reads.address(), read_count,
                  matches.address());
    device.launch(module.kernel("mummergpu_print"), {blocks_for(match_count, kBlock)}, {kBlock}, 0, nodes.address(),
                  children.address(), ups.address(), device_reference.address(), bases, matches.address(), match_count,
                  places.address());
    return check(reference, reads, matches.download(), places.download());
  }
};

}  // namespace

HEDDLE_WORKLOAD(MummerGpu)

}  // namespace heddle::workloads::mummergpu
