#include "runtime/streams.h"

#include <algorithm>

namespace heddle::runtime {

Stream Streams::create(std::uint16_t application) {
  queues_[next_];
  owners_[next_] = application;
  return next_++;
}

void Streams::destroy(Stream stream) {
  // A queue with work in it stays, so that the work still runs.
  const auto found = queues_.find(stream);
  if (found != queues_.end() && found->second.empty()) queues_.erase(found);
}

void Streams::push(Stream stream, std::unique_ptr<Operation> operation) {
  queues_[stream].push_back(std::move(operation));
}

bool Streams::idle(Stream stream) const {
  const auto found = queues_.find(stream);
  return found == queues_.end() || found->second.empty();
}

bool Streams::idle() const {
  return std::all_of(queues_.begin(), queues_.end(), [](const auto& queue) { return queue.second.empty(); });
}

bool Streams::idle_of(std::uint16_t application) const {
  return std::all_of(queues_.begin(), queues_.end(),
                     [&](const auto& queue) { return queue.second.empty() || owners_.at(queue.first) != application; });
}

void Streams::drop(std::uint16_t application) {
  for (auto& [stream, queue] : queues_) {
    if (owners_.at(stream) == application && queue.size() > 1) queue.erase(queue.begin() + 1, queue.end());
  }
}

void Streams::clear() {
  for (auto& [stream, queue] : queues_) queue.clear();
}

void Streams::advance(sim::Cycle now) {
  if (advancing_) return;  // called by a host function that queued more: the loop below sees it
  advancing_ = true;
  // An operation that ends may let one of another stream go on: until nothing moves.
  for (bool moved = true; moved;) {
    moved = false;
    for (auto& [stream, queue] : queues_) {
      while (!queue.empty()) {
        // A host function may queue more while it runs: references into a map and to the front of a deque stay good.
        bool ended = false;
        try {
          ended = queue.front()->advance(now);
        } catch (...) {
          queue.pop_front();
          advancing_ = false;
          throw;
        }
        if (!ended) break;
        queue.pop_front();
        moved = true;
      }
    }
  }
  advancing_ = false;
}

sim::Cycle Streams::wakes_at() const {
  sim::Cycle next = sim::kNever;
  for (const auto& [stream, queue] : queues_) {
    if (!queue.empty()) next = std::min(next, queue.front()->ends_at());
  }
  return next;
}

}  // namespace heddle::runtime
