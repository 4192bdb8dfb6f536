#include "sim/sampler.h"

#include <map>

namespace heddle::sim {

Sampler::Sampler(const StatisticGroup& root, const std::function<bool(const std::string&)>& wanted,
                 std::size_t most_samples)
    : most_(most_samples) {
  std::map<std::string, std::vector<const Counter*>> found;
  root.for_each_counter([&](const std::string& path, const Counter& counter) {
    const std::string name = without_instances(path);
    if (wanted(name)) found[name].push_back(&counter);
  });
  for (auto& [path, counters] : found) {
    Series series{path, std::move(counters), 0, {}};
    for (const Counter* counter : series.counters) series.last += counter->value();
    series_.push_back(std::move(series));
  }
}

void Sampler::offer(Cycle now) {
  if (now < last_ + interval_) return;
  take(now);
  if (ends_.size() > most_) halve();
}

void Sampler::finish(Cycle now) {
  if (now > last_) take(now);
}

void Sampler::take(Cycle now) {
  last_ = now;
  ends_.push_back(now);
  for (Series& series : series_) {
    std::uint64_t sum = 0;
    for (const Counter* counter : series.counters) sum += counter->value();
    series.growth.push_back(sum - series.last);
    series.last = sum;
  }
}

void Sampler::halve() {
  const std::size_t pairs = ends_.size() / 2;
  const bool odd = ends_.size() % 2 != 0;
  const auto join = [&](std::vector<std::uint64_t>& values, bool add) {
    for (std::size_t i = 0; i < pairs; ++i) values[i] = add ? values[2 * i] + values[2 * i + 1] : values[2 * i + 1];
    if (odd) values[pairs] = values.back();
    values.resize(pairs + (odd ? 1 : 0));
  };
  for (Series& series : series_) join(series.growth, true);
  join(ends_, false);
  interval_ = ends_.size() > 1 ? ends_[0] : interval_ * 2;
}

}  // namespace heddle::sim
