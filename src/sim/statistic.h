// Statistics that describe themselves.
//
// A component declares each counter once, as a member: name, unit, one sentence. Printing, adding up over instances,
// taking differences and the reference page all walk those declarations. Counting is one addition to a member.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/named_counters.h"

namespace heddle::sim {

class Context;
class StatisticGroup;

/// A value that is counted up. Small, so that the counters of a part lie side by side; what it is called lies
/// elsewhere.
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
  [[nodiscard]] Merge merge() const { return about_->merge; }
  [[nodiscard]] std::uint64_t value() const { return value_; }
  void set(std::uint64_t value) { value_ = value; }
  [[nodiscard]] const std::string& name() const { return about_->name; }
  [[nodiscard]] const std::string& unit() const { return about_->unit; }
  [[nodiscard]] const std::string& description() const { return about_->description; }

 private:
  struct About {
    std::string name;
    std::string unit;
    std::string description;
    Merge merge;
  };
  std::uint64_t value_ = 0;
  std::unique_ptr<const About> about_;
};

/// A counter of what applications do: where several share the GPU, it counts for each of them as well, in
/// "application_0" and so on below its group. Who counts says for whom: `++hits[application]`.
class ApplicationCounter : public Counter {
 public:
  ApplicationCounter(StatisticGroup& group, std::string name, std::string unit, std::string description,
                     Merge merge = Merge::add);
  void operator++() = delete;
  void operator+=(std::uint64_t n) = delete;
  void at_least(std::uint64_t n) = delete;

  /// The counter of all and that of one application, counted together.
  class Both {
   public:
    Both(Counter& all, Counter* own) : all_(all), own_(own) {}
    void operator++() { *this += 1; }
    void operator+=(std::uint64_t n) {
      all_ += n;
      if (own_ != nullptr) *own_ += n;
    }
    void at_least(std::uint64_t n) {
      all_.at_least(n);
      if (own_ != nullptr) own_->at_least(n);
    }

   private:
    Counter& all_;
    Counter* own_;
  };
  [[nodiscard]] Both operator[](std::size_t application) {
    return {*this, own_ == nullptr ? nullptr : own_[application]};
  }
  /// For who counts the two apart, because most of the time there is one application.
  [[nodiscard]] Counter& all() { return *this; }
  [[nodiscard]] Counter& own(std::size_t application) { return *own_[application]; }

 private:
  friend class StatisticGroup;
  Counter* const* own_ = nullptr;  ///< by application; nullptr if there is one
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
  explicit StatisticGroup(std::string name);
  StatisticGroup(StatisticGroup& parent, std::string name);
  /// The statistics of a mechanism (sim/registry.h).
  explicit StatisticGroup(const Context& context);
  virtual ~StatisticGroup();
  StatisticGroup(const StatisticGroup&) = delete;
  StatisticGroup& operator=(const StatisticGroup&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string path() const;
  [[nodiscard]] const std::vector<Counter*>& counters() const { return counters_; }
  [[nodiscard]] const std::vector<Formula*>& formulas() const { return formulas_; }
  [[nodiscard]] const std::vector<StatisticGroup*>& groups() const { return groups_; }
  void reset_all();
  /// So many applications share what is counted here: ApplicationCounters of this group count for each, if there are
  /// several. When all of them are declared, once.
  void divide(unsigned applications);
  /// Whether it was, for several.
  [[nodiscard]] bool divided() const { return !shares_.empty(); }
  /// The ApplicationCounters of the group.
  [[nodiscard]] const std::vector<ApplicationCounter*>& divisible() const { return divisible_; }
  /// Calls f(path, counter) for every counter here and below.
  void for_each_counter(const std::function<void(const std::string&, const Counter&)>& f) const;

 private:
  friend class Counter;
  friend class ApplicationCounter;
  friend class Formula;
  struct Share;
  std::string name_;
  StatisticGroup* parent_ = nullptr;
  std::vector<Counter*> counters_;
  std::vector<Formula*> formulas_;
  std::vector<StatisticGroup*> groups_;
  std::vector<ApplicationCounter*> divisible_;
  std::vector<std::unique_ptr<Share>> shares_;               ///< by application; none with one
  std::vector<std::unique_ptr<std::vector<Counter*>>> own_;  ///< by divisible counter, and application
};

/// "gpu.sm[3].l1" as "gpu.sm.l1".
[[nodiscard]] std::string without_instances(const std::string& path);
/// Every counter of a tree, found and named once, so that reading them is cheap enough for every launch. The tree must
/// not grow meanwhile.
class CounterTable {
 public:
  using Values = std::vector<std::uint64_t>;

  explicit CounterTable(const StatisticGroup& root);

  /// What every counter says now, instance by instance.
  [[nodiscard]] Values read() const;
  /// What was counted between two readings. Of a greatest value, the greatest until the second.
  [[nodiscard]] Values between(const Values& from, const Values& to) const;
  /// Gives the counters other values.
  void write(const Values& values) const;

  /// What every counter says now, merged over instances.
  [[nodiscard]] Values read_totals() const;
  /// The same by path with instance numbers left out ("gpu.sm.l1.hits"), counted since `before` was read. Of a greatest
  /// value, the greatest ever.
  [[nodiscard]] NamedCounters totals_since(const Values& before) const;
  [[nodiscard]] std::map<std::string, std::uint64_t> totals() const {
    return totals_since(Values(names_->size(), 0)).all();
  }

 private:
  struct Source {
    Counter* counter;
    std::uint32_t name;  ///< among names_
    Counter::Merge merge;
  };
  std::vector<Source> sources_;  ///< in the order of the tree
  NamedCounters::Names names_;
  std::vector<Counter::Merge> merges_;
};

/// While it exists, the counters of a table have other values; formulas follow them.
class ValuesInstead {
 public:
  ValuesInstead(const CounterTable& table, const CounterTable::Values& instead) : table_(table), own_(table.read()) {
    table_.write(instead);
  }
  ~ValuesInstead() { table_.write(own_); }
  ValuesInstead(const ValuesInstead&) = delete;
  ValuesInstead& operator=(const ValuesInstead&) = delete;

 private:
  const CounterTable& table_;
  CounterTable::Values own_;
};

/// Every counter of the tree, merged over instances, read once.
[[nodiscard]] inline std::map<std::string, std::uint64_t> totals(const StatisticGroup& root) {
  return CounterTable(root).totals();
}

}  // namespace heddle::sim
