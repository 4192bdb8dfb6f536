// Cuts a program into regions and says for each what hardware that stages registers must know (RegLess, section 4.4).
//
// A region lies inside a basic block, needs at most so many registers at once, in all and in each bank, and does not
// hold a load from memory together with the first use of what it loads. Where a block must be cut, it is cut where few
// registers cross. What stands in the result is worked out on demand, from finished code, and changes none of it.
#pragma once

#include <vector>

#include "compile/program.h"
#include "compile/regions/warp_liveness.h"
#include "isa/regions.h"

namespace heddle::compile {

struct RegionOptions {
  unsigned most_registers = 32;      ///< live at once in a region
  unsigned most_in_bank = 7;         ///< likewise in a bank: what its field of a metadata instruction can say
  unsigned fewest_instructions = 6;  ///< that a cut leaves before it, if it can (Algorithm 1, line 31)
  bool splits_loads = true;          ///< loads from memory and their first uses are kept apart
  SoftTest soft = SoftTest::hidden;
  bool splits_meetings = false;  ///< instructions for which lanes meet begin regions: lanes may wait there for others
  bool metadata = true;          ///< the code has metadata instructions
  unsigned operand_file = 0;     ///< entries of the operand file, for levels; 0: no levels are worked out
};

[[nodiscard]] isa::RegionCode make_regions(const Program& program, const RegionOptions& options);

/// A function of finished code, in blocks again; targets are block numbers.
[[nodiscard]] MachineFunction function_of(const Program& program, const CodeRange& range);

/// Whether an instruction's result may come from memory, after a long time.
[[nodiscard]] bool loads_from_memory(const isa::Instruction& instruction);

/// A region as words of metadata: those before it, then those among its instructions (section 4.5.4).
[[nodiscard]] std::vector<std::uint64_t> encode_region(const isa::RegionCode& code, const isa::Region& region,
                                                       const std::vector<isa::Instruction>& instructions);
/// Fills in how many words each region has and where instructions lie among them.
void place_metadata(isa::RegionCode& code, const std::vector<isa::Instruction>& instructions);

/// Gives each value of a region, which stands for a strand, the smallest file that has room for it.
void assign_levels(isa::RegionCode& code, const std::vector<isa::Instruction>& instructions, unsigned entries);

}  // namespace heddle::compile
