#include "cli/timeline.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "energy/report.h"

namespace heddle::cli {

/// A counter track: several series, each a sum of counters, shown per cycle.
struct Timeline::Track {
  std::string name;
  int process = 0;
  struct Series {
    std::string name;
    std::vector<const sim::Counter*> counters;
    std::uint64_t last = 0;
    [[nodiscard]] std::uint64_t sum() const {
      std::uint64_t all = 0;
      for (const sim::Counter* counter : counters) all += counter->value();
      return all;
    }
  };
  std::vector<Series> series;
  /// Into the series of that name.
  void add(const std::string& of, const sim::Counter& counter) {
    auto found = std::find_if(series.begin(), series.end(), [&](const Series& each) { return each.name == of; });
    if (found == series.end()) found = series.insert(series.end(), {of, {}, 0});
    found->counters.push_back(&counter);
  }
};

namespace {

constexpr int kMachine = 1;              ///< process number of what is of the whole GPU
constexpr int kFirstSm = 100;            ///< process number of SM 0
constexpr int kFirstApplication = 1000;  ///< process number of the first of several applications

std::string json_text(const std::string& text) { return nlohmann::json(text).dump(); }

/// "gpu.sm[3].slot_fetch": 3; -1 for what is of no SM, or not under that prefix.
int sm_of(const std::string& path, std::string_view prefix = "gpu.sm[") {
  return path.starts_with(prefix) ? std::stoi(path.substr(prefix.size())) : -1;
}

/// "gpu.mmu.application_1.tlb_misses": "application 1"; "all" for what is of no application.
std::string application_of(const std::string& path) {
  constexpr std::string_view kPart = ".application_";
  const std::size_t at = path.find(kPart);
  if (at == std::string::npos) return "all";
  return "application " + std::to_string(std::stoi(path.substr(at + kPart.size())));
}

}  // namespace

void add_timeline_options(CLI::App& command, TimelineOptions& options) {
  auto* file = command.add_option("--timeline", options.file, "Write what happened when to this file, for Perfetto");
  command.add_option("--timeline-from", options.from, "First core cycle of the timeline")->needs(file);
  command.add_option("--timeline-to", options.to, "Last core cycle of the timeline")->needs(file);
  command.add_option("--timeline-step", options.step, "Core cycles between samples of counters")
      ->needs(file)
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}));
  command.add_option("--timeline-events", options.most, "Most events in the timeline")
      ->needs(file)
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1000}, std::uint64_t{100'000'000}));
}

