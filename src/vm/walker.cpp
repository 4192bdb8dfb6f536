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
  for (unsigned a = 0; setup.applications > 1 && a < setup.applications; ++a)
    by_application_.push_back(std::make_unique<WalkerApplication>(statistics_, "application_" + std::to_string(a)));
}

void Walker::fault(const WalkJob& job) {
  ++statistics_.faults;
  if (WalkerApplication* own = of(job)) ++own->faults;
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
  statistics_.waited += now - job.missed_at;
  if (WalkerApplication* own = of(job)) own->waited += now - job.missed_at;
  statistics_.most_queued.at_least(queue_.size());
}

void Walker::count_level(unsigned level, sim::Cycle cycles) {
  sim::Counter* const counters[] = {&statistics_.latency_level1, &statistics_.latency_level2,
                                    &statistics_.latency_level3, &statistics_.latency_level4};
  *counters[level - 1] += cycles;
}

void Walker::finish(const WalkJob& job, Entry entry, unsigned level, sim::Cycle now) {
  ++statistics_.walks;
  statistics_.latency += now - job.missed_at;
  if (WalkerApplication* own = of(job)) {
    ++own->walks;
    own->latency += now - job.missed_at;
  }
  finished_.push_back({job, false, mapping_of(entry, job.page, level)});
}

}  // namespace heddle::vm
