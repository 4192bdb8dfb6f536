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

class DatabaseSort final : public Workload {
 public:
  DatabaseSort()
      : Workload({.name = "dbsort",
                  .summary = "Sorts records of 10-byte keys and 90-byte payloads in place; strided, uncoalesced.",
                  .suite = "database sort",
                  .papers = {{"power", "sort", {}}},
                  .kernels = {{"dbsort_exchange", "sort_1"}},
                  .unit = "records",
                  .sizes = {{"tiny", 80}, {"small", 3'000}, {"medium", 66'000}},
                  .least = 1,
                  .most = 40'000'000,
                  .ptx = embedded::dbsort}) {}

  Outcome execute(runtime::Device& device, const Request& request) const override {
    const auto count = static_cast<std::uint32_t>(request.elements);
    std::vector<Record> records = make_records(count, request.seed);
    const runtime::Module module = load(device);
    const runtime::Kernel exchange = module.kernel("dbsort_exchange");
    const runtime::DeviceArray<Record> device_records(device, records);
    const std::uint32_t padded = std::max(2u, std::bit_ceil(count));
    const Dim3 grid{blocks_for(padded / 2, kBlock)};
    for (std::uint32_t merged = 1; merged < padded; merged *= 2) {
      for (std::uint32_t span = merged; span > 0; span /= 2) {
        const std::uint32_t mirrored = span == merged ? 1 : 0;
        device.launch(exchange, grid, {kBlock}, 0, device_records.address(), count, span, mirrored);
      }
    }
    std::sort(records.begin(), records.end(),
              [](const Record& a, const Record& b) { return std::memcmp(a.key, b.key, kKeyBytes) < 0; });
    return compare_exact(bytes(records), bytes(device_records.download()), "bytes of sorted records");
  }
};

}  // namespace

HEDDLE_WORKLOAD(DatabaseSort)

}  // namespace heddle::workloads::dbsort
