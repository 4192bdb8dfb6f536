// Genomes and reads, as bases 0 to 3 (A, C, G, T), one per byte.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::workloads {

/// Random bases in which one stretch in four is a copy, with one base in 50 changed, of an earlier one.
[[nodiscard]] std::vector<std::uint8_t> random_genome(std::uint32_t bases, std::uint64_t seed);

/// `count` reads of `length` bases from anywhere in the genome, one base in `error_every` changed; one read in eight is
/// random and matches nothing but by chance. Back to back. A genome shorter than a read is read from its beginning.
[[nodiscard]] std::vector<std::uint8_t> random_reads(const std::vector<std::uint8_t>& genome, std::uint32_t count,
                                                     std::uint32_t length, std::uint32_t error_every,
                                                     std::uint64_t seed);

}  // namespace heddle::workloads