Timeline::Timeline(const TimelineOptions& options, gpu::Gpu* gpu) : options_(options), gpu_(gpu) {
  if (gpu == nullptr) throw UserError("--timeline needs a timed run; leave out --functional");
  if (options.from > options.to) throw UserError("--timeline-from must not be after --timeline-to");
  gpu->sample_every(options.step, [this](std::uint64_t now) { sample(now); });
  const unsigned sms = gpu->parameters().sms;
  // Half of the events are for blocks, shared evenly, so that no SM crowds out another.
  for (unsigned sm = 0; sm < sms; ++sm) {
    core::BlockTrace& trace = gpu->block_trace(sm);
    trace.most = std::max<std::size_t>(1, options.most / 2 / sms);
    trace.from = options.from;
    trace.to = options.to;
  }
  Track ipc{"instructions per cycle", kMachine, {{"IPC", {}, 0}}};
  Track dram{"DRAM bus, busy channels", kMachine, {{"busy", {}, 0}}};
  Track walks{"outstanding page walks", kMachine, {{"walks", {}, 0}}};
  Track misses{"TLB misses per cycle", kMachine, {{"misses", {}, 0}}};
  Track shared{"misses of the shared TLB per cycle", kMachine, {}};
  Track reads{"DRAM reads per cycle", kMachine, {{"of page tables", {}, 0}, {"all", {}, 0}}};
  Track levels{"L2 misses of page walks per cycle", kMachine, {}};
  Track stalled{"warps whose walk ended per cycle", kMachine, {{"warps", {}, 0}}};
  std::vector<Track> slots(sms);
  std::vector<Track> waiting(sms);
  std::vector<Track> states(sms);
  std::vector<Track> warps(sms);
  std::vector<Track> requests(sms);
  gpu->statistics().for_each_counter([&](const std::string& path, const sim::Counter& counter) {
    const int sm = sm_of(path);
    const std::string& name = counter.name();
    const std::string application = application_of(path);
    if (sm >= 0 && name == "instructions") ipc.add(application == "all" ? ipc.series[0].name : application, counter);
    if (name == "tlb_misses") shared.add(application, counter);
    if (application != "all") return;
    if (const int own = sm_of(path, "gpu.scavenger.sm["); own >= 0) {
      // Per cycle: whether it is in that state, warps that are there, warps and requests that are the first's.
      const auto at = static_cast<std::size_t>(own);
      if (name == "profile_cycles" || name == "run_cycles" || name == "alone_cycles") states[at].add(name, counter);
      if (name.ends_with("_warps") || name == "warps_allowed") warps[at].add(name, counter);
      if (name == "requests_allowed") requests[at].add(name, counter);
    }
    if (sm >= 0 && path.find(".waiting_study.") != std::string::npos)
      waiting[static_cast<std::size_t>(sm)].series.push_back({name, {&counter}, 0});
    if (name == "data_bus_busy") dram.series[0].counters.push_back(&counter);
    if (sm >= 0 && name.starts_with("slot_"))
      slots[static_cast<std::size_t>(sm)].series.push_back({name.substr(5), {&counter}, 0});
    if (name == "active" && path.find(".walker.") != std::string::npos) walks.series[0].counters.push_back(&counter);
    const bool is_dram = path.starts_with("gpu.dram[");
    if (name == "walk_reads" && is_dram) reads.series[0].counters.push_back(&counter);
    if (name == "reads" && is_dram) reads.series[1].counters.push_back(&counter);
    if (name.starts_with("walk_misses_level")) levels.add(name.substr(name.find("level")), counter);
    if (name == "warps_stalled") stalled.series[0].counters.push_back(&counter);
    if (name == "misses" && path.find(".mmu.") != std::string::npos) misses.series[0].counters.push_back(&counter);
  });
  tracks_.push_back(std::move(ipc));
  tracks_.push_back(std::move(dram));
  if (!walks.series[0].counters.empty()) {
    tracks_.push_back(std::move(walks));
    tracks_.push_back(std::move(reads));
    tracks_.push_back(std::move(levels));
    tracks_.push_back(std::move(stalled));
  }
  if (!shared.series.empty()) tracks_.push_back(std::move(shared));
  if (!misses.series[0].counters.empty()) tracks_.push_back(std::move(misses));
  for (unsigned sm = 0; sm < sms; ++sm) {
    slots[sm].name = "issue slots";
    slots[sm].process = kFirstSm + static_cast<int>(sm);
    tracks_.push_back(std::move(slots[sm]));
    for (const auto& [track, name] : {std::pair{&waiting[sm], "waiting memory instructions"},
                                      {&states[sm], "Scavenger: state"},
                                      {&warps[sm], "Scavenger: warps"},
                                      {&requests[sm], "Scavenger: requests of the first"}}) {
      if (track->series.empty()) continue;
      track->name = name;
      track->process = kFirstSm + static_cast<int>(sm);
      tracks_.push_back(std::move(*track));
    }
  }
}

Timeline::~Timeline() = default;

void Timeline::emit(const std::string& event) {
  if (events_.size() < options_.most) {
    events_.push_back(event);
  } else {
    ++dropped_;
  }
}

void Timeline::sample(std::uint64_t now) {
  if (now <= last_) return;
  const auto cycles = static_cast<double>(now - last_);
  const std::uint64_t begin = last_;
  last_ = now;
  const bool inside = begin >= options_.from && begin <= options_.to;
  for (Track& track : tracks_) {
    std::string values;
    for (Track::Series& series : track.series) {
      const std::uint64_t sum = series.sum();
      values += fmt::format("{}{}:{:.4g}", values.empty() ? "" : ",", json_text(series.name),
                            static_cast<double>(sum - series.last) / cycles);
      series.last = sum;
    }
    if (inside) add_counters(track.name, track.process, begin, values);
  }
  // Of what is not shown, the sample before the first that is says where it begins.
  if (energy::known(gpu_->parameters()) && now >= options_.from && begin <= options_.to)
    sample_power(begin, now, inside);
}

/// Kernels and blocks keep half of the room.
void Timeline::add_counters(const std::string& track, int process, std::uint64_t at, const std::string& values) {
  if (events_.size() >= options_.most / 2) {
    ++dropped_;
    return;
  }
  events_.push_back(
      fmt::format(R"({{"ph":"C","pid":{},"ts":{},"name":{},"args":{{{}}}}})", process, at, json_text(track), values));
}

