#include "reference_driver.h"

#include <cmath>
#include <deque>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>

#include "memory/dram.h"
#include "memory/dram_address_map.h"

namespace heddle::memory {

std::vector<Line> read_table(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  std::vector<std::string> names;
  std::vector<Line> lines;
  for (std::string text; std::getline(in, text);) {
    if (text.empty() || text[0] == '#') continue;
    std::vector<std::string> cells;
    std::istringstream row(text);
    for (std::string cell; std::getline(row, cell, ',');) cells.push_back(cell);
    if (names.empty()) {
      names = cells;
      continue;
    }
    Line line;
    for (std::size_t i = 0; i < cells.size(); ++i) line[names[i]] = cells[i];
    lines.push_back(std::move(line));
  }
  return lines;
}

namespace {

std::int64_t number(const Line& line, const std::string& name) {
  return line.at(name) == "nan" ? 0 : std::stoll(line.at(name));
}

}  // namespace

ReferenceParameters::ReferenceParameters(const Line& timing, bool closed) {
  const auto put = [&](const char* key, std::int64_t value) { set(key, sim::ParameterValue(value)); };
  for (const char* key : {"tRCD_read", "tRCD_write", "tRP", "tRAS", "tRC", "tFAW", "t32AW", "tWR", "tRTP", "tRFC",
                          "tREFI", "tRTRS", "burst_length", "burst_cycles", "ranks", "bank_groups"}) {
    put(key, number(timing, key));
  }
  put("tCL", number(timing, "CL"));
  put("tCWL", number(timing, "CWL"));
  // A reference without bank groups uses the shorter of each pair throughout.
  const bool groups = number(timing, "bank_groups") > 1;
  for (const std::string pair : {"tCCD", "tRRD", "tWTR"}) {
    put((pair + "_S").c_str(), number(timing, pair + "_S"));
    put((pair + "_L").c_str(), number(timing, pair + (groups ? "_L" : "_S")));
  }
  set("clock_mhz", 1000.0 / std::stod(timing.at("tCK_ns")));
  put("bus_bytes", number(timing, "bus_width_bits") / 8);
  put("banks_per_group", number(timing, "banks_per_group"));
  put("row_bytes", number(timing, "row_bytes_per_rank"));
  // Transactions wait in queues of 32 and move to queues of 8 per bank; writes are drained from a full queue, or from
  // more than eight when the banks have nothing to do.
  put("read_queue", number(timing, "trans_queue_size"));
  put("write_queue", number(timing, "trans_queue_size"));
  put("bank_queue", number(timing, "cmd_queue_size"));
  put("drain_high", number(timing, "trans_queue_size"));
  put("drain_low", 0);
  put("drain_idle", 9);
  const bool hbm = timing.at("address_mapping") == "rorabgbachco";
  set("mapping", std::string(hbm ? "row:rank:bankgroup:bank:column" : "row:rank:bank:bankgroup:column"));
  set("row_policy", std::string(closed ? "closed" : "open"));
  set("split_command_bus", hbm);
  set("scheduler", std::string("bank-round-robin"));
  set("check", true);
}

namespace {

struct Access {
  unsigned channel = 0;
  std::uint64_t address = 0;
  bool write = false;
};

class Driver {
 public:
  Driver(const Line& timing, const Line& reference)
      : p_(timing, reference.at("config").ends_with("+CLOSE_PAGE")),
        map_(p_),
        channels_(static_cast<unsigned>(number(reference, "channels"))),
        rows_(static_cast<std::uint32_t>(number(timing, "rows"))),
        columns_(p_.row_bytes / p_.burst_bytes()),
        capacity_(std::uint64_t{rows_} * p_.banks() * columns_ * channels_),
        pattern_(reference.at("pattern")),
        rate_(std::stod(reference.at("injection_requests_per_cycle"))) {
    for (unsigned i = 0; i < channels_; ++i) units_.push_back(std::make_unique<Unit>(p_, root_, i));
    if (pattern_.starts_with("single_outstanding")) outstanding_ = 1;
    if (pattern_.starts_with("idle_")) {
      outstanding_ = 1;
      gap_ = 200;
    }
    if (pattern_.starts_with("rand_read_closedloop_"))
      outstanding_ = static_cast<unsigned>(std::stoul(pattern_.substr(21)));
  }

  Measured run(std::uint64_t cycles) {
    const std::uint64_t warm = cycles / 10;
    for (std::uint64_t now = 0; now < warm + cycles; ++now) {
      if (now == warm) {
        root_.reset_all();
        latency_sum_ = answered_ = 0;
      }
      if (outstanding_ != 0) {
        while (in_flight_ < outstanding_ && now >= next_send_ && offer()) ++in_flight_;
      } else {
        credit_ += rate_;
        while (credit_ >= 1 && offer()) credit_ -= 1;
      }
      for (const auto& unit : units_) step(*unit, now);
    }
    const auto totals = sim::totals(root_);
    const auto bursts = static_cast<double>(totals.at("dram.channel.reads") + totals.at("dram.channel.writes"));
    return {bursts * p_.burst_cycles / (static_cast<double>(cycles) * channels_),
            static_cast<double>(latency_sum_) / static_cast<double>(answered_),
            static_cast<double>(totals.at("dram.channel.row_hits")) / bursts};
  }

