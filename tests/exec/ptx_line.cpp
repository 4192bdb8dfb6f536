#include "ptx_line.h"

#include <sstream>
#include <stdexcept>

namespace heddle::test {
namespace {

using isa::Atomic;
using isa::Compare;
using isa::Instruction;
using isa::Logic;
using isa::Opcode;
using isa::Operand;
using isa::Part;
using isa::Rounding;
using isa::Type;

template <class T>
using Names = std::map<std::string, T, std::less<>>;

const Names<Type> kTypes = {
    {"b8", Type::b8},         {"b16", Type::b16}, {"b32", Type::b32}, {"b64", Type::b64},     {"u8", Type::u8},
    {"u16", Type::u16},       {"u32", Type::u32}, {"u64", Type::u64}, {"s8", Type::s8},       {"s16", Type::s16},
    {"s32", Type::s32},       {"s64", Type::s64}, {"f16", Type::f16}, {"f16x2", Type::f16x2}, {"bf16", Type::bf16},
    {"bf16x2", Type::bf16x2}, {"f32", Type::f32}, {"f64", Type::f64}, {"pred", Type::pred},   {"u16x2", Type::u16x2},
    {"s16x2", Type::s16x2}};
const Names<Rounding> kRoundings = {{"rn", Rounding::rn},     {"rz", Rounding::rz},        {"rm", Rounding::rm},
                                    {"rp", Rounding::rp},     {"rna", Rounding::rna},      {"rni", Rounding::rni},
                                    {"rzi", Rounding::rzi},   {"rmi", Rounding::rmi},      {"rpi", Rounding::rpi},
                                    {"full", Rounding::full}, {"approx", Rounding::approx}};
const Names<Part> kParts = {{"lo", Part::lo},         {"hi", Part::hi},
                            {"wide", Part::wide},     {"wrap", Part::wrap},
                            {"clamp", Part::clamp},   {"shiftamt", Part::shiftamt},
                            {"f4e", Part::f4e},       {"b4e", Part::b4e},
                            {"rc8", Part::rc8},       {"ecl", Part::ecl},
                            {"ecr", Part::ecr},       {"rc16", Part::rc16},
                            {"finite", Part::finite}, {"infinite", Part::infinite},
                            {"number", Part::number}, {"notanumber", Part::notanumber},
                            {"normal", Part::normal}, {"subnormal", Part::subnormal},
                            {"up", Part::up},         {"down", Part::down},
                            {"bfly", Part::bfly},     {"idx", Part::idx},
                            {"all", Part::all},       {"any", Part::any},
                            {"uni", Part::uni},       {"ballot", Part::ballot}};
const Names<Compare> kCompares = {
    {"eq", Compare::eq},   {"ne", Compare::ne},   {"lt", Compare::lt},   {"le", Compare::le},   {"gt", Compare::gt},
    {"ge", Compare::ge},   {"lo", Compare::lo},   {"ls", Compare::ls},   {"hi", Compare::hi},   {"hs", Compare::hs},
    {"equ", Compare::equ}, {"neu", Compare::neu}, {"ltu", Compare::ltu}, {"leu", Compare::leu}, {"gtu", Compare::gtu},
    {"geu", Compare::geu}, {"num", Compare::num}, {"nan", Compare::nan}};
const Names<Logic> kLogics = {{"and", Logic::and_}, {"or", Logic::or_}, {"xor", Logic::xor_}};
const Names<Atomic> kAtomics = {
    {"add", Atomic::add},   {"min", Atomic::min}, {"max", Atomic::max},  {"inc", Atomic::inc}, {"dec", Atomic::dec},
    {"exch", Atomic::exch}, {"cas", Atomic::cas}, {"and", Atomic::and_}, {"or", Atomic::or_},  {"xor", Atomic::xor_}};
const Names<Opcode> kOpcodes = {
    {"sad", Opcode::isad},     {"div", Opcode::idiv},     {"rem", Opcode::irem},
    {"mul24", Opcode::imul24}, {"mad24", Opcode::imad24}, {"addc", Opcode::iaddc},
    {"subc", Opcode::isubc},   {"madc", Opcode::imadc},   {"dp4a", Opcode::dp4a},
    {"dp2a", Opcode::dp2a},    {"and", Opcode::and_},     {"or", Opcode::or_},
    {"xor", Opcode::xor_},     {"not", Opcode::not_},     {"cnot", Opcode::cnot},
    {"lop3", Opcode::lop3},    {"shl", Opcode::shl},      {"shr", Opcode::shr},
    {"bfe", Opcode::bfe},      {"bfi", Opcode::bfi},      {"bfind", Opcode::bfind},
    {"clz", Opcode::clz},      {"popc", Opcode::popc},    {"brev", Opcode::brev},
    {"fns", Opcode::fns},      {"prmt", Opcode::prmt},    {"bmsk", Opcode::bmsk},
    {"szext", Opcode::szext},  {"fma", Opcode::ffma},     {"copysign", Opcode::copysign},
    {"testp", Opcode::testp},  {"rcp", Opcode::frcp},     {"sqrt", Opcode::fsqrt},
    {"rsqrt", Opcode::frsqrt}, {"sin", Opcode::fsin},     {"cos", Opcode::fcos},
    {"ex2", Opcode::fex2},     {"lg2", Opcode::flg2},     {"tanh", Opcode::ftanh},
    {"mov", Opcode::mov},      {"cvt", Opcode::cvt},      {"selp", Opcode::selp},
    {"slct", Opcode::slct},    {"setp", Opcode::setp},    {"set", Opcode::set},
    {"shfl", Opcode::shfl},    {"vote", Opcode::vote},    {"match", Opcode::match},
    {"redux", Opcode::redux},  {"elect", Opcode::elect},  {"activemask", Opcode::activemask},
    {"atom", Opcode::atom},    {"red", Opcode::red},      {"ld", Opcode::ld},
    {"st", Opcode::st},        {"membar", Opcode::fence}};
/// Names that are two opcodes, by the kind of their type.
const Names<std::pair<Opcode, Opcode>> kTwofold = {
    {"add", {Opcode::iadd, Opcode::fadd}}, {"sub", {Opcode::isub, Opcode::fsub}},
    {"mul", {Opcode::imul, Opcode::fmul}}, {"mad", {Opcode::imad, Opcode::ffma}},
    {"min", {Opcode::imin, Opcode::fmin}}, {"max", {Opcode::imax, Opcode::fmax}},
    {"abs", {Opcode::iabs, Opcode::fabs}}, {"neg", {Opcode::ineg, Opcode::fneg}},
    {"div", {Opcode::idiv, Opcode::fdiv}}};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream{std::string(text)};
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

template <class T>
bool take(const Names<T>& names, std::string_view name, T& value) {
  const auto found = names.find(name);
  if (found == names.end()) {
    return false;
  }
  value = found->second;
  return true;
}

bool modify(Instruction& i, const std::string& word) {
  const bool compares = i.op == Opcode::setp || i.op == Opcode::set;
  const bool combines = i.op == Opcode::atom || i.op == Opcode::red || i.op == Opcode::redux;
  if (compares && take(kCompares, word, i.compare)) {
    return true;
  }
  if (compares && take(kLogics, word, i.logic)) {
    return true;
  }
  if (combines && take(kAtomics, word, i.atomic)) {
    return true;
  }
  if (take(kRoundings, word, i.rounding) || take(kParts, word, i.part)) {
    return true;
  }
  if (word == "ftz") {
    return i.ftz = true;
  }
  if (word == "sat") {
    return i.saturate = true;
  }
  if (word == "relu") {
    return i.relu = true;
  }
  if (word == "NaN") {
    return i.nan = true;
  }
  if (word == "global" || word == "shared") {
    i.space = word == "global" ? isa::Space::global : isa::Space::shared;
    return true;
  }
  return word == "sync" || word == "gl" || word == "noftz" || word == "pack" || word == "cc" || word == "l" ||
         word == "r";
}

}  // namespace

Type type_named(std::string_view name) {
  Type type = Type::none;
  if (!take(kTypes, name, type)) {
    throw std::runtime_error("unknown type " + std::string(name));
  }
  return type;
}

Instruction translate(std::string_view name) {
  const std::vector<std::string> words = split(name, '.');
  std::vector<Type> types;
  bool carry_out = false;
  for (std::size_t w = 1; w < words.size(); ++w) {
    Type type = Type::none;
    if (take(kTypes, words[w], type)) {
      types.push_back(type);
    }
    carry_out |= words[w] == "cc";
  }
  Instruction i;
  std::pair<Opcode, Opcode> twofold;
  if (take(kTwofold, words[0], twofold)) {
    i.op = !types.empty() && isa::is_float(types[0]) ? twofold.second : twofold.first;
  } else if (words[0] == "shf") {
    i.op = words[1] == "l" ? Opcode::shf_l : Opcode::shf_r;
  } else if (!take(kOpcodes, words[0], i.op)) {
    throw std::runtime_error("unknown instruction " + std::string(name));
  }
  if (carry_out) {
    i.op = i.op == Opcode::iadd   ? Opcode::iaddc
           : i.op == Opcode::isub ? Opcode::isubc
           : i.op == Opcode::imad ? Opcode::imadc
                                  : i.op;
  }
  for (std::size_t w = 1; w < words.size(); ++w) {
    if (!kTypes.contains(words[w]) && !modify(i, words[w])) {
      throw std::runtime_error("unknown modifier ." + words[w] + " of " + std::string(name));
    }
  }
  i.type = types.empty() ? Type::none : types[0];
  i.source_type = types.size() > 1 ? types[1] : Type::none;
  const bool packs = i.type == Type::f16x2 || i.type == Type::bf16x2 || name.find(".pack") != std::string_view::npos;
  if (i.op == Opcode::cvt && packs) {
    i.op = Opcode::cvt_pack;
  }
  return i;
}

void PtxWarp::declare(const std::string& name, Type type) {
  if (type == Type::pred) {
    predicates_[name] = 0;
    return;
  }
  Variable& variable = registers_[name];
  variable.type = type;
  variable.row.fill(0xdeadbeefdeadbeefu);
}

void PtxWarp::set(const std::string& name, const Row& values) {
  Variable& variable = registers_.at(name);
  const unsigned bits = 8 * isa::size_of(variable.type);
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    variable.row[lane] = (variable.row[lane] & ~mask) | (values[lane] & mask);
  }
}

