// Database sort: records with random keys, some of them equal in all but the last bytes. The payload is derived from
// the key and a number, so a record that was torn apart is noticed. Keys are distinct, so the result is unique and
// compared byte for byte with std::sort.
#include <algorithm>
#include <bit>
#include <cstring>

#include "workloads/common/compare.h"
#include "workloads/common/embedded.h"
#include "workloads/common/host.h"
#include "workloads/common/random.h"
#include "workloads/dbsort/record.h"
#include "workloads/workload.h"

HEDDLE_EMBEDDED_PTX(dbsort)

namespace heddle::workloads::dbsort {
namespace {

constexpr std::uint32_t kBlock = 256;

std::vector<Record> make_records(std::uint32_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<Record> records(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    Record& record = records[i];
    // One key in four begins with the same six bytes. The last four bytes make it distinct.
    std::uint64_t head = random.next();
    if (random.below(4) == 0) head = 0x7070707070707070;
    std::memcpy(record.key, &head, 6);
    const std::uint32_t tail = i * 2654435761u;  // odd factor: no two alike
    std::memcpy(record.key + 6, &tail, 4);
    for (auto& byte : record.payload) byte = static_cast<std::uint8_t>(random.next());
  }
  return records;
}

std::vector<std::uint8_t> bytes(const std::vector<Record>& records) {
  std::vector<std::uint8_t> result(records.size() * sizeof(Record));
  std::memcpy(result.data(), records.data(), result.size());
  return result;
}

/// The n-th words of all records together, and back.
std::vector<std::uint32_t> to_columns(const std::vector<Record>& records) {
  std::vector<std::uint32_t> words(records.size() * kRecordWords);
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t w = 0; w < kRecordWords; ++w)
      std::memcpy(&words[w * records.size() + i], reinterpret_cast<const std::uint8_t*>(&records[i]) + w * 4, 4);
  }
  return words;
}
std::vector<Record> to_records(const std::vector<std::uint32_t>& words) {
  std::vector<Record> records(words.size() / kRecordWords);
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t w = 0; w < kRecordWords; ++w)
      std::memcpy(reinterpret_cast<std::uint8_t*>(&records[i]) + w * 4, &words[w * records.size() + i], 4);
  }
  return records;
}

class DatabaseSort final : public Workload {
 public:
  DatabaseSort()
      : Workload(
            {.name = "dbsort",
             .summary =
                 "Sorts records of 10-byte keys and 90-byte payloads in place; strided, uncoalesced but by columns.",
             .suite = "database sort",
             .papers = {{"power", "sort", {}}},
             .kernels = {{"dbsort_exchange", "sort_1"}, {"dbsort_exchange_columns", "sort_1 by columns"}},
             .unit = "records",
             .sizes = {{"tiny", 80}, {"small", 3'000}, {"medium", 66'000}},
             .inputs = {{"records", "records one after the other"},
                        {"columns", "each word of all records together, as a database that stores columns"}},
             .least = 1,
             .most = 40'000'000,
             .ptx = embedded::dbsort}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto count = static_cast<std::uint32_t>(request.elements);
    std::vector<Record> records = make_records(count, request.seed);
    const std::vector<Record> sorted =
        request.input == "columns" ? to_records(sort_on(device, "dbsort_exchange_columns", to_columns(records), count))
                                   : sort_on(device, "dbsort_exchange", records, count);
    std::sort(records.begin(), records.end(),
              [](const Record& a, const Record& b) { return std::memcmp(a.key, b.key, kKeyBytes) < 0; });
    return compare_exact(bytes(records), bytes(sorted), "bytes of sorted records");
  }

 private:
  template <typename Element>
  std::vector<Element> sort_on(runtime::Device& device, const char* kernel, const std::vector<Element>& elements,
                               std::uint32_t count) const {
    const runtime::Module module = load(device);
    const runtime::Kernel exchange = module.kernel(kernel);
    const runtime::DeviceArray<Element> on_device(device, elements);
    const std::uint32_t padded = std::max(2u, std::bit_ceil(count));
    const Dim3 grid{blocks_for(padded / 2, kBlock)};
    for (std::uint32_t merged = 1; merged < padded; merged *= 2) {
      for (std::uint32_t span = merged; span > 0; span /= 2) {
        const std::uint32_t mirrored = span == merged ? 1 : 0;
        device.launch(exchange, grid, {kBlock}, 0, on_device.address(), count, span, mirrored);
      }
    }
    return on_device.download();
  }
};

}  // namespace

HEDDLE_WORKLOAD(DatabaseSort)

}  // namespace heddle::workloads::dbsort
