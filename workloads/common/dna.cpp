#include "workloads/common/dna.h"

#include <algorithm>

#include "workloads/common/random.h"

namespace heddle::workloads {

std::vector<std::uint8_t> random_genome(std::uint32_t bases, std::uint64_t seed) {
  constexpr std::uint32_t kStretch = 100;
  Random random(seed, 10);
  const auto draw = [&] { return static_cast<std::uint8_t>(random.below(4)); };
  std::vector<std::uint8_t> genome;
  genome.reserve(bases);
  while (genome.size() < bases) {
    const auto length = std::min<std::uint32_t>(kStretch, bases - static_cast<std::uint32_t>(genome.size()));
    const bool copies = genome.size() > kStretch && random.below(4) == 0;
    const std::uint32_t from = copies ? random.below(static_cast<std::uint32_t>(genome.size()) - kStretch) : 0;
    for (std::uint32_t i = 0; i < length; ++i) {
      genome.push_back(copies && random.below(50) != 0 ? genome[from + i] : draw());
    }
  }
  return genome;
}

std::vector<std::uint8_t> random_reads(const std::vector<std::uint8_t>& genome, std::uint32_t count,
                                       std::uint32_t length, std::uint32_t error_every, std::uint64_t seed) {
  Random random(seed, 11);
  const auto bases = static_cast<std::uint32_t>(genome.size());
  std::vector<std::uint8_t> reads;
  reads.reserve(std::size_t{count} * length);
  for (std::uint32_t read = 0; read < count; ++read) {
    const bool is_random = random.below(8) == 0;
    const std::uint32_t from = bases > length ? random.below(bases - length) : 0;
    for (std::uint32_t i = 0; i < length; ++i) {
      const bool copied = !is_random && from + i < bases && random.below(error_every) != 0;
      reads.push_back(copied ? genome[from + i] : static_cast<std::uint8_t>(random.below(4)));
    }
  }
  return reads;
}

}  // namespace heddle::workloads
