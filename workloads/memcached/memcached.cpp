// A key-value store: items are stored by the host, GET requests are answered by the GPU in batches. Popularity follows
// Zipf's law; one request in 20 asks for a key that is not stored. Whole responses are compared, byte for byte.
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/requests.h"
#include "workloads/memcached/item.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(memcached)

namespace heddle::workloads::memcached {
namespace {

constexpr std::uint32_t kBlock = 256;
constexpr std::uint32_t kBatch = 16'384;
constexpr std::uint32_t kNotFound = 0xffffffffu;

std::uint32_t hash_of(std::string_view key) {  // FNV-1a
  std::uint32_t hash = 2166136261u;
  for (const char c : key) hash = (hash ^ static_cast<std::uint8_t>(c)) * 16777619u;
  return hash;
}

struct Store {
  std::vector<std::uint32_t> buckets;  ///< a power of two of them, about one item each
  std::vector<std::uint8_t> heap;

  void add(const std::string& key, const std::vector<std::uint32_t>& value, std::uint16_t value_bytes) {
    const std::uint32_t hash = hash_of(key);
    std::uint32_t& bucket = buckets[hash & (buckets.size() - 1)];
    const ItemHeader header{bucket, hash, static_cast<std::uint16_t>(key.size()), value_bytes, 0};
    const std::size_t at = heap.size();
    const std::size_t value_at = at + sizeof header + round_up(key.size(), 4);
    heap.resize(round_up(value_at + value.size() * 4, kUnit));
    std::memcpy(heap.data() + at, &header, sizeof header);
    std::memcpy(heap.data() + at + sizeof header, key.data(), key.size());
    std::memcpy(heap.data() + value_at, value.data(), value.size() * 4);
    bucket = static_cast<std::uint32_t>(at / kUnit);
  }
};

struct Item {
  std::uint16_t bytes = 0;
  std::uint64_t seed = 0;  ///< the value is drawn again where it is needed, instead of being kept twice

  [[nodiscard]] std::vector<std::uint32_t> value() const {
    Random random(seed);
    std::vector<std::uint32_t> words((bytes + 3u) / 4);
    for (auto& word : words) word = static_cast<std::uint32_t>(random.next());
    return words;
  }
};

struct Batch {
  std::vector<std::uint8_t> requests;
  std::vector<std::uint32_t> responses;
};

class Memcached final : public Workload {
 public:
  Memcached()
      : Workload({.name = "memcached",
                  .summary = "GET requests of a key-value store, one thread each: hash, chain, key comparison, copy.",
                  .suite = "GPU memcached",
                  .papers = {{"pichai", "memcached", {}}},
                  .kernels = {{"memcached_get", "memcached_1"}},
                  .unit = "items in the store (half as many requests)",
                  .sizes = {{"tiny", 1'000}, {"small", 30'000}, {"medium", 300'000}, {"paper", 6'000'000}},
                  .least = 1,
                  .most = 50'000'000,
                  .ptx = embedded::memcached}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto count = static_cast<std::uint32_t>(request.elements);
    const std::vector<std::string> keys = title_keys(count, kLongestKey, request.seed);
    Random random(request.seed);
    std::vector<Item> items(count);
    Store store;
    store.buckets.resize(std::bit_ceil(count), 0);
    store.heap.resize(kUnit);
    for (std::uint32_t i = 0; i < count; ++i) {
      items[i] = {static_cast<std::uint16_t>(1 + random.below(kLongestValue)), random.next()};
      store.add(keys[i], items[i].value(), items[i].bytes);
    }

    const runtime::Module module = load(device);
    const runtime::Kernel get = module.kernel("memcached_get");
    const runtime::DeviceArray<std::uint32_t> buckets(device, store.buckets);
    const runtime::DeviceArray<std::uint8_t> heap(device, store.heap);
    const auto mask = static_cast<std::uint32_t>(store.buckets.size() - 1);
    const Zipf zipf(count);
    // Which item is how popular does not follow from where it lies.
    std::vector<std::uint32_t> by_rank(count);
    std::iota(by_rank.begin(), by_rank.end(), 0u);
    for (std::uint32_t i = count; i > 1; --i) std::swap(by_rank[i - 1], by_rank[random.below(i)]);
    Outcome outcome;
    for (std::uint32_t left = (count + 1) / 2; left > 0;) {
      const std::uint32_t size = std::min(left, kBatch);
      left -= size;
      const Batch batch = make_batch(size, keys, items, {zipf, by_rank}, random);
      const runtime::DeviceArray<std::uint8_t> requests(device, batch.requests);
      runtime::DeviceArray<std::uint32_t> responses(device, batch.responses.size());
      responses.fill(0);
      device.launch(get, {blocks_for(size, kBlock)}, {kBlock}, 0, requests.address(), size, buckets.address(), mask,
                    heap.address(), responses.address());
      outcome = compare_exact(batch.responses, responses.download(), "words of the last batch of responses");
      if (!outcome.passed) break;
    }
    return outcome;
  }

 private:
  struct Popularity {
    const Zipf& zipf;
    const std::vector<std::uint32_t>& by_rank;
  };
  static Batch make_batch(std::uint32_t size, const std::vector<std::string>& keys, const std::vector<Item>& items,
                          const Popularity& popularity, Random& random) {
    Batch batch{std::vector<std::uint8_t>(std::size_t{size} * kRequestBytes, 0),
                std::vector<std::uint32_t>(std::size_t{size} * kResponseWords, 0)};
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint32_t wanted = popularity.by_rank[popularity.zipf.draw(random)];
      std::string key = keys[wanted];
      std::uint32_t* response = batch.responses.data() + i * kResponseWords;
      if (random.below(20) == 0) {
        key.back() = '!';  // no stored key has one
        response[0] = kNotFound;
      } else {
        const std::vector<std::uint32_t> value = items[wanted].value();
        response[0] = items[wanted].bytes;
        std::copy(value.begin(), value.end(), response + 1);
      }
      batch.requests[i * kRequestBytes] = static_cast<std::uint8_t>(key.size());
      std::copy(key.begin(), key.end(), batch.requests.begin() + static_cast<std::ptrdiff_t>(i * kRequestBytes + 1));
    }
    return batch;
  }
};

}  // namespace

HEDDLE_WORKLOAD(Memcached)

}  // namespace heddle::workloads::memcached