 private:
  struct Unit {
    Unit(const DramParameters& p, sim::StatisticGroup& root, unsigned index)
        : channel(p, root, "channel[" + std::to_string(index) + "]") {}
    DramChannel channel;
    std::deque<Access> source;
    std::vector<std::uint64_t> accepted;  // by token
    std::vector<std::uint32_t> done;
  };

  /// Puts the next request in front of its channel if there is room.
  bool offer() {
    if (!pending_) next_ = generate();
    pending_ = units_[next_.channel]->source.size() >= 256;
    if (!pending_) units_[next_.channel]->source.push_back(next_);
    return !pending_;
  }

  void step(Unit& unit, std::uint64_t now) {
    if (!unit.source.empty() && unit.channel.can_accept(unit.source.front().write)) {
      const Access& access = unit.source.front();
      // The highest bit of a token tells a write.
      const std::uint32_t token = static_cast<std::uint32_t>(unit.accepted.size()) | (access.write ? 1u << 31 : 0);
      unit.channel.push({access.address, token, 0, access.write}, DramCycle(now));
      unit.accepted.push_back(now);
      unit.source.pop_front();
    }
    unit.done.clear();
    unit.channel.tick(DramCycle(now), unit.done);
    for (const std::uint32_t token : unit.done) {
      if (token >> 31 != 0) continue;
      latency_sum_ += now - unit.accepted[token];
      ++answered_;
      --in_flight_;
      next_send_ = now + 1 + gap_;
    }
  }

  /// The burst at a position of the whole memory: above the column come channel and bank as the reference orders them.
  [[nodiscard]] Access at(std::uint64_t burst, bool write) const {
    burst %= capacity_;
    const std::uint64_t column = burst % columns_;
    const std::uint64_t above = burst / columns_;
    return {static_cast<unsigned>(above % channels_), (above / channels_ * columns_ + column) * p_.burst_bytes(),
            write};
  }
  [[nodiscard]] Access in_bank_0(std::uint64_t row, std::uint64_t column, std::uint64_t channel) const {
    const DramPlace place{static_cast<std::uint32_t>(row % rows_), static_cast<std::uint32_t>(column % columns_), 0, 0,
                          0};
    return {static_cast<unsigned>(channel % channels_), map_.address(place), false};
  }
  Access anywhere(bool write) { return at(random_() % capacity_, write); }

  Access generate() {
    const std::uint64_t i = count_++;
    const std::uint64_t turn = i / channels_;
    if (pattern_ == "seq_read") return at(i, false);
    if (pattern_ == "seq_write") return at(i, true);
    if (pattern_ == "mix_2r1w_seq") return at(i, i % 3 == 2);
    if (pattern_ == "mix_2r1w_3arrays") return at(i / 3 + i % 3 * (capacity_ / 3), i % 3 == 2);
    if (pattern_ == "mix_2r1w_rand") return anywhere(i % 3 == 2);
    if (pattern_ == "rand_write") return anywhere(true);
    if (pattern_ == "rand_read_50hit") {
      const std::uint64_t row = last_burst_ / columns_ * columns_;
      last_burst_ = random_() % 2 == 0 ? row + (last_burst_ + 1) % columns_ : random_() % capacity_;
      return at(last_burst_, false);
    }
    if (pattern_ == "row_hit_1bank") return in_bank_0(0, turn, i);
    if (pattern_ == "bank_pingpong_2rows") return in_bank_0(turn % 2, turn / 2, i);
    if (pattern_ == "bank_conflict_newrow") return in_bank_0(turn, 0, i);
    if (pattern_.find("rowhit") != std::string::npos) return in_bank_0(0, i, 0);
    if (pattern_.find("rowconflict") != std::string::npos) return in_bank_0(i, 0, 0);
    return anywhere(false);  // rand_read, closed loop, idle_read_rand, idle_read_bankclosed
  }

  ReferenceParameters p_;
  DramAddressMap map_;
  unsigned channels_;
  std::uint32_t rows_;
  std::uint64_t columns_;
  std::uint64_t capacity_;  // in bursts, all channels
  std::string pattern_;
  double rate_;
  unsigned outstanding_ = 0;  // 0: open loop
  std::uint64_t gap_ = 0;
  sim::StatisticGroup root_{"dram"};
  std::vector<std::unique_ptr<Unit>> units_;
  std::mt19937_64 random_{12345};
  std::uint64_t count_ = 0;
  std::uint64_t last_burst_ = 0;
  Access next_;
  bool pending_ = false;
  double credit_ = 0;
  unsigned in_flight_ = 0;
  std::uint64_t next_send_ = 0;
  std::uint64_t latency_sum_ = 0;
  std::uint64_t answered_ = 0;
};

}  // namespace

Measured replay(const Line& timing, const Line& reference, std::uint64_t cycles) {
  return Driver(timing, reference).run(cycles);
}

}  // namespace heddle::memory
