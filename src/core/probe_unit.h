// Probes that come to an SM: others ask it to give up what its L1 has (memory/network.h).
#pragma once

#include <vector>

#include "core/l1_cache.h"
#include "core/synonym_table.h"
#include "memory/network.h"

namespace heddle::core {

class ProbeUnit {
 public:
  ProbeUnit(memory::Network& network, std::uint16_t sm) : network_(network), sm_(sm) {}

  /// Takes the probes that are on their way; returns when the first comes.
  [[nodiscard]] sim::Cycle collect() {
    probes_.erase(probes_.begin(), probes_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
    return network_.probes(sm_).collect(probes_);
  }
  [[nodiscard]] bool has_work() const { return head_ < probes_.size() || !waiting_.empty(); }
  /// The next cycle after `now` in which tick() can do something by itself.
  [[nodiscard]] sim::Cycle next(sim::Cycle now) const {
    return head_ < probes_.size() ? std::max(probes_[head_].arrival, now + 1) : sim::kNever;
  }
  void tick(L1Cache& l1, SynonymTable& synonyms, sim::Cycle now) {
    for (; head_ < probes_.size() && probes_[head_].arrival <= now; ++head_) {
      const memory::Probe& probe = probes_[head_];
      if (probe.kind == memory::Probe::Kind::flush) {
        waiting_.push_back({probe, l1.give_up_all()});
      } else if (probe.kind == memory::Probe::Kind::page) {
        l1.invalidate_page(probe.line, probe.page_bits);
        waiting_.push_back({probe, 0});
      } else if (probe.kind == memory::Probe::Kind::synonym) {
        synonyms.learn(probe.own, probe.line);
      } else if (probe.kind == memory::Probe::Kind::names) {
        synonyms.forget(probe.line, probe.page_bits, true);
        waiting_.push_back({probe, 0, l1.renamed()});
      } else if (const auto flush = l1.invalidate(probe.line, now)) {
        waiting_.push_back({probe, *flush});
      } else {
        break;  // there is no room for what it must write back
      }
    }
    std::erase_if(waiting_, [&](const Waiting& each) {
      if (!l1.flushed(each.flush) || !l1.has_come(each.renamed)) return false;
      if (each.probe.kind == memory::Probe::Kind::flush) l1.drop_clean();
      if (each.probe.answer_to != nullptr)
        each.probe.answer_to->send({each.probe.id, sm_, now + network_.parameters().latency});
      return true;
    });
  }

 private:
  struct Waiting {
    memory::Probe probe;
    std::uint64_t flush = 0;    ///< of the L1, that must have ended
    std::uint64_t renamed = 0;  ///< loads by other names that must have come
  };

  memory::Network& network_;
  std::uint16_t sm_;
  std::vector<memory::Probe> probes_;  ///< from head_ on: ordered by arrival
  std::size_t head_ = 0;
  std::vector<Waiting> waiting_;
};

}  // namespace heddle::core
