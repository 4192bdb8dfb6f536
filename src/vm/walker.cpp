#include "vm/walker.h"

namespace heddle::vm {

WalkerParameters::WalkerParameters(sim::ParameterGroup& parent, const std::string& name, const std::string& text)
    : ParameterGroup(parent, name, text),
      kind(*this, "kind", "threaded", "In what order the entries of walks are read.") {}

Walker::Walker(const Setup& setup)
    : parameters_(setup.parameters),
      statistics_(setup.statistics),
      reader_(setup.reader),
      cache_(setup.parameters.cache, setup.statistics) {
  statistics_.divide(setup.applications);
}

void Walker::fault(const WalkJob& job) {
  ++statistics_.faults[job.space->id()];
  finished_.push_back({job, true, {}});
}

void Walker::count_active(sim::Cycle now) {
  const std::size_t walks = active();
  if (walks != 0) {
    statistics_.active += walks * (now - counted_until_);
    statistics_.busy += now - counted_until_;
    statistics_.most_active.at_least(walks);
  }
  counted_until_ = now;
}

void Walker::count_start(const WalkJob& job, sim::Cycle now) {
  statistics_.waited[job.space->id()] += now - job.missed_at;
  statistics_.most_queued.at_least(queue_.size());
}

void Walker::count_level(const WalkJob& job, unsigned level, sim::Cycle cycles) {
  sim::ApplicationCounter* const counters[] = {&statistics_.latency_level1, &statistics_.latency_level2,
                                               &statistics_.latency_level3, &statistics_.latency_level4};
  (*counters[level - 1])[job.space->id()] += cycles;
}

void Walker::finish(const WalkJob& job, Entry entry, unsigned level, sim::Cycle now) {
  ++statistics_.walks[job.space->id()];
  statistics_.latency[job.space->id()] += now - job.missed_at;
  finished_.push_back({job, false, mapping_of(entry, job.page, level)});
}

}  // namespace heddle::vm
