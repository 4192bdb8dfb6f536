// One L2 slice between an SM and memory that answers when the test says so.
#include "slice_fixture.h"

namespace heddle::memory {
namespace {

constexpr unsigned kBurst = 32;

class Slice : public SliceFixture {
 protected:
  Slice() {
    p_.set_text("l2.sector_bytes", "32");
    p_.set_text("l2.kib", "1");
    p_.set_text("l2.ways", "2");
    p_.set_text("l2.latency", "5");
  }
  void make(unsigned applications = 1) { SliceFixture::make(1, kBurst, applications); }
  static Request read(std::uint64_t line, std::uint32_t sectors, std::uint32_t id) {
    Request request;
    request.line = LineTag(PhysLine{line});
    request.sectors = sectors;
    request.id = id;
    return request;
  }
  static Request write(std::uint64_t line, std::uint16_t application) {
    Request request = read(line, 0xf, 99);
    request.kind = RequestKind::write;
    request.application = application;
    return request;
  }
  /// Serves the request, and gives what comes of it the time that a hit takes.
  void serve(const Request& request) {
    send(request);
    run(20);
  }
  void fill(std::uint32_t token) {
    SliceFixture::fill(token);
    run(20);
  }
  /// The names of the requests answered since the last call.
  std::vector<std::uint32_t> answered() {
    exchange_.turn_over();
    std::vector<Response> responses;
    (void)network_->responses(0).collect(responses);
    std::vector<std::uint32_t> ids;
    for (const Response& response : responses) ids.push_back(response.id);
    return ids;
  }
  void transfer(PhysLine line, std::uint32_t units, const DramRequest& request, sim::Cycle /*now*/) override {
    sent_.push_back(request);
    sent_.back().address = line.address;
    units_.push_back(units);
  }

  std::vector<DramRequest> sent_;
  std::vector<std::uint32_t> units_;
};

TEST_F(Slice, AnswersAMissWhenTheLastOfItsBurstsHasCome) {
  make();
  serve(read(0x1000, 0b11, 1));
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(units_[0], 0b11u);
  fill(sent_[0].token);
  EXPECT_TRUE(answered().empty());
  fill(sent_[0].token);
  EXPECT_EQ(answered(), std::vector<std::uint32_t>{1});
}

TEST_F(Slice, ServesASectorThatIsThereWhileAnotherOfItsLineIsOnItsWay) {
  make();
  serve(read(0x1000, 0b01, 1));
  fill(sent_[0].token);
  (void)answered();
  serve(read(0x1000, 0b10, 2));
  serve(read(0x1000, 0b01, 3));
  EXPECT_EQ(answered(), std::vector<std::uint32_t>{3});
  EXPECT_EQ(counter("hits"), 1u);
  EXPECT_EQ(counter("misses"), 2u);
  fill(sent_[1].token);
  EXPECT_EQ(answered(), std::vector<std::uint32_t>{2});
}

TEST_F(Slice, DoesNotReplaceALineThatWaitsForASectorAlthoughAnotherIsThere) {
  make();
  serve(read(0x1000, 0b01, 1));
  fill(sent_[0].token);
  serve(read(0x1000, 0b10, 2));
  // 1 KiB of 2 ways: four sets. Lines of the same set would push it out.
  for (std::uint64_t line = 0x2000; line < 0x4000; line += 128) serve(write(line, 0));
  fill(sent_[1].token);
  (void)answered();
  serve(read(0x1000, 0b11, 3));
  EXPECT_EQ(answered(), std::vector<std::uint32_t>{3});
}

TEST_F(Slice, WritesBackForTheApplicationThatWrote) {
  make(3);
  serve(write(0x1000, 2));
  for (std::uint64_t line = 0x2000; line < 0x4000; line += 128) serve(write(line, 1));
  ASSERT_FALSE(sent_.empty());
  unsigned of_two = 0;
  for (const DramRequest& request : sent_) {
    EXPECT_TRUE(request.write);
    EXPECT_EQ(request.application, request.address == 0x1000 ? 2 : 1);
    of_two += request.application == 2 ? 1 : 0;
  }
  EXPECT_EQ(of_two, 1u);
  EXPECT_EQ(counter("application_2.writebacks"), 4u);
  EXPECT_EQ(counter("application_0.writebacks"), 0u);
}

TEST_F(Slice, TellsMemoryWhoseRequestItIs) {
  make(2);
  Request request = read(0x1000, 1, 1);
  request.application = 1;
  request.traffic = Traffic::walk;
  request.level = 3;
  request.warp = 17;
  serve(request);
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].application, 1);
  EXPECT_EQ(sent_[0].traffic, Traffic::walk);
  EXPECT_EQ(sent_[0].level, 3);
  EXPECT_EQ(sent_[0].warp, 17);
}

TEST_F(Slice, KeepsNothingThatTheFillPolicyRefuses) {
  p_.set_text("l2.fill", "no-walks");
  make();
  Request walk = read(0x1000, 1, 1);
  walk.traffic = Traffic::walk;
  serve(walk);
  fill(sent_[0].token);
  EXPECT_EQ(answered(), std::vector<std::uint32_t>{1});
  serve(walk);
  EXPECT_EQ(sent_.size(), 2u);
  // A write that comes meanwhile keeps the line, and what is read is kept with it.
  serve(write(0x1000, 0));
  fill(sent_[1].token);
  (void)answered();
  serve(walk);
  EXPECT_EQ(sent_.size(), 2u);
  EXPECT_EQ(counter("bypassed"), 2u);
}

TEST_F(Slice, WaitsWhileTheWayToMemoryIsFull) {
  make();
  full_ = true;
  serve(read(0x1000, 1, 1));
  EXPECT_TRUE(sent_.empty());
  EXPECT_EQ(counter("stall_dram_queue"), 20u);
  EXPECT_EQ(slice_->next(now_), sim::kNever);
  full_ = false;
  slice_->dram_moved();
  run(1);
  EXPECT_EQ(sent_.size(), 1u);
}

TEST_F(Slice, LetsNobodyPastAnAtomicThatWaitsForItsLine) {
  make();
  Request atomic = read(0, 1, 1);
  atomic.kind = RequestKind::atomic;
  serve(atomic);
  Request store = write(0, 0);
  store.sectors = 1;
  serve(store);
  serve(read(0, 1, 3));
  serve(read(0, 2, 4));
  EXPECT_TRUE(answered().empty()) << "all wait, the last for a sector of its own";
  ASSERT_EQ(sent_.size(), 2u);
  fill(sent_[0].token);
  fill(sent_[1].token);
  EXPECT_EQ(answered(), (std::vector<std::uint32_t>{1, 99, 3, 4}));
}

}  // namespace
}  // namespace heddle::memory
