// The register file as it is, and the same for nothing: a bound on what any saving can save.
#include "core/operands/banked_file.h"

namespace heddle::core {
namespace {

class RegisterFile final : public BankedFile {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> window{
        *this, "window", 0, {0, 1000000}, "core cycles", "Count registers touched in windows of so long; 0: do not."};
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter touched{*this, "touched", "registers",
                         "Different registers of warps read or written in a window, summed over windows."};
    sim::Counter windows{*this, "windows", "windows", "Windows in which a register was touched."};
  };

  RegisterFile(const sim::Context& context, const Setup& setup)
      : BankedFile(setup), statistics_(context), window_(context.parameters<Parameters>().window) {
    follows_ = window_ != 0;
    if (follows_) last_.assign(std::size_t{64} * 256, 0);
  }

  void issuing(const FollowedIssue& issue) override {
    const sim::Cycle window = issue.now / window_ + 1;
    const auto touch = [&](std::uint8_t reg) {
      sim::Cycle& last = last_[std::size_t{issue.warp} * 256 + reg];
      if (last == window) return;
      last = window;
      ++statistics_.touched;
      if (now_ == window) return;
      now_ = window;
      ++statistics_.windows;
    };
    for (unsigned r = 0; r < issue.op.reads; ++r) touch(issue.op.read_registers[r]);
    for (unsigned w = 0; w < issue.op.written; ++w) touch(issue.op.write_registers[w]);
  }

 private:
  Statistics statistics_;
  sim::Cycle window_;
  sim::Cycle now_ = 0;
  std::vector<sim::Cycle> last_;  ///< by warp and register: the window that touched it last
};

/// Takes the time of a register file; who adds up energies counts none for it (RegLess, Figure 4.15).
class FreeRegisterFile final : public BankedFile {
 public:
  using BankedFile::BankedFile;
};

[[maybe_unused]] const bool kRegisteredFile = OperandStorageRegistry::instance().add<RegisterFile>(
    "file", "A register file in banks, read through operand collectors.");
[[maybe_unused]] const bool kRegisteredNone =
    OperandStorageRegistry::instance().add<FreeRegisterFile>("none", "The same in time, but without energy: a bound.");

}  // namespace
}  // namespace heddle::core
