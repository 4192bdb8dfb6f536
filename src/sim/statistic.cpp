#include "sim/statistic.h"

#include <algorithm>

#include "base/check.h"

namespace heddle::sim {

Counter::Counter(StatisticGroup& group, std::string name, std::string unit, std::string description, Merge merge)
    : name_(std::move(name)), unit_(std::move(unit)), description_(std::move(description)), merge_(merge) {
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

namespace {

void set_values(StatisticGroup& group, const CounterValues& values, std::size_t& at) {
  for (Counter* counter : group.counters()) counter->set(values[at++]);
  for (StatisticGroup* child : group.groups()) set_values(*child, values, at);
}

}  // namespace

CounterValues values(const StatisticGroup& root) {
  CounterValues result;
  root.for_each_counter([&](const std::string&, const Counter& counter) { result.push_back(counter.value()); });
  return result;
}

CounterValues values_between(const StatisticGroup& root, const CounterValues& from, const CounterValues& to) {
  CounterValues result;
  root.for_each_counter([&](const std::string&, const Counter& counter) {
    const std::size_t at = result.size();
    result.push_back(counter.merge() == Counter::Merge::most ? to[at] : to[at] - from[at]);
  });
  return result;
}

ValuesInstead::ValuesInstead(StatisticGroup& root, const CounterValues& instead) : root_(root), own_(values(root)) {
  std::size_t at = 0;
  set_values(root_, instead, at);
}

ValuesInstead::~ValuesInstead() {
  std::size_t at = 0;
  set_values(root_, own_, at);
}

std::string without_instances(const std::string& path) {
  std::string result;
  bool inside = false;
  for (const char c : path) {
    if (c == '[') inside = true;
    if (!inside) result += c;
    if (c == ']') inside = false;
  }
  return result;
}

Totals::Totals(const StatisticGroup& root) {
  std::map<std::string, std::vector<const Counter*>> by_name;
  root.for_each_counter(
      [&](const std::string& path, const Counter& counter) { by_name[without_instances(path)].push_back(&counter); });
  for (const auto& [name, counters] : by_name) {
    for (const Counter* counter : counters) sources_.push_back({counter, names_.size()});
    names_.push_back(name);
    merges_.push_back(counters.front()->merge());
  }
}

Totals::Values Totals::read() const {
  Values values(names_.size(), 0);
  for (const Source& source : sources_) {
    std::uint64_t& value = values[source.name];
    value = merges_[source.name] == Counter::Merge::most ? std::max(value, source.counter->value())
                                                         : value + source.counter->value();
  }
  return values;
}

std::map<std::string, std::uint64_t> Totals::since(const Values& before) const {
  const Values now = read();
  std::map<std::string, std::uint64_t> result;
  for (std::size_t n = 0; n < names_.size(); ++n)
    result.emplace_hint(result.end(), names_[n], merges_[n] == Counter::Merge::most ? now[n] : now[n] - before[n]);
  return result;
}

}  // namespace heddle::sim
