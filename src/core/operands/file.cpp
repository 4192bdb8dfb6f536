// The register file as it is, and the same for nothing: a bound on what any saving can save.
#include "core/operands/banked_file.h"

namespace heddle::core {
namespace {

class RegisterFile final : public BankedFile {
 public:
  using BankedFile::BankedFile;
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
