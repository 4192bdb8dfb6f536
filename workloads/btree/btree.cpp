// A B+ tree of fan-out 256 over distinct random keys, leaves and inner nodes about two thirds full as after random
// inserts. One point query per 100 records and one range query per 166, as Rodinia's 10,000 and 6,000 for a million.
// Some point queries ask for keys that are not there. Answers are integers: the check is exact, against a search in the
// sorted keys.
#include <algorithm>
#include <limits>
#include <utility>

#include "workloads/btree/node.h"
#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(btree)

namespace heddle::workloads::btree {
namespace {

constexpr std::int32_t kNoKey = std::numeric_limits<std::int32_t>::max();
constexpr std::uint32_t kMinimumFill = kFanout / 2;

struct Tree {
  std::vector<BtreeNode> nodes;  ///< the root first
  std::int32_t height = 0;       ///< levels above the leaves
};

/// The entries of one level: the least key below each, and what it points to.
struct Level {
  std::vector<std::int32_t> keys;
  std::vector<std::int32_t> indices;
};

/// Cuts a level into nodes of random fill; they are appended to `nodes` and described by the level above.
Level add_nodes(std::vector<BtreeNode>& nodes, const Level& level, bool is_leaf, Random& random) {
  Level above;
  for (std::size_t begin = 0; begin < level.keys.size();) {
    std::size_t count = kMinimumFill + random.below(kFanout - kMinimumFill + 1);
    count = std::min(count, level.keys.size() - begin);
    BtreeNode node{};
    node.location = static_cast<int>(nodes.size());
    node.is_leaf = is_leaf ? 1 : 0;
    node.key_count = static_cast<int>(count);
    std::fill(std::begin(node.keys), std::end(node.keys), kNoKey);
    for (std::size_t i = 0; i < count; ++i) {
      node.keys[i] = level.keys[begin + i];
      node.indices[i] = level.indices[begin + i];
    }
    above.keys.push_back(node.keys[0]);
    above.indices.push_back(node.location);
    if (!is_leaf) node.keys[0] = std::numeric_limits<std::int32_t>::min();
    nodes.push_back(node);
    begin += count;
  }
  return above;
}

Tree make_tree(const std::vector<std::int32_t>& keys, Random& random) {
  Tree tree;
  Level level{keys, std::vector<std::int32_t>(keys.size())};
  for (std::size_t i = 0; i < keys.size(); ++i) level.indices[i] = static_cast<std::int32_t>(i);
  level = add_nodes(tree.nodes, level, true, random);
  while (level.keys.size() > 1) {
    level = add_nodes(tree.nodes, level, false, random);
    ++tree.height;
  }
  // The kernels start at node 0: the root, made last, is put first by turning the numbering round.
  std::reverse(tree.nodes.begin(), tree.nodes.end());
  const auto last = static_cast<int>(tree.nodes.size()) - 1;
  for (BtreeNode& node : tree.nodes) {
    node.location = last - node.location;
    if (node.is_leaf != 0) continue;
    for (int i = 0; i < node.key_count; ++i) node.indices[i] = last - node.indices[i];
  }
  return tree;
}

/// Ascending and distinct, with gaps of one to four.
std::vector<std::int32_t> make_keys(std::size_t count, Random& random) {
  std::vector<std::int32_t> keys(count);
  std::int32_t key = 0;
  for (auto& k : keys) k = key += 1 + static_cast<std::int32_t>(random.below(4));
  return keys;
}

class Btree final : public Workload {
 public:
  Btree()
      : Workload(
            {.name = "btree",
             .summary =
                 "B+ tree with fan-out 256: point and range queries, one block per query, pointer chasing by blocks.",
             .suite = "Rodinia",
             .papers = {{"regless", "b+tree", {}}, {"scavenger", "BT", {Trait::kMemoryBound}}},
             .kernels = {{"btree_find", "btree_1"}, {"btree_find_range", "btree_2"}},
             .unit = "records",
             .sizes = {{"tiny", 2'000}, {"small", 150'000}, {"medium", 900'000}, {"paper", 1'000'000}},
             .least = 1,
             .most = 200'000'000,
             .ptx = embedded::btree}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    Random random(request.seed);
    const std::vector<std::int32_t> keys = make_keys(request.elements, random);
    std::vector<std::int32_t> records(keys.size());
    for (auto& value : records) value = static_cast<std::int32_t>(random.below(1u << 30));
    const Tree tree = make_tree(keys, random);

    const runtime::Module module = load(device);
    const runtime::DeviceArray<BtreeNode> nodes(device, tree.nodes);
    const Outcome points = find(device, module, keys, records, tree.height, nodes, random);
    return both(points, find_ranges(device, module, keys, tree.height, nodes, random));
  }

 private:
  static Outcome find(runtime::Device& device, const runtime::Module& module, const std::vector<std::int32_t>& keys,
                      const std::vector<std::int32_t>& records, std::int32_t height,
                      const runtime::DeviceArray<BtreeNode>& nodes, Random& random) {
    std::vector<std::int32_t> wanted(1 + keys.size() / 100);
    std::vector<std::int32_t> expected(wanted.size(), -1);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      wanted[i] = keys[random.below(static_cast<std::uint32_t>(keys.size()))] + (random.below(8) == 0 ? 1 : 0);
      const auto at = std::lower_bound(keys.begin(), keys.end(), wanted[i]);
      if (at != keys.end() && *at == wanted[i]) expected[i] = records[static_cast<std::size_t>(at - keys.begin())];
    }
    const runtime::DeviceArray<std::int32_t> device_records(device, records);
    const runtime::DeviceArray<std::int32_t> device_wanted(device, wanted);
    runtime::DeviceArray<std::int32_t> answers(device, wanted.size());
    answers.fill(0xff);
    device.launch(module.kernel("btree_find"), {static_cast<std::uint32_t>(wanted.size())}, {kFanout}, 0, height,
                  nodes.address(), device_records.address(), device_wanted.address(), answers.address());
    return compare_exact(expected, answers.download(), "answers");
  }

  static Outcome find_ranges(runtime::Device& device, const runtime::Module& module,
                             const std::vector<std::int32_t>& keys, std::int32_t height,
                             const runtime::DeviceArray<BtreeNode>& nodes, Random& random) {
    const std::size_t count = 1 + keys.size() * 6 / 1000;
    std::vector<std::int32_t> first(count);
    std::vector<std::int32_t> last(count);
    std::vector<std::int32_t> starts(count);
    std::vector<std::int32_t> lengths(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint32_t a = random.below(static_cast<std::uint32_t>(keys.size()));
      std::uint32_t b = random.below(static_cast<std::uint32_t>(keys.size()));
      if (a > b) std::swap(a, b);
      first[i] = keys[a];
      last[i] = keys[b];
      starts[i] = static_cast<std::int32_t>(a);
      lengths[i] = static_cast<std::int32_t>(b - a + 1);
    }
    const runtime::DeviceArray<std::int32_t> device_first(device, first);
    const runtime::DeviceArray<std::int32_t> device_last(device, last);
    runtime::DeviceArray<std::int32_t> range_start(device, count);
    runtime::DeviceArray<std::int32_t> range_length(device, count);
    range_start.fill(0);
    range_length.fill(0);
    device.launch(module.kernel("btree_find_range"), {static_cast<std::uint32_t>(count)}, {kFanout}, 0, height,
                  nodes.address(), device_first.address(), device_last.address(), range_start.address(),
                  range_length.address());
    return both(compare_exact(starts, range_start.download(), "range starts"),
                compare_exact(lengths, range_length.download(), "range lengths"));
  }
};

}  // namespace

HEDDLE_WORKLOAD(Btree)

}  // namespace heddle::workloads::btree