/// What was taken since the sample before, component by component, over the time.
void Timeline::sample_power(std::uint64_t begin, std::uint64_t now, bool shown) {
  energy::Report::Counters counters = sim::totals(gpu_->statistics());
  counters["gpu.cycles"] = now;
  const energy::Report report(gpu_->parameters(), std::move(counters));
  const double watts_per_uj = gpu_->parameters().core_mhz / static_cast<double>(now - begin);
  std::string values;
  for (const auto& [component, energy_uj] : report.energies_uj()) {
    double& last = taken_uj_[component];
    values +=
        fmt::format("{}{}:{:.4g}", values.empty() ? "" : ",", json_text(component), (energy_uj - last) * watts_per_uj);
    last = energy_uj;
  }
  if (shown) add_counters("power, W", kMachine, begin, values);
}

void Timeline::name_process(int process, const std::string& name) {
  names_.push_back(
      fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", process, json_text(name)));
  // In the order of the numbers, not of the names: "SM 10" is after "SM 9".
  names_.push_back(
      fmt::format(R"({{"ph":"M","pid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})", process, process));
}

void Timeline::name_track(int process, std::uint64_t track, const std::string& name) {
  if (!named_.emplace(process, track).second) return;
  names_.push_back(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})", process,
                               track, json_text(name)));
}

void Timeline::write_kernels(int process, const Program& program) {
  for (const runtime::LaunchStatistics& launch : program.launches) {
    if (launch.ended_at < options_.from || launch.started_at > options_.to) continue;
    name_track(process, launch.stream, fmt::format("stream {}", launch.stream));
    emit(fmt::format(
        R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"cat":"kernel","args":{{"launch":{},"grid":"{}x{}x{}","block":"{}x{}x{}","warp_instructions":{}}}}})",
        process, launch.stream, launch.started_at, launch.ended_at - launch.started_at, json_text(launch.kernel),
        launch.id, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x, launch.block.y, launch.block.z,
        launch.warp_instructions));
  }
}

void Timeline::write_blocks(const std::vector<Program>& programs) {
  std::map<std::uint64_t, std::string> kernels;  // by launch
  for (const Program& program : programs) {
    for (const runtime::LaunchStatistics& launch : program.launches)
      kernels[launch.id] = programs.size() == 1 ? launch.kernel : program.name + ": " + launch.kernel;
  }
  for (unsigned sm = 0; sm < gpu_->parameters().sms; ++sm) {
    const core::BlockTrace& trace = gpu_->block_trace(sm);
    dropped_ += trace.dropped;
    const int process = kFirstSm + static_cast<int>(sm);
    name_process(process, fmt::format("SM {}", sm));
    for (const core::BlockSpan& span : trace.spans) {
      name_track(process, span.slot, fmt::format("block slot {}", span.slot));
      // A launch that was stopped has no statistics.
      const auto kernel = kernels.find(span.grid_id);
      emit(fmt::format(
          R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"cat":"block","args":{{"block":{},"launch":{}}}}})",
          process, span.slot, span.begin, span.end - span.begin,
          json_text(kernel == kernels.end() ? "kernel" : kernel->second), span.block, span.grid_id));
    }
  }
}

std::string Timeline::write(const std::vector<Program>& programs) {
  sample(gpu_->now());
  gpu_->sample_every(0, {});
  name_process(kMachine, "GPU");
  for (std::size_t p = 0; p < programs.size(); ++p) {
    const int process = programs.size() == 1 ? kMachine : kFirstApplication + static_cast<int>(p);
    if (process != kMachine) name_process(process, programs[p].name);
    write_kernels(process, programs[p]);
  }
  write_blocks(programs);
  std::ostringstream out;
  out << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"time\":\"1 us is one core cycle\"},\"traceEvents\":[\n";
  for (std::size_t i = 0; i < names_.size(); ++i) out << (i == 0 ? "" : ",\n") << names_[i];
  for (const std::string& event : events_) out << ",\n" << event;
  out << "\n]}\n";
  write_file("--timeline", options_.file, out.str());
  if (dropped_ == 0) return "";
  return fmt::format(
      "the timeline is full: {} events were left out; narrow it with --timeline-from and --timeline-to, "
      "or allow more with --timeline-events",
      dropped_);
}

}  // namespace heddle::cli
