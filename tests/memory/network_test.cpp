// Ports at a clock of their own, and ports that SMs share.
#include "memory/network.h"

#include <gtest/gtest.h>

#include "memory/cluster_port.h"

namespace heddle::memory {
namespace {

TEST(Port, MovesAsManyPacketsAsItsClockAllows) {
  for (const auto& [mhz, core_mhz] : {std::pair{0u, 700u}, {700u, 700u}, {350u, 700u}, {900u, 700u}, {1000u, 3000u}}) {
    Port port(mhz, core_mhz);
    sim::Cycle now = 0;
    constexpr unsigned kPackets = 9000;
    for (unsigned p = 0; p < kPackets; ++p) now = port.occupy(now, 5);
    const unsigned clock = mhz == 0 ? core_mhz : mhz;
    EXPECT_EQ(now, (std::uint64_t{kPackets} * 5 * core_mhz + clock - 1) / clock) << mhz << " MHz";
  }
}

TEST(Port, AnIdlePortGivesNothingBack) {
  Port port(1000, 700);  // a network cycle is 0.7 of a core cycle
  EXPECT_EQ(port.occupy(0, 1), 1u);
  EXPECT_EQ(port.occupy(10, 1), 11u);
  EXPECT_EQ(port.occupy(11, 1), 12u) << "0.7 and 0.7 is 1.4 after cycle 10";
  EXPECT_EQ(port.occupy(12, 1), 13u) << "2.1";
  EXPECT_EQ(port.occupy(13, 1), 13u) << "2.8 after cycle 10 is before cycle 13";
}

struct Parameters : sim::ParameterGroup {
  NetworkParameters network{*this, "network", ""};
  AddressMapParameters map{*this, "memory", ""};
};

TEST(Cluster, ItsSmsShareOnePortBothWays) {
  Parameters p;
  p.set_text("memory.partitions", "1");
  p.set_text("network.cluster_sms", "3");
  p.set_text("network.latency", "20");
  p.set_text("network.header_bytes", "8");
  p.set_text("network.bytes_per_cycle", "8");
  sim::Exchange exchange(1);
  Network network(p.network, exchange, {.sms = 6, .partitions = 1, .others = 1});
  ASSERT_TRUE(network.clustered());
  EXPECT_EQ(network.clusters(), 2u);
  EXPECT_EQ(network.shortest(), 10u);
  const AddressMap map(p.map);
  sim::StatisticGroup statistics{"gpu"};
  ClusterPort first(network, map, statistics, 0);
  ClusterPort second(network, map, statistics, 1);
  Request request;
  request.line = LineTag(PhysLine{0});
  for (const unsigned sm : {0u, 1u, 2u, 3u, 6u}) {
    request.sm = static_cast<std::uint16_t>(sm);
    network.send(request, 0, 0);
  }
  exchange.turn_over();
  std::vector<Request> got;
  (void)network.requests(0).collect(got);
  ASSERT_EQ(got.size(), 1u) << "what is no SM's goes by itself";
  EXPECT_EQ(got[0].arrival, 20u);
  for (ClusterPort* port : {&first, &second}) {
    port->receive();
    port->run(10, 20);
  }
  exchange.turn_over();
  (void)network.requests(0).collect(got);
  std::map<unsigned, sim::Cycle> arrivals;
  for (const Request& each : got) arrivals[each.sm] = each.arrival;
  EXPECT_EQ(arrivals, (std::map<unsigned, sim::Cycle>{{0, 21}, {1, 22}, {2, 23}, {3, 21}, {6, 20}}));
  Response response;
  response.bytes = 24;  // four cycles with its header
  for (const unsigned sm : {1u, 2u}) {
    response.sm = static_cast<std::uint16_t>(sm);
    network.send(response, 100);
  }
  exchange.turn_over();
  first.receive();
  first.run(110, 130);
  exchange.turn_over();
  std::vector<Response> back;
  (void)network.responses(1).collect(back);
  (void)network.responses(2).collect(back);
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].arrival, 124u);
  EXPECT_EQ(back[1].arrival, 128u);
  EXPECT_EQ(sim::totals(statistics).at("gpu.cluster.waited"), 0u + 1 + 2 + 4);
}

}  // namespace
}  // namespace heddle::memory