PtxWarp::Row PtxWarp::get(const std::string& name) const {
  const Variable& variable = registers_.at(name);
  const unsigned bits = 8 * isa::size_of(variable.type);
  Row row = variable.row;
  for (std::uint64_t& value : row) {
    value &= bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  }
  return row;
}

void PtxWarp::execute(std::string_view line) {
  std::string text;
  for (const char c : line) {
    text += c == '{' || c == '}' ? std::string(";") : std::string(1, c);
  }
  for (const std::string& one : split(text, ';')) {
    const auto first = one.find_first_not_of(' ');
    if (first != std::string::npos) {
      statement(one.substr(first));
    }
  }
}

void PtxWarp::statement(std::string text) {
  LaneMask active = kAllLanes;
  if (text[0] == '@') {
    const auto end = text.find(' ');
    const bool negated = text[1] == '!';
    const LaneMask mask = predicates_.at(text.substr(negated ? 2 : 1, end - (negated ? 2 : 1)));
    active = negated ? ~mask : mask;
    text = text.substr(end + 1);
  }
  const auto space = text.find(' ');
  const std::string name = text.substr(0, space);
  if (name == ".reg") {
    const auto words = split(text, ' ');
    for (const std::string& variable : split(words.at(2), ',')) {
      declare(variable, type_named(words.at(1).substr(1)));
    }
    return;
  }
  std::vector<std::string> operands;
  if (space != std::string::npos) {
    operands = split(text.substr(space + 1), ',');
  }
  Instruction instruction = translate(name);
  switch (instruction.op) {
    case Opcode::fence:
      return;
    case Opcode::ld:
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
      run_memory(instruction, name, operands, active);
      return;
    default:
      break;
  }
  if (instruction.op == Opcode::iaddc || instruction.op == Opcode::isubc || instruction.op == Opcode::imadc) {
    const bool writes = name.find(".cc") != std::string::npos;
    const bool reads = name.find("c.") == 3;  // addc, subc, madc
    operands[0] += writes ? "|carry" : "";
    if (reads) {
      operands.push_back("carry");
    }
    predicates_.try_emplace("carry", 0);
  }
  if (instruction.op == Opcode::lop3) {
    instruction.immediate = static_cast<std::uint8_t>(std::stoul(operands.back(), nullptr, 0));
    operands.pop_back();
  }
  run_alu(instruction, operands, active);
}

