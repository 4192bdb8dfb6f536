// What stands in place of the register file: staging units with compressors (RegLess), a renamed file, a small file
// in fixed shares, a hierarchy, a cache in front of the file. All are of the component "register_file", so that kinds
// can be compared.
#include "energy/report.h"
#include "isa/regions.h"

namespace heddle::energy {
namespace {

constexpr double kLaneCount = 32;
constexpr double kValueBits = kLaneCount * 32;
constexpr double kCollectorOperands = 3;
/// Warps of a scheduler that the two-level scheduler of the hierarchy and the cache lets issue (RegLess's catalogue,
/// rl.amb.two_level_size): only these have entries.
constexpr double kActiveWarps = 4;

class OperandStorageReport {
 public:
  explicit OperandStorageReport(Report& report) : report_(report), sm_(report.gpu().sm) {}

  void regless() {
    const double shards = sm_.schedulers;
    const double banks = shards * isa::kRegionBanks;
    const double lines = sm_.regless.entries / banks;
    const double reads = count("regless.reads");
    const double fills = count("regless.fills");
    report_.add_banks(kComponent, {.entries = lines, .entry_bits = kValueBits}, banks, report_.gpu().sms,
                      reads + count("regless.evictions"), count("regless.writes") + fills);
    // A tag names a warp of the shard and a register; two bits say whether the line is owned or dirty. A lookup reads
    // the tags of all lines of its bank: there are too few for the table's associative memories.
    constexpr double kTagBits = 4 + 8 + 2;
    report_.add_sram(kComponent, "staging tags", {.entries = lines, .entry_bits = kTagBits}, report_.gpu().sms * banks,
                     count("regless.tag_lookups") * lines, fills + count("regless.writes"));
    collectors(reads);
    // Needs of eight banks and a list of registers for each warp (metadata store), and queues of preloads.
    constexpr double kStoreBits = 54 * 3;
    report_.add_sram(kComponent, "metadata store", {.entries = sm_.warps / shards, .entry_bits = kStoreBits},
                     report_.gpu().sms * shards, count("regless.regions"), count("regless.metadata_words"));
    if (sm_.regless.compressor) {
      report_.add_sram(kComponent, "compressed lines",
                       {.entries = double{1} * sm_.regless.compressor_lines, .entry_bits = kValueBits},
                       report_.gpu().sms * shards, count("regless.compressor_accesses"),
                       count("regless.evictions_compressed"));
      report_.add_sram(kComponent, "compressed bits", {.entries = 256, .entry_bits = sm_.warps / shards * 2},
                       report_.gpu().sms * shards, count("regless.bit_lookups"), count("regless.evictions"));
    }
    report_.add_logic("instructions", "metadata", count("regless.metadata_words"), report_.gpu().energy.control);
  }

  void renamed() {
    main_file(sm_.renamed_registers, count("rfv.reads"), count("rfv.writes"));
    collectors(count("rfv.reads"));
  }

  void spilled() {
    main_file(sm_.spill.entries, count("register_reads"), count("register_writes"));
    collectors(count("register_reads"));
  }

  void hierarchy() {
    main_file(sm_.registers / kLaneCount, count("rfh.main_reads"), count("rfh.main_writes"));
    small("operand files", sm_.operand_file, count("rfh.operand_reads"), count("rfh.operand_writes"));
    small("last results", 1, count("rfh.last_reads"), count("rfh.last_writes"));
    collectors(count("rfh.main_reads") + count("rfh.operand_reads") + count("rfh.last_reads"));
  }

  void cached() {
    main_file(sm_.registers / kLaneCount, count("rfcache.main_reads"), count("rfcache.main_writes"));
    small("register caches", sm_.cached_registers, count("rfcache.cache_reads"), count("rfcache.cache_writes"));
    collectors(count("rfcache.main_reads") + count("rfcache.cache_reads"));
  }

 private:
  static constexpr const char* kComponent = "register_file";
  [[nodiscard]] double count(const std::string& name) const { return report_.count("gpu.sm." + name); }

  void main_file(double registers, double reads, double writes) {
    report_.add_banks(kComponent, {.entries = registers / sm_.register_banks, .entry_bits = kValueBits},
                      sm_.register_banks, report_.gpu().sms, reads, writes);
  }
  /// Entries that each warp has which may issue.
  void small(const char* name, double entries, double reads, double writes) {
    report_.add_sram(kComponent, name, {.entries = entries * kActiveWarps, .entry_bits = kValueBits},
                     report_.gpu().sms * double{1} * sm_.schedulers, reads, writes);
  }
  void collectors(double reads) {
    report_.add_sram(kComponent, "operand collectors",
                     {.entries = kCollectorOperands * sm_.collectors,
                      .entry_bits = kValueBits,
                      .read_ports = 1,
                      .write_ports = 1,
                      .rw_ports = 0},
                     report_.gpu().sms, reads, reads);
  }

  Report& report_;
  const core::SmParameters& sm_;
};

void describe_operand_storage(Report& report) {
  OperandStorageReport storage(report);
  const core::SmParameters& sm = report.gpu().sm;
  if (sm.operands.is("regless")) storage.regless();
  if (sm.operands.is("spill")) storage.spilled();
  if (sm.operands.is("rfv")) storage.renamed();
  if (sm.operands.is("rfh")) storage.hierarchy();
  if (sm.operands.is("rfcache")) storage.cached();
}

[[maybe_unused]] const bool kRegisteredOperandStorage = register_component("operand_storage", describe_operand_storage);

}  // namespace
}  // namespace heddle::energy
