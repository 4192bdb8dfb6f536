#include "memory/cluster_port.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::memory {

using sim::Cycle;

ClusterPort::ClusterPort(Network& network, const AddressMap& map, sim::StatisticGroup& statistics, unsigned index)
    : Shard(network.cluster_bell(index)),
      network_(network),
      map_(map),
      index_(index),
      statistics_(statistics, fmt::format("cluster[{}]", index)),
      up_(network),
      down_(network) {}

void ClusterPort::receive() {
  wake_by(up_.collect(network_.cluster_requests(index_)));
  wake_by(down_.collect(network_.cluster_responses(index_)));
}

void ClusterPort::run(Cycle /*begin*/, Cycle end) {
  while (up_.next() < end) pass_request(up_.next());
  while (down_.next() < end) pass_response(down_.next());
  wake_ = std::min(up_.next(), down_.next());
}

void ClusterPort::pass_request(Cycle now) {
  Request& request = up_.messages[up_.head++];
  const unsigned data = request.kind == RequestKind::read ? 0 : request.bytes;
  statistics_.waited += now - request.arrival;
  ++statistics_.requests;
  request.arrival = up_.port.occupy(now, network_.occupancy(data)) + network_.behind_cluster();
  network_.requests(map_.slice(request.line, request.application)).send(request);
}

void ClusterPort::pass_response(Cycle now) {
  Response& response = down_.messages[down_.head++];
  statistics_.waited += now - response.arrival;
  ++statistics_.responses;
  response.arrival = down_.port.occupy(now, network_.occupancy(response.bytes)) + network_.before_cluster();
  network_.responses(response.sm).send(response);
}

std::string ClusterPort::describe() const {
  return fmt::format("cluster {}: {} requests and {} answers wait for its port\n", index_,
                     up_.messages.size() - up_.head, down_.messages.size() - down_.head);
}

}  // namespace heddle::memory
