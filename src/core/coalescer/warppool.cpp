// WarpPool: loads of many warps that touch one line go to the L1 as one request (Kloosterman et al., MICRO 2015;
// chapter 3 of Kloosterman 2018, to whose sections the numbers here refer). The way of an instruction:
//
//   instruction queues   one for three warps; lower warps first (3.3.2)
//   coalescers           turn an instruction into lines, one per cycle, and see how lanes use each line (3.3.3, 3.3.6)
//   merge queues         a line of a load waits there, and others join it (3.3.4)
//   selector             the oldest line goes to the L1, or that of the lowest warp (3.3.5); stores go when no load
//   does write back           what comes is handed to one load per cycle (3.3.7)
#include <algorithm>
#include <array>
#include <vector>

#include "base/diagnostics.h"
#include "base/ring.h"
#include "core/coalescer.h"
#include "core/coalescer/merge_queues.h"
#include "core/coalescer/warp_order.h"
#include "core/coalescer/write_back_queue.h"
#include "core/parameters.h"
#include "exec/code.h"
#include "sim/statistic.h"

namespace heddle::core {
namespace {

using sim::Cycle;

class WarpPool final : public QueuedCoalescer, private MemoryObserver {
 public:
  struct Parameters : sim::ParameterGroup {
    using ParameterGroup::ParameterGroup;
    sim::Parameter<unsigned> queues{*this,   "queues", 16,
                                    {1, 64}, "queues", "Instruction queues; warps share them evenly."};
    sim::Parameter<unsigned> depth{*this, "depth", 8, {1, 64}, "instructions", "Instructions that a queue holds."};
    sim::Parameter<unsigned> pops{*this,  "pops",         1,
                                  {1, 4}, "instructions", "Instructions that leave the queues per cycle."};
    sim::Parameter<unsigned> coalescers{*this, "coalescers", 2, {1, 8}, "units", "Coalescers side by side."};
    sim::Parameter<unsigned> merge_queues{*this, "merge_queues", 32, {1, 256}, "queues", "Queues in which lines meet."};
    sim::Parameter<unsigned> tags{*this, "tags", 2, {1, 16}, "lines", "Lines that such a queue holds."};
    sim::Parameter<unsigned> slots{*this, "slots", 4, {1, 32}, "loads", "Loads that one line serves at most."};
    sim::Flag duplicates{*this, "duplicates", false,
                         "A line whose slots are full may take another place of its queue."};
    sim::Parameter<unsigned> map_entries{
        *this, "map_entries", 8, {1, 64}, "entries", "Entries of the thread map table, for lines without a pattern."};
    sim::Flag whole_warps{*this, "whole_warps", false, "Only full warps count as consecutive or broadcast."};
    sim::Parameter<unsigned> insertion{
        *this,   "insertion",   2,
        {0, 16}, "core cycles", "From a coalescer to where a line can be selected; a store takes one less."};
    sim::Choice select{
        *this,
        "select",
        "switch",
        {"switch", "oldest", "warp-id"},
        "Which line goes next: the oldest, that of the lowest warp, or one or the other by the miss rate."};
    sim::Parameter<unsigned> quantum{
        *this, "quantum", 100'000, {100, 100'000'000}, "core cycles", "After which `switch` looks at the miss rate."};
    sim::Parameter<double> threshold{*this,  "threshold", 0.99,
                                     {0, 1}, "",          "Miss rate above which `switch` changes the order."};
    sim::Flag carry_over{*this, "carry_over", false, "The order and the quantum go on from kernel to kernel."};
    sim::Choice order{*this,
                      "order",
                      "counters",
                      {"counters", "flush", "loads-only", "none"},
                      "What keeps loads and stores in order. counters: a store waits until all accesses of its warp "
                      "have gone. flush: of the SM. loads-only: likewise, and loads wait until stores have gone. none: "
                      "nothing, to see what the others cost; checked runs refuse it."};
    sim::Parameter<unsigned> write_back{*this,   "write_back", 2,
                                        {1, 64}, "lines",      "Lines that wait to be handed to loads."};
    sim::Parameter<unsigned> writes{
        *this, "writes", 1, {1, 32}, "loads", "Loads that get their data of a line per cycle; the document has one."};
  };
  struct Statistics : sim::StatisticGroup {
    using StatisticGroup::StatisticGroup;
    sim::Counter requests{*this, "requests", "lines", "Lines of loads that went to the L1."};
    sim::Counter served{*this, "served", "lines", "Lines of loads that those served."};
    sim::Counter single{*this, "single", "lines", "Lines of loads with one lane."};
    sim::Counter consecutive{*this, "consecutive", "lines", "Lines of which each lane takes the word of its number."};
    sim::Counter broadcast{*this, "broadcast", "lines", "Lines of which all lanes take one word."};
    sim::Counter range{*this, "range", "lines", "Lines of which a run of lanes takes a run of words."};
    sim::Counter irregular{*this, "irregular", "lines", "Lines that need the thread map table."};
    sim::Counter stall_tag{*this, "stall_tag", "core cycles", "In which a coalescer found no place for a line."};
    sim::Counter stall_slot{*this, "stall_slot", "core cycles", "In which the place of its line was full."};
    sim::Counter stall_map{*this, "stall_map", "core cycles", "In which the thread map table was full."};
    sim::Counter stall_port{*this, "stall_port", "core cycles", "In which another coalescer had the same queue."};
    sim::Counter switches{*this, "switches", "times", "Changes of the order."};
    sim::Counter longest_store{*this, "longest_store", "core cycles", "Longest wait of a store for the L1.",
                               sim::Counter::Merge::most};
    sim::Counter storage{*this, "storage", "bits", "What an SM stores for it (Table 3.1).", sim::Counter::Merge::most};
    sim::Formula merging{*this, "merging", "loads", "Loads that a request to the L1 serves.", [this] {
                           return requests.value() == 0
                                      ? 0
                                      : static_cast<double>(served.value()) / static_cast<double>(requests.value());
                         }};
  };

