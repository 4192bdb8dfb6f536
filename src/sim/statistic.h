// Statistics that describe themselves.
//
// A component declares each counter once, as a member: name, unit, one sentence. Printing, adding up over instances,
// taking differences and the reference page all walk those declarations. Counting is one addition to a member.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace heddle::sim {

class StatisticGroup;

class Counter {
 public:
  /// How the values of several instances become one: their sum, or the greatest of them.
  enum class Merge : std::uint8_t { add, most };
  Counter(StatisticGroup& group, std::string name, std::string unit, std::string description, Merge merge = Merge::add);
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  void operator++() { ++value_; }
  void operator+=(std::uint64_t n) { value_ += n; }
  /// Of a greatest value: another candidate.
  void at_least(std::uint64_t n) {
    if (n > value_) value_ = n;
  }
  [[nodiscard]] Merge merge() const { return merge_; }
  [[nodiscard]] std::uint64_t value() const { return value_; }
  void reset() { value_ = 0; }
  void set(std::uint64_t value) { value_ = value; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }
  [[nodiscard]] const std::string& description() const { return description_; }

 private:
  std::string name_;
  std::string unit_;
  std::string description_;
  std::uint64_t value_ = 0;
  Merge merge_;
};

/// A ratio or other figure computed from the counters of its group when asked for.
class Formula {
 public:
  Formula(StatisticGroup& group, std::string name, std::string unit, std::string description,
          std::function<double()> compute);
  [[nodiscard]] double value() const { return compute_(); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }
  [[nodiscard]] const std::string& description() const { return description_; }

 private:
  std::string name_;
  std::string unit_;
  std::string description_;
  std::function<double()> compute_;
};

/// The statistics of one component instance. Its path is like "gpu.sm[3].l1".
class StatisticGroup {
 public:
  explicit StatisticGroup(std::string name) : name_(std::move(name)) {}
  StatisticGroup(StatisticGroup& parent, std::string name);
  virtual ~StatisticGroup() = default;
  StatisticGroup(const StatisticGroup&) = delete;
  StatisticGroup& operator=(const StatisticGroup&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string path() const;
  [[nodiscard]] const std::vector<Counter*>& counters() const { return counters_; }
  [[nodiscard]] const std::vector<Formula*>& formulas() const { return formulas_; }
  [[nodiscard]] const std::vector<StatisticGroup*>& groups() const { return groups_; }
  /// Calls f(path, counter) for every counter here and below.
  void for_each_counter(const std::function<void(const std::string&, const Counter&)>& f) const;
  void reset_all();

 private:
  friend class Counter;
  friend class Formula;
  std::string name_;
  StatisticGroup* parent_ = nullptr;
  std::vector<Counter*> counters_;
  std::vector<Formula*> formulas_;
  std::vector<StatisticGroup*> groups_;
};

/// The values of every counter of a tree at one moment, in a fixed order.
using CounterValues = std::vector<std::uint64_t>;
[[nodiscard]] CounterValues values(const StatisticGroup& root);
/// What was counted between two moments. Of a greatest value, the greatest until the second.
[[nodiscard]] CounterValues values_between(const StatisticGroup& root, const CounterValues& from,
                                           const CounterValues& to);
/// While it exists, the counters of a tree have other values; formulas follow them.
class ValuesInstead {
 public:
  ValuesInstead(StatisticGroup& root, const CounterValues& instead);
  ~ValuesInstead();
  ValuesInstead(const ValuesInstead&) = delete;
  ValuesInstead& operator=(const ValuesInstead&) = delete;

 private:
  StatisticGroup& root_;
  CounterValues own_;
};

/// "gpu.sm[3].l1" as "gpu.sm.l1".
[[nodiscard]] std::string without_instances(const std::string& path);
/// The counters of a tree by path with instance numbers left out ("gpu.sm.l1.hits"), merged over the instances. Names
/// are made once, so that reading is cheap enough for every launch. The tree must not grow.
class Totals {
 public:
  using Values = std::vector<std::uint64_t>;

  explicit Totals(const StatisticGroup& root);
  /// What every counter says now.
  [[nodiscard]] Values read() const;
  /// The same by name, counted since `before` was read. Of a greatest value, the greatest ever.
  [[nodiscard]] std::map<std::string, std::uint64_t> since(const Values& before) const;
  [[nodiscard]] std::map<std::string, std::uint64_t> all() const { return since(Values(names_.size(), 0)); }

 private:
  struct Source {
    const Counter* counter;
    std::size_t name;
  };
  std::vector<std::string> names_;  ///< in alphabetical order
  std::vector<Counter::Merge> merges_;
  std::vector<Source> sources_;
};

/// Every counter of the tree, read once.
[[nodiscard]] inline std::map<std::string, std::uint64_t> totals(const StatisticGroup& root) {
  return Totals(root).all();
}

}  // namespace heddle::sim
