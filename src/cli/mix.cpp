#include "cli/mix.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace heddle::cli {
namespace {

using Split = std::vector<unsigned>;

/// Up to so many divisions are all tried.
constexpr std::size_t kFew = 64;

/// Every division in which each part is a multiple of the step, but for the last; nothing if there are too many.
void add_splits(Split& begun, unsigned left, std::size_t applications, unsigned step, std::vector<Split>& all) {
  if (all.size() > kFew) return;
  if (begun.size() + 1 == applications) {
    if (left == 0) return;
    all.push_back(begun);
    all.back().push_back(left);
    return;
  }
  for (unsigned part = step; part < left; part += step) {
    begun.push_back(part);
    add_splits(begun, left - part, applications, step, all);
    begun.pop_back();
  }
}

class Search {
 public:
  explicit Search(const MixRequest& request) : request_(request) {
    applications_ = parse_applications(request.run.workload, request.run.size, request.run.seed, request.run.input);
    if (applications_.size() < 2) throw UserError("mix: name at least two applications");
    if (request.run.machine.functional) throw UserError("mix: needs a timed run; leave out --functional");
    sms_ = load_machine(request.run.machine)->sms;
    alone_ = request.run.machine;
    alone_.design = request.alone;
  }

  MixResult run() {
    const Split even = parse_split("even", sms_, applications_.size());
    if (request_.split != "oracle") {
      const Split split = parse_split(request_.split, sms_, applications_.size());
      try_all({split});
      return result(split);
    }
    std::vector<Split> all;
    Split none;
    add_splits(none, sms_, applications_.size(), request_.step, all);
    if (all.size() <= kFew) {
      all.push_back(even);
      try_all(all);
      return result(best());
    }
    return result(climb(even));
  }

 private:
  /// From a division to the best of its neighbours, in ever smaller steps.
  Split climb(Split at) {
    try_all({at});
    for (unsigned step = std::max(request_.step, sms_ / 8);; step = std::max(request_.step, step / 2)) {
      while (true) {
        std::vector<Split> around;
        for (std::size_t from = 0; from < at.size(); ++from) {
          for (std::size_t to = 0; to < at.size(); ++to) {
            if (from == to || at[from] <= step) continue;
            around.push_back(at);
            around.back()[from] -= step;
            around.back()[to] += step;
          }
        }
        try_all(around);
        const Split next = best();
        if (next == at) break;
        at = next;
      }
      if (step == request_.step) return at;
    }
  }

  void try_all(const std::vector<Split>& splits) {
    std::vector<PlannedRun> wanted;
    std::set<std::string> identities;
    std::map<Split, MixRuns> fresh;
    for (const Split& split : splits) {
      if (metrics_.contains(split) || fresh.contains(split)) continue;
      MixRuns runs = plan_mix(request_.run, applications_, split, alone_);
      wanted.push_back(runs.shared);
      wanted.insert(wanted.end(), runs.alone.begin(), runs.alone.end());
      fresh.emplace(split, std::move(runs));
    }
    for (const PlannedRun& run : wanted) identities.insert(run.identity);
    const std::vector<PlannedRun> left = missing(wanted, request_.database);
    const PoolResult pool = run_all(left, {"mix", request_.database, request_.jobs, request_.quiet, ""});
    if (!pool.complete()) {
      throw UserError(pool.messages.empty() ? "mix: interrupted; what has ended is kept"
                                            : fmt::format("{}", fmt::join(pool.messages, "\n")));
    }
    const auto rows = results::passed_runs(*results::open_results(request_.database), identities);
    for (const auto& [split, runs] : fresh) {
      const auto metrics = metrics_of(runs, rows);
      if (!metrics)
        throw UserError(fmt::format("mix: split {} executed nothing that could be compared", split_text(split)));
      metrics_.emplace(split, *metrics);
      rows_.emplace(split, rows.at(runs.shared.identity));
    }
  }
  [[nodiscard]] Split best() const {
    return std::max_element(metrics_.begin(), metrics_.end(),
                            [](const auto& one, const auto& other) {
                              return one.second.weighted_speedup < other.second.weighted_speedup;
                            })
        ->first;
  }
  [[nodiscard]] MixResult result(const Split& split) const {
    return {applications_,   split,    metrics_.at(split),   rows_.at(split),
            metrics_.size(), metrics_, is_whole(split, sms_)};
  }

  const MixRequest& request_;
  std::vector<Application> applications_;
  unsigned sms_ = 0;
  MachineOptions alone_;
  std::map<Split, SharingMetrics> metrics_;
  std::map<Split, results::RunRow> rows_;
};

/// What was said about how applications share, as changes of parameters.
void set_sharing(MixRequest& request) {
  std::vector<std::string>& changes = request.run.machine.changes;
  const bool scavenges = request.sharing == "scavenger";
  if (request.target != 0 && !scavenges) throw UserError("mix: a target is for sharing = scavenger");
  if (request.sharing == "spatial") return;
  if (request.split != "even" && request.split != "whole")
    throw UserError(fmt::format("mix: a split is for sharing = spatial, not {}", request.sharing));
  request.split = "whole";
  changes.push_back("sharing.policy=" + request.sharing);
  if (!scavenges) return;
  changes.emplace_back("sharing.until=first");
  if (request.target != 0) changes.push_back(fmt::format("sharing.scavenger.target={}", request.target / 100));
}

}  // namespace

MixRuns plan_mix(const RunRequest& request, const std::vector<Application>& applications, const Split& split,
                 const MachineOptions& alone) {
  MixRuns runs;
  runs.shared = plan_one(shared_request(request, split));
  for (std::size_t a = 0; a < applications.size(); ++a)
    runs.alone.push_back(plan_one(alone_request(request, applications[a], split[a], alone)));
  return runs;
}

std::optional<SharingMetrics> metrics_of(const MixRuns& runs, const std::map<std::string, results::RunRow>& rows) {
  const auto shared = rows.find(runs.shared.identity);
  if (shared == rows.end()) return std::nullopt;
  std::vector<const results::RunRow*> alone;
  for (const PlannedRun& run : runs.alone) {
    const auto row = rows.find(run.identity);
    if (row == rows.end()) return std::nullopt;
    alone.push_back(&row->second);
  }
  return sharing_metrics(shared->second, alone);
}

MixResult run_mix(const MixRequest& request) {
  MixRequest complete = request;
  set_sharing(complete);
  complete.run.machine.changes.emplace_back("sharing.relaunch=true");
  return Search(complete).run();
}

}  // namespace heddle::cli
