// A compiled program as an application of a mix: what it does to a GPU is captured in a run without timing, and done
// again on the GPU that it shares.
#pragma once

#include <string>

#include "session/capture.h"
#include "workloads/workload.h"

namespace heddle::cli {

class CapturedProgram final : public workloads::Workload {
 public:
  /// The program and its arguments. Runs it once, without timing, the first time that it is asked for. Throws UserError
  /// if that fails, or if it does what cannot be done again.
  [[nodiscard]] static const CapturedProgram& of(const std::string& line);

  [[nodiscard]] const std::string& line() const { return line_; }
  /// What makes it the same as another.
  [[nodiscard]] const std::string& identity() const { return identity_; }

 protected:
  [[nodiscard]] workloads::Outcome execute(runtime::Device& device, const workloads::Request& request) const override;

 private:
  CapturedProgram(const std::string& line, const std::string& identity);
  void check() const;

  std::string line_;
  std::string identity_;
  session::Capture capture_;
};

/// The captured program that this workload is; nullptr if it is none.
[[nodiscard]] const CapturedProgram* as_program(const workloads::Workload* workload);

}  // namespace heddle::cli
