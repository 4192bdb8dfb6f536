#include "sim/engine.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/check.h"

namespace heddle::sim {
namespace {

constexpr Cycle kQuantum = 10;

struct Letter {
  unsigned from = 0;
  int text = 0;
  Cycle arrival = 0;
  [[nodiscard]] unsigned sender() const { return from; }
};

/// Sends letters at given times and remembers what it got, in order.
class Correspondent final : public Shard {
 public:
  struct Errand {
    Cycle at = 0;
    unsigned to = 0;
    int text = 0;
    Cycle arrival = 0;
  };
  Correspondent(Bell& bell, std::vector<std::unique_ptr<Inbox<Letter>>>& boxes, unsigned self)
      : Shard(bell), boxes_(boxes), self_(self) {}

  void plan(std::vector<Errand> errands) {
    errands_ = std::move(errands);
    if (!errands_.empty()) wake_by(errands_.front().at);
  }
  void receive() override {
    input_.erase(input_.begin(), input_.begin() + static_cast<std::ptrdiff_t>(read_));
    read_ = 0;
    wake_by(boxes_[self_]->collect(input_));
  }
  void run(Cycle begin, Cycle end) override {
    runs.push_back(begin);
    for (; next_ < errands_.size() && errands_[next_].at < end; ++next_) {
      const Errand& errand = errands_[next_];
      boxes_[errand.to]->send({self_, errand.text, errand.arrival});
    }
    for (; read_ < input_.size() && input_[read_].arrival < end; ++read_) {
      got.push_back(input_[read_].text);
      // An answer, so that traffic goes on for a while.
      if (const int text = input_[read_].text; text > 100)
        boxes_[input_[read_].from]->send({self_, text - 100, input_[read_].arrival + kQuantum});
    }
    wake_ = kNever;
    if (next_ < errands_.size()) wake_by(errands_[next_].at);
    if (read_ < input_.size()) wake_by(input_[read_].arrival);
    reports_ = !got.empty();
  }

  std::vector<int> got;
  std::vector<Cycle> runs;

 private:
  std::vector<std::unique_ptr<Inbox<Letter>>>& boxes_;
  unsigned self_;
  std::vector<Errand> errands_;
  std::size_t next_ = 0;
  std::vector<Letter> input_;
  std::size_t read_ = 0;
};

class Office {
 public:
  Office(unsigned shards, unsigned threads) : exchange_(threads), bells_(shards) {
    for (unsigned s = 0; s < shards; ++s) {
      boxes_.push_back(std::make_unique<Inbox<Letter>>(exchange_, bells_[s]));
      shards_.push_back(std::make_unique<Correspondent>(bells_[s], boxes_, s));
    }
  }
  Correspondent& operator[](unsigned s) { return *shards_[s]; }
  Cycle run(Cycle until) {
    std::vector<Shard*> all;
    for (auto& shard : shards_) all.push_back(shard.get());
    Engine engine(all, exchange_, kQuantum);
    Engine::Hooks hooks;
    hooks.serial = [&](Cycle end, const std::vector<unsigned>& reporting) {
      ends.push_back(end);
      reports.push_back(reporting);
    };
    hooks.wakes_at = [&] { return until; };
    hooks.finished = [&](Cycle now) { return now > until; };
    return engine.run(0, hooks);
  }

  std::vector<Cycle> ends;
  std::vector<std::vector<unsigned>> reports;