  WarpPool(const sim::Context& context, const Setup& setup)
      : p_(context.parameters<Parameters>()),
        statistics_(context),
        setup_(setup),
        warps_per_queue_((setup.parameters.warps + p_.queues - 1) / p_.queues),
        queues_(p_.queues),
        units_(p_.coalescers),
        lines_({p_.merge_queues, p_.tags, p_.slots, p_.duplicates}, setup.parameters.l1, setup.served),
        write_back_(p_.write_back, p_.writes),
        inserted_(p_.merge_queues) {
    if (keeps_no_order_ && setup.checked)
      throw UserError(
          "sm.warppool.order = none: a checked run (check_lines) sees that loads and stores lose their order");
    start_kernel(0);
  }

  void add(std::uint32_t group) override {
    const LineGroup& g = setup_.groups.at(group);
    const WarpSet homes = order_.warps(g.warp);
    setup_.instructions.at(g.instruction).homes = homes;
    order_.issued(homes, g.kind == MemoryKind::load);
    const unsigned queue = g.warp / warps_per_queue_;
    queues_[queue].push_back(group);
    if (queues_[queue].size() >= p_.depth) full_ |= warps_of(queue);
    ++waiting_;
    progress_ = true;
  }

  [[nodiscard]] WarpSet refuses(WarpSet loads, WarpSet others) const override {
    const WarpSet no_room = (loads | others) & full_;
    if (keeps_no_order_) return no_room;
    WarpSet refused = order_.refuses(loads, others) | no_room;
    if (flushes_ && !order_.empty()) refused |= others;
    if (loads_only_ && order_.has_others()) refused |= loads;
    return refused;
  }

  void slot_has(unsigned slot, WarpSet warps) override { order_.slot_has(slot, warps); }

  void tick(Cycle now) override {
    progress_ = false;
    std::fill(inserted_.begin(), inserted_.end(), 0);
    for (Unit& unit : units_) {
      if (unit.group != kNone && unit.from <= now) emit(unit, now);
    }
    for (unsigned pops = p_.pops; pops != 0 && waiting_ != 0; --pops) {
      const auto unit = std::find_if(units_.begin(), units_.end(), [](const Unit& u) { return u.group == kNone; });
      if (unit == units_.end() || !pop(*unit, now)) break;
    }
  }

  [[nodiscard]] std::uint32_t next(Cycle now) override {
    if (given_.group != kNone) return given_.group;
    if (!lines_.empty()) {
      if (write_back_.full(now)) return kNone;
      if (const auto tag = select(now)) return give_load(*tag);
    }
    return give_store(now);
  }

  void left() override {
    if (given_.unit != nullptr) {
      Unit& unit = *given_.unit;
      if (++unit.next == setup_.groups.at(unit.group).lines.size()) free(unit);
    } else {
      lines_.remove(given_.tag);
    }
    given_ = {};
    progress_ = true;
  }

  void taken(const LineGroup& group, const LineRequest& line) override {
    if (group.kind != MemoryKind::load) return order_.taken(setup_.instructions.at(group.instruction).homes);
    ++statistics_.requests;
    for (const Served& served : setup_.served.at(line.others)) {
      ++statistics_.served;
      order_.taken(setup_.instructions.at(served.instruction).homes);
    }
  }

