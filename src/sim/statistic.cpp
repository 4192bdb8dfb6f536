#include "sim/statistic.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "sim/context.h"

namespace heddle::sim {

Counter::Counter(StatisticGroup& group, std::string name, std::string unit, std::string description, Merge merge)
    : about_(new About{std::move(name), std::move(unit), std::move(description), merge}) {
  for (const Counter* other : group.counters_)
    HEDDLE_CHECK(other->name() != about_->name, "two counters are called '" + about_->name + "'");
  group.counters_.push_back(this);
}

ApplicationCounter::ApplicationCounter(StatisticGroup& group, std::string name, std::string unit,
                                       std::string description, Merge merge)
    : Counter(group, std::move(name), std::move(unit), std::move(description), merge) {
  HEDDLE_CHECK(!group.divided(), "a counter is added to a group that has been divided");
  group.divisible_.push_back(this);
}

Formula::Formula(StatisticGroup& group, std::string name, std::string unit, std::string description,
                 std::function<double()> compute)
    : name_(std::move(name)),
      unit_(std::move(unit)),
      description_(std::move(description)),
      compute_(std::move(compute)) {
  group.formulas_.push_back(this);
}

/// What one application has done of what a group counts.
struct StatisticGroup::Share : StatisticGroup {
  Share(StatisticGroup& parent, unsigned application)
      : StatisticGroup(parent, fmt::format("application_{}", application)) {}
  std::vector<std::unique_ptr<Counter>> counters;
};

StatisticGroup::StatisticGroup(std::string name) : name_(std::move(name)) {}

StatisticGroup::~StatisticGroup() = default;

void StatisticGroup::divide(unsigned applications) {
  if (applications < 2 || divisible_.empty()) return;
  HEDDLE_CHECK(!divided(), "a group of statistics is divided once");
  for (std::size_t c = 0; c < divisible_.size(); ++c) own_.push_back(std::make_unique<std::vector<Counter*>>());
  for (unsigned a = 0; a < applications; ++a) {
    Share& share = *shares_.emplace_back(std::make_unique<Share>(*this, a));
    for (std::size_t c = 0; c < divisible_.size(); ++c) {
      const ApplicationCounter& all = *divisible_[c];
      share.counters.push_back(
          std::make_unique<Counter>(share, all.name(), all.unit(), all.description(), all.merge()));
      own_[c]->push_back(share.counters.back().get());
    }
  }
  for (std::size_t c = 0; c < divisible_.size(); ++c) divisible_[c]->own_ = own_[c]->data();
}

StatisticGroup::StatisticGroup(StatisticGroup& parent, std::string name) : name_(std::move(name)), parent_(&parent) {
  parent.groups_.push_back(this);
}

StatisticGroup::StatisticGroup(const Context& context) : StatisticGroup(context.statistics(), context.name()) {}

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
  for (Counter* counter : counters_) counter->set(0);
  for (StatisticGroup* group : groups_) group->reset_all();
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

namespace {

void collect(const StatisticGroup& group, const std::string& above,
             std::vector<std::pair<std::string, Counter*>>& found) {
  const std::string path = above.empty() || group.name().empty() ? above + group.name() : above + "." + group.name();
  for (Counter* counter : group.counters()) {
    found.emplace_back(without_instances(path.empty() ? counter->name() : path + "." + counter->name()), counter);
  }
  for (StatisticGroup* child : group.groups()) collect(*child, path, found);
}

std::uint64_t merged(Counter::Merge merge, std::uint64_t a, std::uint64_t b) {
  return merge == Counter::Merge::most ? std::max(a, b) : a + b;
}

}  // namespace

CounterTable::CounterTable(const StatisticGroup& root) {
  std::vector<std::pair<std::string, Counter*>> found;
  collect(root, "", found);
  std::map<std::string, std::uint32_t> index;
  for (const auto& [name, counter] : found) index.emplace(name, 0);
  auto names = std::make_shared<std::vector<std::string>>();
  for (auto& [name, number] : index) {
    number = static_cast<std::uint32_t>(names->size());
    names->push_back(name);
  }
  merges_.resize(names->size());
  names_ = std::move(names);
  for (const auto& [name, counter] : found) {
    const std::uint32_t number = index.at(name);
    sources_.push_back({counter, number, counter->merge()});
    merges_[number] = counter->merge();
  }
}

CounterTable::Values CounterTable::read() const {
  Values values;
  values.reserve(sources_.size());
  for (const Source& source : sources_) values.push_back(source.counter->value());
  return values;
}

CounterTable::Values CounterTable::between(const Values& from, const Values& to) const {
  Values values;
  for (std::size_t i = 0; i < sources_.size(); ++i)
    values.push_back(sources_[i].merge == Counter::Merge::most ? to[i] : to[i] - from[i]);
  return values;
}

void CounterTable::write(const Values& values) const {
  for (std::size_t i = 0; i < sources_.size(); ++i) sources_[i].counter->set(values[i]);
}

CounterTable::Values CounterTable::read_totals() const {
  Values values(names_->size(), 0);
  for (const Source& source : sources_)
    values[source.name] = merged(source.merge, values[source.name], source.counter->value());
  return values;
}

NamedCounters CounterTable::totals_since(const Values& before) const {
  Values values = read_totals();
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (merges_[n] != Counter::Merge::most) values[n] -= before[n];
  }
  return {names_, values};
}

}  // namespace heddle::sim