void PtxWarp::run_alu(Instruction instruction, const std::vector<std::string>& operands, LaneMask active) {
  exec::AluArguments arguments;
  arguments.active = active;
  std::array<std::array<std::uint32_t, kWarpSize>, 8> narrow{};
  std::array<Row, 8> wide{};
  unsigned used = 0;
  const auto bind = [&](Operand& operand, const Row& values, bool is_wide) -> void* {
    operand.kind = is_wide ? Operand::Kind::gpr_pair : Operand::Kind::gpr;
    if (is_wide) {
      wide[used] = values;
      return &wide[used++];
    }
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      narrow[used][lane] = static_cast<std::uint32_t>(values[lane]);
    }
    return &narrow[used++];
  };
  const std::vector<std::string> destinations = split(operands.at(0), '|');
  for (unsigned d = 0; d < destinations.size(); ++d) {
    const auto predicate = predicates_.find(destinations[d]);
    if (predicate != predicates_.end()) {
      instruction.dst[d].kind = Operand::Kind::predicate;
      arguments.dst_predicate[d] = &predicate->second;
    } else {
      const Variable& variable = registers_.at(destinations[d]);
      arguments.dst[d] = bind(instruction.dst[d], variable.row, isa::size_of(variable.type) == 8);
    }
  }
  for (unsigned s = 0; s + 1 < operands.size(); ++s) {
    const std::string& name = operands[s + 1];
    const auto variable = registers_.find(name);
    const auto predicate = predicates_.find(name);
    if (predicate != predicates_.end()) {
      instruction.src[s].kind = Operand::Kind::predicate;
      arguments.src_predicate[s] = predicate->second;
    } else if (variable != registers_.end()) {
      arguments.src[s] = bind(instruction.src[s], variable->second.row, isa::size_of(variable->second.type) == 8);
    } else {
      Row values;
      values.fill(std::stoull(name, nullptr, 0));
      arguments.src[s] = bind(instruction.src[s], values, false);
      instruction.src[s].kind = Operand::Kind::immediate;
    }
  }
  const exec::AluFunction function = exec::find_alu(instruction);
  if (function == nullptr) {
    throw std::runtime_error("find_alu has no function");
  }
  function(arguments, instruction);
  for (unsigned d = 0; d < destinations.size(); ++d) {
    if (arguments.dst[d] == nullptr) {
      continue;
    }
    Variable& variable = registers_.at(destinations[d]);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      variable.row[lane] = isa::size_of(variable.type) == 8 ? static_cast<const std::uint64_t*>(arguments.dst[d])[lane]
                                                            : static_cast<const std::uint32_t*>(arguments.dst[d])[lane];
    }
  }
}

void PtxWarp::run_memory(const Instruction& instruction, const std::string& name,
                         const std::vector<std::string>& operands, LaneMask active) {
  const bool returns = instruction.op == Opcode::atom || instruction.op == Opcode::ld;
  if (active != kAllLanes) {
    throw std::runtime_error("guarded " + name);
  }
  const auto value = [&](std::size_t position) { return position < operands.size() ? get(operands[position]) : Row{}; };
  const Row b = value(returns ? 2 : 1);
  const Row c = value(returns ? 3 : 2);
  const Row old = memory_;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (instruction.op == Opcode::st) {
      memory_[lane] = b[lane];
    } else if (instruction.op != Opcode::ld) {
      memory_[lane] = exec::apply_atomic(instruction, memory_[lane], b[lane], c[lane]);
    }
  }
  if (returns) {
    set(operands[0], old);
  }
}

}  // namespace heddle::test