 private:
  Exchange exchange_;
  std::vector<Bell> bells_;
  std::vector<std::unique_ptr<Inbox<Letter>>> boxes_;
  std::vector<std::unique_ptr<Correspondent>> shards_;
};

TEST(Engine, OrdersMessagesByArrivalThenSenderThenSending) {
  Office office(4, 1);
  office[3].plan({{0, 0, 31, 25}, {1, 0, 32, 25}, {2, 0, 30, 12}});
  office[1].plan({{5, 0, 11, 25}});
  office.run(40);
  EXPECT_EQ(office[0].got, (std::vector<int>{30, 11, 31, 32}));
}

TEST(Engine, OrdersMessagesOfDifferentQuantaBySenderIfTheyArriveTogether) {
  // The receiver sleeps in the first case and runs all the time in the second: that must make no difference.
  for (const bool awake : {false, true}) {
    Office office(4, 1);
    office[3].plan({{0, 0, 3, 45}});
    office[1].plan({{25, 0, 1, 45}});
    if (awake) office[0].plan({{0, 2, 0, 20}, {10, 2, 0, 20}, {20, 2, 0, 40}, {30, 2, 0, 40}});
    office.run(60);
    EXPECT_EQ(office[0].got, (std::vector<int>{1, 3})) << awake;
  }
}

TEST(Engine, JumpsOverTimeInWhichNobodyHasAnythingToDo) {
  Office office(2, 1);
  office[0].plan({{3, 1, 7, 5005}});
  office.run(6000);
  EXPECT_EQ(office.ends, (std::vector<Cycle>{10, 5010, 6010}));
  EXPECT_EQ(office[0].runs, (std::vector<Cycle>{0}));
  EXPECT_EQ(office[1].runs, (std::vector<Cycle>{5000}));
}

TEST(Engine, GivesTheSerialStepThoseThatReportInOrder) {
  Office office(8, 3);
  for (unsigned s = 1; s < 8; ++s) office[s].plan({{0, (s + 3) % 8, 1, 15}});
  office.run(30);
  EXPECT_EQ(office.reports.at(1), (std::vector<unsigned>{0, 1, 2, 4, 5, 6, 7}));
}

TEST(Engine, SaysSoWhenNothingCanMoveAnyMore) {
  Office office(2, 2);
  EXPECT_THROW(office.run(kNever), InvariantError);
}

TEST(Engine, GivesTheSameAnswerWithAnyNumberOfThreads) {
  std::vector<std::vector<int>> first;
  for (unsigned threads = 1; threads <= 5; ++threads) {
    constexpr unsigned kShards = 13;
    Office office(kShards, threads);
    for (unsigned s = 0; s < kShards; ++s) {
      std::vector<Correspondent::Errand> errands;
      for (unsigned i = 0; i < 200; ++i) {
        const Cycle at = i * (3 + s % 4);
        errands.push_back({at, (s * 7 + i * 5) % kShards, static_cast<int>(100 * (i % 4) + s), at + kQuantum + i % 3});
      }
      office[s].plan(std::move(errands));
    }
    office.run(3000);
    std::vector<std::vector<int>> got;
    for (unsigned s = 0; s < kShards; ++s) got.push_back(office[s].got);
    if (threads == 1) first = got;
    EXPECT_EQ(got, first) << threads;
  }
}

/// Writes its number to all cells of a table that all share; as often as it is told, once a quantum.
class Writer final : public Shard {
 public:
  static constexpr unsigned kCells = 4096;
  using Table = std::vector<std::vector<int>>;  // what was written to a cell, in order

  Writer(Bell& bell, Table& table, int number, unsigned times)
      : Shard(bell), table_(table), number_(number), left_(times) {
    wake_by(0);
  }
  void receive() override {}
  void run(Cycle, Cycle end) override {
    seen.push_back(table_.front().size());
    publishes_ = left_ != 0 ? kCells : 0;
    wake_ = left_ != 0 ? end : kNever;
    if (left_ != 0) --left_;
  }
  void publish(unsigned part) const override {
    for (unsigned cell = part; cell < kCells; cell += kParts) table_[cell].push_back(number_);
  }

  std::vector<std::size_t> seen;  ///< in each quantum, how much had been written

 private:
  Table& table_;
  int number_;
  unsigned left_;
};

TEST(Engine, PublishesEveryPartShardByShardBetweenQuanta) {
  for (unsigned threads = 1; threads <= 4; ++threads) {
    Exchange exchange(threads);
    std::vector<Bell> bells(3);
    Writer::Table table(Writer::kCells);
    Writer twice(bells[0], table, 1, 2);
    Writer never(bells[1], table, 2, 0);
    Writer once(bells[2], table, 3, 1);
    Engine engine({&twice, &never, &once}, exchange, kQuantum);
    std::vector<std::size_t> at_serial_step;
    Engine::Hooks hooks;
    hooks.serial = [&](Cycle, const std::vector<unsigned>&) { at_serial_step.push_back(table.back().size()); };
    hooks.wakes_at = [] { return Cycle{100}; };
    hooks.finished = [](Cycle now) { return now > 100; };
    engine.run(0, hooks);
    for (const std::vector<int>& cell : table) ASSERT_EQ(cell, (std::vector<int>{1, 3, 1})) << threads << " threads";
    EXPECT_EQ(twice.seen, (std::vector<std::size_t>{0, 2, 3}));
    EXPECT_EQ(once.seen, (std::vector<std::size_t>{0, 2}));
    EXPECT_EQ(at_serial_step.front(), 2u) << "the serial step finds what was written in the quantum";
  }
}

}  // namespace
}  // namespace heddle::sim