  [[nodiscard]] bool empty() const override {
    return waiting_ == 0 && lines_.empty() &&
           std::all_of(units_.begin(), units_.end(), [](const Unit& u) { return u.group == kNone; });
  }
  // What does not go on by itself goes on when the L1 does.
  [[nodiscard]] Cycle wakes_at(Cycle now) const override { return progress_ ? now + 1 : next_operands_; }

  void start_kernel(Cycle now) override {
    statistics_.storage.set(storage());
    if (p_.carry_over && now != 0) return;
    by_warp_ = p_.select.is("warp-id");
    quantum_end_ = now + p_.quantum;
    loads_ = misses_ = 0;
  }

  [[nodiscard]] Patterns patterns() const override { return {true, p_.whole_warps}; }
  [[nodiscard]] bool can_return(Cycle now) override { return !write_back_.full(now); }
  [[nodiscard]] Cycle returned(const std::vector<Served>& served, Cycle now) override {
    const Cycle first = write_back_.add(served.size(), now);
    for (std::size_t i = 0; i < served.size(); ++i) {
      if (served[i].mapped) map_freed_.push_back(first + i / p_.writes);
    }
    return first;
  }
  [[nodiscard]] unsigned served_per_cycle() const override { return p_.writes; }
  [[nodiscard]] MemoryObserver* observer() override { return this; }

 private:
  /// A coalescer at work.
  struct Unit {
    std::uint32_t group = kNone;
    std::size_t next = 0;  ///< line
    Cycle from = 0;        ///< the next line goes no earlier
    bool has_store = false;
  };
  /// What next() has given out: a line of the merge queues, or of a coalescer that has a store.
  struct Given {
    std::uint32_t group = kNone;
    std::uint32_t tag = 0;
    Unit* unit = nullptr;
  };

  void l1(const L1Lookup& lookup) override {
    ++loads_;
    if (!lookup.hit) ++misses_;
  }

  [[nodiscard]] WarpSet warps_of(unsigned queue) const {
    const unsigned first = queue * warps_per_queue_;
    const WarpSet some = warps_per_queue_ >= 64 ? ~WarpSet{0} : (WarpSet{1} << warps_per_queue_) - 1;
    return first >= 64 ? 0 : some << first;
  }

  /// Takes the first instruction of the first queue whose operands are there. False: there is none.
  bool pop(Unit& unit, Cycle now) {
    next_operands_ = sim::kNever;
    for (unsigned q = 0; q < queues_.size(); ++q) {
      if (queues_[q].empty()) continue;
      const LineGroup& group = setup_.groups.at(queues_[q].front());
      if (group.operands_at > now) {
        next_operands_ = std::min(next_operands_, group.operands_at);
        continue;
      }
      unit = {queues_[q].front(), 0, now + 1, group.kind != MemoryKind::load};
      order_.expanded(setup_.instructions.at(group.instruction).homes, group.lines.size());
      if (unit.has_store) unit.from += store_latency();
      queues_[q].pop_front();
      full_ &= ~warps_of(q);
      --waiting_;
      progress_ = true;
      return true;
    }
    return false;
  }

  void free(Unit& unit) {
    setup_.groups.release(unit.group);
    unit = {};
  }

  /// The next line of a load goes into the merge queues, if it can.
  void emit(Unit& unit, Cycle now) {
    if (unit.has_store) return;
    const LineGroup& group = setup_.groups.at(unit.group);
    LineRequest line = group.lines[unit.next];
    const unsigned queue = lines_.queue_of(line);
    if (inserted_[queue] != 0) {
      ++statistics_.stall_port;
      progress_ = true;
      return;
    }
    line.first.mapped = line.pattern == Pattern::irregular;
    if (line.first.mapped && map_used(now) >= p_.map_entries) {
      ++statistics_.stall_map;
      return;
    }
    const bool merges = !setup_.instructions.at(line.first.instruction).op->instruction->is_volatile;
    switch (lines_.add({line, group, merges, now + p_.insertion})) {
      case MergeQueues::Result::no_slot:
        ++statistics_.stall_slot;
        return;
      case MergeQueues::Result::no_tag:
        ++statistics_.stall_tag;
        return;
      case MergeQueues::Result::merged:
        if (given_.group != kNone && given_.unit == nullptr) {
          LineGroup& given = setup_.groups.at(given_.group);
          given.lines[0].sectors = lines_.at(given_.tag).from.line.sectors;
          given.homes = lines_.at(given_.tag).from.homes;
        }
        break;
      case MergeQueues::Result::opened:
        break;
    }
    inserted_[queue] = 1;
    if (line.first.mapped) ++map_taken_;
    ++pattern_counter(line.pattern);
    progress_ = true;
    if (++unit.next == group.lines.size()) free(unit);
  }

