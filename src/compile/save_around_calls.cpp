// The caller saves: a called function may use every register, so what lives across a call goes to the frame and back.
//
// Only active lanes are saved and restored; the others' registers are untouched by the callee, which runs under the
// same mask.
#include "compile/liveness.h"
#include "compile/passes.h"

namespace heddle::compile {
namespace {

using isa::Opcode;

class CallSaver {
 public:
  explicit CallSaver(MachineFunction& f) : f_(f), slot_(f.registers.size(), kNoSlot) {}

  void run() {
    const Liveness live = live_virtual(f_);
    for (std::size_t b = 0; b < f_.blocks.size(); ++b) rewrite(f_.blocks[b], live.out[b]);
  }

 private:
  static constexpr std::uint64_t kNoSlot = ~std::uint64_t{0};

  [[nodiscard]] static bool is_call(const isa::Instruction& i) { return i.op == Opcode::call || i.op == Opcode::callx; }
  /// Whether this is the stack adjustment that stands right before or after a call.
  [[nodiscard]] bool is_adjustment(const isa::Instruction& i) const {
    return counts_from_frame_end(i) && i.dst[0].is_register() && i.dst[0].index == f_.stack_pointer;
  }

  isa::Instruction frame_access(Opcode op, std::uint32_t reg, std::uint32_t line) {
    if (slot_[reg] == kNoSlot) slot_[reg] = f_.new_slot(f_.registers[reg] == RegisterClass::pair ? 8 : 4);
    isa::Instruction i;
    i.op = op;
    i.space = isa::Space::local;
    i.type = f_.registers[reg] == RegisterClass::pair ? isa::Type::b64 : isa::Type::b32;
    if (!f_.is_entry) i.src[0] = register_operand(RegisterClass::gpr, f_.stack_pointer);
    i.offset = static_cast<std::int64_t>(slot_[reg]);
    i.line = line;
    return i;
  }

  void save(std::vector<isa::Instruction>& to, std::uint32_t reg, std::uint32_t line) {
    isa::Operand value = register_operand(f_.registers[reg], reg);
    if (f_.registers[reg] == RegisterClass::predicate) {
      isa::Instruction select;
      select.op = Opcode::selp;
      select.type = isa::Type::b32;
      select.dst[0] = register_operand(RegisterClass::gpr, f_.new_register(RegisterClass::gpr));
      select.src[0] = immediate_operand(1, false);
      select.src[1] = immediate_operand(0, false);
      select.src[2] = value;
      select.line = line;
      to.push_back(select);
      value = select.dst[0];
    }
    isa::Instruction store = frame_access(Opcode::st, reg, line);
    store.src[1] = value;
    to.push_back(store);
  }

  void restore(std::vector<isa::Instruction>& to, std::uint32_t reg, std::uint32_t line) {
    isa::Instruction load = frame_access(Opcode::ld, reg, line);
    const bool predicate = f_.registers[reg] == RegisterClass::predicate;
    load.dst[0] = predicate ? register_operand(RegisterClass::gpr, f_.new_register(RegisterClass::gpr))
                            : register_operand(f_.registers[reg], reg);
    to.push_back(load);
    if (!predicate) return;
    isa::Instruction set;
    set.op = Opcode::setp;
    set.compare = isa::Compare::ne;
    set.type = isa::Type::pred;
    set.source_type = isa::Type::u32;
    set.dst[0] = register_operand(RegisterClass::predicate, reg);
    set.src[0] = load.dst[0];
    set.src[1] = immediate_operand(0, false);
    set.line = line;
    to.push_back(set);
  }

  void rewrite(Block& block, const BitSet& live_out) {
    // Walk backwards to know what lives after each call; remember it per call.
    std::vector<std::vector<std::uint32_t>> across(block.code.size());
    BitSet live = live_out;
    for (std::size_t i = block.code.size(); i-- > 0;) {
      const isa::Instruction& instruction = block.code[i];
      if (is_call(instruction)) {
        live.for_each([&](std::size_t r) {
          if (r != f_.stack_pointer) across[i].push_back(static_cast<std::uint32_t>(r));
        });
      }
      if (!is_partial(instruction)) for_each_definition(instruction, [&](std::uint32_t r) { live.erase(r); });
      for_each_use(instruction, [&](std::uint32_t r) { live.insert(r); });
    }
    std::vector<isa::Instruction> code;
    code.reserve(block.code.size());
    for (std::size_t i = 0; i < block.code.size(); ++i) {
      const isa::Instruction instruction = block.code[i];
      if (!is_call(instruction)) {
        code.push_back(instruction);
        continue;
      }
      const bool pushed = !code.empty() && is_adjustment(code.back());
      const isa::Instruction push = pushed ? code.back() : isa::Instruction{};
      if (pushed) code.pop_back();
      for (const std::uint32_t r : across[i]) save(code, r, instruction.line);
      if (pushed) code.push_back(push);
      code.push_back(instruction);
      const std::vector<std::uint32_t>& saved = across[i];
      if (i + 1 < block.code.size() && is_adjustment(block.code[i + 1])) code.push_back(block.code[++i]);
      for (const std::uint32_t r : saved) restore(code, r, instruction.line);
    }
    block.code = std::move(code);
  }

  MachineFunction& f_;
  std::vector<std::uint64_t> slot_;
};

}  // namespace

void save_around_calls(MachineFunction& function) {
  if (function.makes_calls) CallSaver(function).run();
}

}  // namespace heddle::compile
