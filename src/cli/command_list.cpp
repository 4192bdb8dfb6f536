// heddle list: what can be run.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "cli/characteristics.h"
#include "cli/commands.h"
#include "cli/paper_table.h"
#include "session/summary.h"
#include "workloads/mixes.h"
#include "workloads/workload.h"

namespace heddle::cli {
namespace {

using workloads::Description;
using workloads::PaperUse;
using workloads::Trait;
using workloads::Workload;

void print_short(const Workload& workload) {
  fmt::print("{:<16} {}\n{:<16} sizes in {}:", workload.name(), workload.description().summary, "",
             workload.description().unit);
  for (const workloads::SizePreset& size : workload.sizes()) fmt::print(" {} = {}", size.name, size.elements);
  const auto [least, most] = workload.size_range();
  fmt::print("; any from {} to {}\n", least, most);
  if (workload.description().inputs.empty()) return;
  fmt::print("{:<16} inputs:", "");
  for (const workloads::InputKind& kind : workload.description().inputs) fmt::print(" {}", kind.name);
  fmt::print("\n");
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes >= std::uint64_t{1} << 30) return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
  if (bytes >= 1 << 20) return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
  return fmt::format("{} KiB", bytes >> 10);
}

void print_inputs(const Workload& workload, const char* indent) {
  for (const workloads::InputKind& kind : workload.description().inputs) {
    const bool first = &kind == workload.description().inputs.data();
    fmt::print("{}input {}{}: {}\n", indent, kind.name, first ? " (default)" : "", kind.summary);
  }
}

void print_measured(const MeasuredSuite& suite, const Workload& workload) {
  const auto found = suite.table.find(workload.name());
  if (found == suite.table.end()) {
    fmt::print("  not measured (heddle characterise {})\n", workload.name());
    return;
  }
  fmt::print("  {:<8} {:>10} {:>9} {:>12} {:>8} {:>7} {:>7} {:>8} {:>8}  {}\n", "size", "footprint", "launches",
             "warp instr.", "memory", "lines", "pages", "L1 TLB", "L2 TLB", "bound");
  for (const workloads::SizePreset& size : workload.sizes()) {
    const auto run = found->second.find(std::string(size.name));
    if (run == found->second.end() || run->second.elements != size.elements) continue;
    const Characteristics& c = run->second;
    fmt::print(
        "  {:<8} {:>10} {:>9} {:>12} {:>6.1f} % {:>7.2f} {:>7.2f} {:>6.1f} % {:>6.1f} %  {} ({:.0f} % of slots)\n",
        size.name, bytes_text(c.footprint_bytes), grouped(c.launches), grouped(c.warp_instructions),
        100 * c.memory_share, c.lines_per_access, c.pages_per_access, 100 * c.l1_tlb_miss_rate,
        100 * c.l2_tlb_miss_rate, c.has(Trait::kMemoryBound) ? "memory" : "compute", 100 * c.memory_stall_share);
  }
}

void print_long(const MeasuredSuite& suite, const Workload& workload) {
  const Description& d = workload.description();
  fmt::print("{}: {}\n  suite: {}\n  papers:", d.name, d.summary, d.suite);
  for (const PaperUse& use : d.papers) {
    fmt::print("{} {} ({}", &use == d.papers.data() ? "" : ",", use.paper, use.name);
    for (const Trait trait : use.says) fmt::print("{}{}", trait == use.says.front() ? ": " : ", ", text(trait));
    fmt::print(")");
  }
  fmt::print("{}\n  kernels:", d.papers.empty() ? " none" : "");
  for (const workloads::KernelLabel& kernel : d.kernels) fmt::print(" {} ({})", kernel.label, kernel.kernel);
  fmt::print("\n  sizes in {}:", d.unit);
  for (const workloads::SizePreset& size : d.sizes) fmt::print(" {} = {}", size.name, size.elements);
  fmt::print("; any from {} to {}\n", d.least, d.most);
  print_inputs(workload, "  ");
  print_measured(suite, workload);
  fmt::print("\n");
}

void print_mixes() {
  for (const workloads::Mix& mix : workloads::all_mixes()) {
    fmt::print("{:<24} {:<10} {:<8}", mix.name, mix.category, mix.source);
    for (const std::string_view application : mix.applications) {
      const Workload* workload = workloads::find_by_paper_name(mix.paper, application);
      fmt::print(" {}", workload == nullptr ? fmt::format("({} is not bundled)", application) : workload->name());
    }
    fmt::print("\n");
  }
}

}  // namespace

void add_list(CLI::App& app, Action& action) {
  struct ListOptions {
    bool everything = false;
    bool papers = false;
    bool markdown = false;
    bool mixes = false;
  };
  auto options = std::make_shared<ListOptions>();
  CLI::App* command = app.add_subcommand("list", "List the bundled workloads");
  CLI::Option* everything = command->add_flag("--long", options->everything,
                                              "Suite, papers, kernels, and what `heddle characterise` measured");
  CLI::Option* papers =
      command->add_flag("--papers", options->papers, "What papers say of each workload beside what was measured");
  command->add_flag("--markdown", options->markdown, "Print that as the page docs/characteristics.md")->needs(papers);
  CLI::Option* mixes = command->add_flag("--mixes", options->mixes, "The pairs that papers run together");
  everything->excludes(papers)->excludes(mixes);
  papers->excludes(mixes);
  command->callback([options, &action] {
    action = [options] {
      if (options->mixes) {
        print_mixes();
        return kSuccess;
      }
      const MeasuredSuite suite =
          options->everything || options->papers ? read_characteristics(characteristics_file()) : MeasuredSuite{};
      if (options->papers) {
        fmt::print("{}", options->markdown ? paper_page(suite) : paper_table(suite));
        return kSuccess;
      }
      if (options->everything) fmt::print("Measured on {}.\n\n", suite.gpu.empty() ? "nothing yet" : suite.gpu);
      for (const Workload* workload : workloads::all()) {
        if (options->everything) {
          print_long(suite, *workload);
        } else {
          print_short(*workload);
        }
      }
      return kSuccess;
    };
  });
}

}  // namespace heddle::cli
