#include "sim/exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace heddle::sim {
namespace {

struct Note {
  Cycle arrival = 0;
  std::uint16_t from = 0;
  std::uint32_t number = 0;
  [[nodiscard]] std::uint16_t sender() const { return from; }
  bool operator==(const Note&) const = default;
};

bool earlier(const Note& a, const Note& b) { return a.arrival != b.arrival ? a.arrival < b.arrival : a.from < b.from; }

// Whatever comes in, and whatever is still there: by arrival, then sender, then sending order, what was there first.
TEST(Inbox, GivesMessagesInOneOrder) {
  Exchange exchange(1);
  Bell bell;
  Inbox<Note> inbox(exchange, bell);
  std::mt19937 random(3);
  std::vector<Note> got;
  std::vector<Note> expected;
  std::uint32_t number = 0;
  for (int quantum = 0; quantum < 2000; ++quantum) {
    std::vector<Note> sent;
    const auto count = static_cast<unsigned>(random() % 4 == 0 ? random() % 300 : random() % 8);
    // A spread beyond what fits beside a sender in a word, now and then.
    const std::uint64_t spread = random() % 50 == 0 ? std::uint64_t{1} << 40 : 40;
    for (unsigned i = 0; i < count; ++i) {
      const Cycle at = static_cast<Cycle>(quantum) * 12 + random() % spread * (spread > 40 ? 1u << 20 : 1u);
      sent.push_back({at, static_cast<std::uint16_t>(random() % 5), number++});
    }
    Cycle first = kNever;
    for (const Note& note : sent) {
      inbox.send(note);
      first = std::min(first, note.arrival);
    }
    exchange.turn_over();
    EXPECT_EQ(inbox.collect(got), first);
    std::stable_sort(sent.begin(), sent.end(), earlier);
    const auto middle = static_cast<std::ptrdiff_t>(expected.size());
    expected.insert(expected.end(), sent.begin(), sent.end());
    std::inplace_merge(expected.begin(), expected.begin() + middle, expected.end(), earlier);
    ASSERT_EQ(got, expected);
    const auto taken = static_cast<std::ptrdiff_t>(random() % (got.size() + 1));
    got.erase(got.begin(), got.begin() + taken);
    expected.erase(expected.begin(), expected.begin() + taken);
  }
}

}  // namespace
}  // namespace heddle::sim
