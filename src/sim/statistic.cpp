#include "sim/statistic.h"

#include "base/check.h"

namespace heddle::sim {

Counter::Counter(StatisticGroup& group, std::string name, std::string unit, std::string description)
    : name_(std::move(name)), unit_(std::move(unit)), description_(std::move(description)) {
  for (const Counter* other : group.counters_)
    HEDDLE_CHECK(other->name() != name_, "two counters are called '" + name_ + "'");
  group.counters_.push_back(this);
}

Formula::Formula(StatisticGroup& group, std::string name, std::string unit, std::string description,
                 std::function<double()> compute)
    : name_(std::move(name)),
      unit_(std::move(unit)),
      description_(std::move(description)),
      compute_(std::move(compute)) {
  group.formulas_.push_back(this);
}

StatisticGroup::StatisticGroup(StatisticGroup& parent, std::string name) : name_(std::move(name)), parent_(&parent) {
  parent.groups_.push_back(this);
}

std::string StatisticGroup::path() const {
  if (parent_ == nullptr) return name_;
  const std::string above = parent_->path();
  return above.empty() ? name_ : above + "." + name_;
}

void StatisticGroup::for_each_counter(const std::function<void(const std::string&, const Counter&)>& f) const {
  const std::string prefix = path().empty() ? "" : path() + ".";
  for (const Counter* counter : counters_) f(prefix + counter->name(), *counter);
  for (const StatisticGroup* group : groups_) group->for_each_counter(f);
}

void StatisticGroup::reset_all() {
  for (Counter* counter : counters_) counter->reset();
  for (StatisticGroup* group : groups_) group->reset_all();
}

std::string without_instances(const std::string& path) {
  std::string text;
  bool inside = false;
  for (const char c : path) {
    if (c == '[') inside = true;
    if (!inside) text += c;
    if (c == ']') inside = false;
  }
  return text;
}

std::map<std::string, std::uint64_t> totals(const StatisticGroup& root) {
  std::map<std::string, std::uint64_t> sums;
  root.for_each_counter(
      [&](const std::string& path, const Counter& counter) { sums[without_instances(path)] += counter.value(); });
  return sums;
}

}  // namespace heddle::sim
