// A slice of an L2 of two halves, between an SM near each and memory that answers at once.
#include "slice_fixture.h"

namespace heddle::memory {
namespace {

constexpr std::uint64_t kHomeOfFirst = 0;        // half 0, near SM 0
constexpr std::uint64_t kHomeOfSecond = 0x1000;  // half 1, near SM 1
constexpr unsigned kFar = 100;

class Halves : public SliceFixture {
 protected:
  Halves() {
    p_.set_text("l2.sector_bytes", "32");
    p_.set_text("l2.kib", "1");  // two sets of two lines in each half
    p_.set_text("l2.ways", "2");
    p_.set_text("l2.latency", "5");
    p_.set_text("l2.halves", "2");
    p_.set_text("l2.far_latency", "100");
    make(2, 64);
  }
  /// What a request takes until its answer leaves, without what all take: 0 or kFar.
  sim::Cycle more(RequestKind kind, std::uint16_t sm, std::uint64_t line, std::uint32_t sectors = 1) {
    Request request;
    request.kind = kind;
    request.sm = sm;
    request.line = LineTag(PhysLine{line});
    request.sectors = sectors;
    request.bytes = 4;
    request.lanes = 1;
    send(request);
    const sim::Cycle begin = now_;
    std::optional<sim::Cycle> answered;
    for (const sim::Cycle end = now_ + 300; now_ < end; ++now_) {
      slice_->begin(now_);
      for (const DramRequest& asked : asked_) slice_->fill(asked.token, now_);
      asked_.clear();
      slice_->tick(now_);
    }
    exchange_.turn_over();
    std::vector<Response> responses;
    (void)network_->responses(sm).collect(responses);
    if (!responses.empty()) answered = responses[0].arrival;
    EXPECT_TRUE(answered.has_value());
    return answered.value_or(begin) - begin;
  }
  sim::Cycle read(std::uint16_t sm, std::uint64_t line, std::uint32_t sectors = 1) {
    return more(RequestKind::read, sm, line, sectors);
  }
  sim::Cycle write(std::uint16_t sm, std::uint64_t line) { return more(RequestKind::write, sm, line, 0xf); }
  void transfer(PhysLine line, std::uint32_t /*units*/, const DramRequest& request, sim::Cycle /*now*/) override {
    if (request.write) {
      written_.push_back(line.address);
    } else {
      asked_.push_back(request);
      ++reads_;
    }
  }

  std::vector<DramRequest> asked_;
  std::vector<std::uint64_t> written_;
  unsigned reads_ = 0;
};

TEST_F(Halves, AReadOfTheFarHalfTakesLongerOnceAndLeavesACopy) {
  (void)write(0, kHomeOfFirst);
  const sim::Cycle near = read(0, kHomeOfFirst);
  EXPECT_EQ(read(1, kHomeOfFirst), near + kFar);
  EXPECT_EQ(read(1, kHomeOfFirst), near);
  EXPECT_EQ(read(1, kHomeOfFirst, 0b10), near) << "a copy is of the whole burst";
  EXPECT_EQ(read(1, kHomeOfFirst, 0b100), near + kFar);
  EXPECT_EQ(counter("far_reads"), 2u);
  EXPECT_EQ(counter("copy_reads"), 2u);
  EXPECT_EQ(reads_, 0u);
}

TEST_F(Halves, AMissComesLaterFromTheFarHalf) {
  const sim::Cycle near = read(0, kHomeOfFirst);
  EXPECT_EQ(read(0, kHomeOfSecond), near + kFar);
  EXPECT_EQ(reads_, 2u);
}

TEST_F(Halves, AStoreTakesTheOthersCopyAwayAndKeepsItsOwn) {
  const sim::Cycle near = write(0, kHomeOfFirst);
  (void)read(1, kHomeOfFirst);
  EXPECT_EQ(write(0, kHomeOfFirst), near + kFar) << "a copy has to go";
  EXPECT_EQ(write(0, kHomeOfFirst), near);
  EXPECT_EQ(write(1, kHomeOfFirst), near + kFar) << "the home is the other half";
  EXPECT_EQ(counter("far_changes"), 2u);
  (void)read(0, kHomeOfFirst);
  EXPECT_EQ(counter("far_reads"), 1u);
  (void)read(1, kHomeOfFirst);
  EXPECT_EQ(counter("far_reads"), 1u) << "what it wrote is near";
}

TEST_F(Halves, AnAtomicTakesEveryCopyAway) {
  (void)write(0, kHomeOfFirst);
  (void)read(1, kHomeOfFirst);
  const sim::Cycle first = more(RequestKind::atomic, 0, kHomeOfFirst);
  EXPECT_EQ(more(RequestKind::atomic, 0, kHomeOfFirst), first - kFar);
  EXPECT_EQ(more(RequestKind::atomic, 1, kHomeOfFirst), first);
  (void)read(1, kHomeOfFirst);
  EXPECT_EQ(counter("far_reads"), 2u);
}

TEST_F(Halves, CopiesTakeRoomFromTheNearHalfsOwnLines) {
  (void)write(0, kHomeOfFirst);
  EXPECT_TRUE(written_.empty());
  for (unsigned line = 0; line < 4; ++line) (void)write(1, kHomeOfSecond + 128 * line);
  EXPECT_TRUE(written_.empty()) << "the other half is full with its own";
  for (unsigned line = 0; line < 4; ++line) (void)read(0, kHomeOfSecond + 128 * line);
  EXPECT_EQ(written_, std::vector<std::uint64_t>{kHomeOfFirst});
}

}  // namespace
}  // namespace heddle::memory