  [[nodiscard]] sim::Counter& pattern_counter(Pattern pattern) {
    switch (pattern) {
      case Pattern::single:
        return statistics_.single;
      case Pattern::consecutive:
        return statistics_.consecutive;
      case Pattern::broadcast:
        return statistics_.broadcast;
      case Pattern::range:
        return statistics_.range;
      default:
        return statistics_.irregular;
    }
  }

  [[nodiscard]] unsigned map_used(Cycle now) {
    while (!map_freed_.empty() && map_freed_.front() <= now) {
      map_freed_.pop_front();
      --map_taken_;
    }
    return map_taken_;
  }

  [[nodiscard]] std::optional<std::uint32_t> select(Cycle now) {
    if (p_.select.is("switch") && now >= quantum_end_) {
      if (loads_ != 0 && static_cast<double>(misses_) > p_.threshold * static_cast<double>(loads_)) {
        by_warp_ = !by_warp_;
        ++statistics_.switches;
      }
      loads_ = misses_ = 0;
      quantum_end_ = now + p_.quantum;
    }
    return by_warp_ ? lines_.lowest_warp(now) : lines_.oldest(now);
  }

  [[nodiscard]] std::uint32_t give_load(std::uint32_t tag) {
    given_ = {lines_.at(tag).from.make_group(setup_.groups), tag, nullptr};
    return given_.group;
  }

  /// A line of the coalescer whose store has waited longest.
  [[nodiscard]] std::uint32_t give_store(Cycle now) {
    Unit* first = nullptr;
    for (Unit& unit : units_) {
      if (unit.group == kNone || !unit.has_store || unit.from > now) continue;
      if (first == nullptr || unit.from < first->from) first = &unit;
    }
    if (first == nullptr) return kNone;
    statistics_.longest_store.at_least(now - first->from);
    const LineGroup& group = setup_.groups.at(first->group);
    given_ = {LoneLine(group, group.lines[first->next]).make_group(setup_.groups), 0, first};
    return given_.group;
  }

  /// A store leaves before lines of loads are put into queues.
  [[nodiscard]] Cycle store_latency() const { return p_.insertion == 0 ? 0 : p_.insertion - 1; }

  /// Table 3.1: instructions, addresses and store data of the coalescers, tags with their slots, map table, and a
  /// slot's data for everybody who can wait for a miss.
  [[nodiscard]] std::uint64_t storage() const {
    constexpr std::uint64_t kInstruction = 37;
    constexpr std::uint64_t kCoalescer = 256 * 8;
    constexpr std::uint64_t kTag = 32;
    constexpr std::uint64_t kSlot = 23;
    constexpr std::uint64_t kMap = 321;
    const L1Parameters& l1 = setup_.parameters.l1;
    return std::uint64_t{p_.queues} * p_.depth * kInstruction + p_.coalescers * kCoalescer +
           std::uint64_t{p_.merge_queues} * p_.tags * (kTag + p_.slots * kSlot) + p_.map_entries * kMap +
           std::uint64_t{l1.mshrs} * l1.mshr_merges * p_.slots * kSlot;
  }

  const Parameters& p_;
  Statistics statistics_;
  Setup setup_;
  unsigned warps_per_queue_;
  bool keeps_no_order_ = p_.order.is("none");
  bool loads_only_ = p_.order.is("loads-only");
  bool flushes_ = loads_only_ || p_.order.is("flush");
  std::vector<Ring<std::uint32_t>> queues_;  ///< groups
  std::vector<Unit> units_;
  MergeQueues lines_;
  WriteBackQueue write_back_;
  std::vector<std::uint8_t> inserted_;  ///< merge queues that got a line in this cycle
  WarpOrder order_;
  WarpSet full_ = 0;      ///< warps whose queue is full
  unsigned waiting_ = 0;  ///< instructions in the queues
  Given given_;
  unsigned map_taken_ = 0;
  Ring<Cycle> map_freed_;  ///< when entries that are taken will be free
  bool progress_ = false;  ///< something moved in this cycle
  Cycle next_operands_ = sim::kNever;
  bool by_warp_ = false;
  Cycle quantum_end_ = 0;
  std::uint64_t loads_ = 0;  ///< in this quantum, with the next
  std::uint64_t misses_ = 0;
};

[[maybe_unused]] const bool kRegisteredWarppool = CoalescerRegistry::instance().add<WarpPool>(
    "warppool", "WarpPool: loads of several warps that touch one line share a request.");

}  // namespace
}  // namespace heddle::core
