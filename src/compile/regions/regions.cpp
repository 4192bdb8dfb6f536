#include "compile/regions/regions.h"

#include <algorithm>

#include "compile/cfg.h"
#include "compile/regions/cut.h"
#include "compile/regions/invalidate.h"

namespace heddle::compile {
namespace {

using isa::Opcode;
using isa::Space;

class RegionMaker {
 public:
  RegionMaker(const Program& program, const RegionOptions& options) : program_(program), options_(options) {}

  [[nodiscard]] isa::RegionCode run() {
    code_.region_of.assign(program_.code.size(), 0);
    marks_.resize(program_.code.size());
    for (const CodeRange& range : program_.functions) {
      const auto first = static_cast<std::uint32_t>(code_.regions.size());
      add_function(range);
      code_.functions.push_back({first, static_cast<std::uint32_t>(code_.regions.size())});
    }
    for (const std::vector<isa::LastUse>& marks : marks_) {
      code_.first_last.push_back(static_cast<std::uint32_t>(code_.last_uses.size()));
      code_.last_uses.insert(code_.last_uses.end(), marks.begin(), marks.end());
    }
    code_.first_last.push_back(static_cast<std::uint32_t>(code_.last_uses.size()));
    if (options_.metadata) {
      place_metadata(code_, program_.code);
    } else {
      code_.size = static_cast<std::uint32_t>(program_.code.size());
      for (std::uint32_t pc = 0; pc < code_.size; ++pc) code_.place.push_back(pc);
    }
    if (options_.operand_file != 0) assign_levels(code_, program_.code, options_.operand_file);
    return std::move(code_);
  }

 private:
  void add_function(const CodeRange& range) {
    const MachineFunction function = function_of(program_, range);
    const WarpLiveness liveness(function, options_.soft);
    const auto dead = find_invalidations(function, liveness);
    std::uint32_t pc = range.begin;
    for (std::uint32_t b = 0; b < function.blocks.size(); ++b) {
      const BlockValues values(function, liveness, b);
      const std::vector<Stretch> stretches = cut_block(values, options_);
      for (const Stretch& stretch : stretches) {
        isa::Region& region = add_region(values, stretch, pc);
        if (stretch.begin != 0) continue;
        for (const std::uint8_t reg : dead[b]) region.list.push_back({reg, isa::Prepare::invalidate});
      }
      pc += static_cast<std::uint32_t>(values.size());
    }
  }

  isa::Region& add_region(const BlockValues& values, const Stretch& stretch, std::uint32_t block_begin) {
    isa::Region& region = code_.regions.emplace_back();
    region.begin = block_begin + static_cast<std::uint32_t>(stretch.begin);
    region.end = block_begin + static_cast<std::uint32_t>(stretch.end);
    region.ends = stretch.ends;
    const std::vector<ValueSpan> spans = values.spans(stretch.begin, stretch.end);
    const BlockValues::Room room = BlockValues::room(spans, stretch.begin, stretch.end);
    region.live = static_cast<std::uint16_t>(room.live);
    for (unsigned b = 0; b < isa::kRegionBanks; ++b) region.need[b] = static_cast<std::uint8_t>(room.banks[b]);
    for (const ValueSpan& span : spans) {
      const bool erase = !span.lives;
      if (span.input) {
        ++region.inputs;
        region.list.push_back({span.reg, erase ? isa::Prepare::preload_last : isa::Prepare::preload});
      }
      if (span.written && span.lives) ++region.outputs;
      if (!span.input && !span.lives) ++region.interior;
      marks_[block_begin + span.last].push_back({span.reg, erase, span.at_write});
    }
    const auto index = static_cast<std::uint32_t>(code_.regions.size() - 1);
    for (std::uint32_t pc = region.begin; pc < region.end; ++pc) code_.region_of[pc] = index;
    return region;
  }

  const Program& program_;
  const RegionOptions& options_;
  isa::RegionCode code_;
  std::vector<std::vector<isa::LastUse>> marks_;  ///< by instruction
};

}  // namespace

bool loads_from_memory(const isa::Instruction& i) {
  if (i.op == Opcode::tex) return true;
  const bool far = i.space == Space::global || i.space == Space::local || i.space == Space::generic;
  return far && (i.op == Opcode::ld || (i.op == Opcode::atom && i.dst[0].exists()));
}

MachineFunction function_of(const Program& program, const CodeRange& range) {
  MachineFunction f;
  f.name = range.name;
  f.is_entry = program.find_kernel(range.name) != nullptr || program.broken.contains(range.name);
  const auto begin = std::lower_bound(program.block_starts.begin(), program.block_starts.end(), range.begin);
  const auto end = std::lower_bound(begin, program.block_starts.end(), range.end);
  const auto block_at = [&](std::uint32_t pc) {
    return static_cast<std::uint32_t>(std::lower_bound(begin, end, pc) - begin);
  };
  for (auto start = begin; start != end; ++start) {
    const std::uint32_t stop = start + 1 == end ? range.end : *(start + 1);
    Block& block = f.blocks.emplace_back();
    block.code.assign(program.code.begin() + *start, program.code.begin() + stop);
    isa::Instruction& last = block.code.back();
    if (last.op == Opcode::bra) last.target = block_at(last.target);
    if (last.op != Opcode::brx) continue;
    auto& table = f.branch_tables.emplace_back();
    for (const std::uint32_t target : program.branch_tables[last.target]) table.push_back(block_at(target));
    last.target = static_cast<std::uint32_t>(f.branch_tables.size() - 1);
  }
  link_blocks(f);
  return f;
}

isa::RegionCode make_regions(const Program& program, const RegionOptions& options) {
  return RegionMaker(program, options).run();
}

}  // namespace heddle::compile
