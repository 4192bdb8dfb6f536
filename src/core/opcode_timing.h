// Instructions that do not take what their pipeline's parameters say: slower ones, and those that hardware carries out
// as a sequence of several (sm.opcodes).
//
// The text is a list of NAME=LATENCY/INTERVAL/INSTRUCTIONS, separated by white space; the first that matches an
// instruction counts. A name is what `heddle disasm` shows, without the parts that do not matter: FDIV.F32 stands for
// every single-precision division, FRCP.APPROX.FTZ.F32 for one kind of reciprocal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/instruction.h"

namespace heddle::core {

class OpcodeTimings {
 public:
  struct Cost {
    std::uint16_t latency = 1;
    std::uint16_t interval = 1;      ///< as of a pipeline
    std::uint16_t instructions = 1;  ///< issue slots that it takes
  };
  /// The text has been checked.
  explicit OpcodeTimings(const std::string& text);

  /// nullptr: as the pipeline's parameters say.
  [[nodiscard]] const Cost* find(const isa::Instruction& instruction) const;

  /// Says what is wrong with a text; empty if nothing is.
  [[nodiscard]] static std::string check(const std::string& text);
  /// Likewise of a text about longer ways (exec/long_way.h), which few instructions have.
  [[nodiscard]] static std::string check_long_ways(const std::string& text);

 private:
  struct Entry {
    std::vector<std::string> name;  ///< the opcode, then parts that must be there
    Cost cost;
  };
  /// Adds the entry that the word is. Says what is wrong with it; empty if nothing is.
  [[nodiscard]] std::string add(const std::string& word);

  std::vector<Entry> entries_;
};

}  // namespace heddle::core
