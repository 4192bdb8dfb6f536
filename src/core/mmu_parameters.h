// Address translation in an SM, as parameters and statistics.
#pragma once

#include "core/translation_policy.h"
#include "memory/lifetimes.h"
#include "vm/tlb.h"
#include "vm/walker.h"

namespace heddle::core {

struct MmuParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Choice kind{*this,
                   "kind",
                   "none",
                   {"none", "ideal", "tlb", "after-l1", "after-l2"},
                   "No translation, translation that misses only on the first touch of a page, a real TLB before the "
                   "L1, one behind a virtual L1, or none in the SM: L1 and L2 are virtual (mmu.kind = "
                   "forward-backward)."};
  sim::Plug<TranslationPolicyRegistry> policy{*this, "policy", "independent",
                                              "What may go on while page walks are under way."};
  sim::Flag by_page{*this, "by_page", false, "An instruction looks each page up once, not each line."};
  sim::Flag per_lane{
      *this, "per_lane", false,
      "Each lane has a TLB of its own, with so many entries as sm.mmu.tlb says, and all look up at once."};
  sim::Choice walks{*this, "walks", "private", {"private", "shared"}, "Who walks: this SM or the shared unit (mmu)."};
  sim::Flag merge{*this, "merge", true,
                  "Misses of a page that is being translated wait for that; off: each asks for itself."};
  sim::Choice rw_synonyms{*this,
                          "rw_synonyms",
                          "fault",
                          {"fault", "replay"},
                          "A write under another name than that of cached lines: the end of the run, or made good. Of "
                          "virtual caches."};
  sim::Parameter<unsigned> synonyms{*this,
                                    "synonyms",
                                    0,
                                    {0, 4096},
                                    "pages",
                                    "Pages whose loads are known to be synonyms, which go to a virtual L1 and L2 under "
                                    "the leading name of their frame; 0: all are replayed behind the L2."};
  sim::Flag locate{*this, "locate", false,
                   "Count where the line of each miss was: in this SM's L1, in the L2, or in neither."};
  sim::Parameter<unsigned> lifetime_step = memory::make_lifetime_step(*this);
  sim::Flag one_root{*this, "one_root", false,
                     "An SM has one page-table root: blocks of another application come when those of the one before "
                     "have ended, and TLBs forget that one."};
  sim::Parameter<unsigned> mshrs{*this, "mshrs", 32, {1, 65536}, "pages", "Pages that may be missing at once."};
  sim::Parameter<unsigned> waiting{*this,      "waiting",      256,
                                   {1, 65536}, "instructions", "Memory instructions that may wait for translations."};
  sim::Parameter<unsigned> ideal_step{
      *this,     "ideal_step",  1,
      {0, 1000}, "core cycles", "The ideal unit takes this long for each level of a first touch."};
  sim::Parameter<unsigned> ideal_latency{
      *this, "ideal_latency", 0, {0, 1000}, "core cycles", "The ideal unit delays every access by this much."};
  vm::TlbParameters tlb{*this, "tlb", "The TLB of an SM.", 128};
  vm::TlbParameters tlb2{*this, "tlb2", "A second level behind the TLB of an SM; what misses there is looked up here.",
                         0};
  vm::WalkerParameters walker{*this, "walker", "A page-table walker of the SM's own."};

  [[nodiscard]] bool before_l1() const { return kind.is("ideal") || kind.is("tlb"); }
  [[nodiscard]] bool virtual_l1() const { return kind.is("after-l1") || virtual_l2(); }
  [[nodiscard]] bool virtual_l2() const { return kind.is("after-l2"); }
};

struct MmuStatistics : sim::StatisticGroup {
  explicit MmuStatistics(sim::StatisticGroup& parent) : StatisticGroup(parent, "mmu") {}
  sim::ApplicationCounter instructions{*this, "instructions", "instructions",
                                       "Memory instructions that looked pages up."};
  sim::ApplicationCounter lookups{*this, "lookups", "lookups", "Lookups in the TLB."};
  sim::ApplicationCounter hits{*this, "hits", "lookups", "Of those, hits."};
  sim::ApplicationCounter second_hits{*this, "second_hits", "lookups",
                                      "Of the hits, those of the SM's second-level TLB."};
  sim::ApplicationCounter misses{*this, "misses", "lookups", "Of those, misses."};
  sim::ApplicationCounter merged{*this, "merged", "lookups", "Misses of a page that was being walked already."};
  sim::ApplicationCounter outstanding{
      *this, "outstanding", "lookups",
      "Misses without translation when another comes, those of the same page included, summed."};
  sim::ApplicationCounter most_outstanding{*this, "most_outstanding", "lookups",
                                           "Most misses without translation at once.", sim::Counter::Merge::most};
  sim::ApplicationCounter in_l1{*this, "in_l1", "lookups",
                                "Misses whose line was in this SM's L1 (with sm.mmu.locate)."};
  sim::ApplicationCounter in_l2{*this, "in_l2", "lookups", "Misses whose line was in the L2 and not in this SM's L1."};
  sim::ApplicationCounter in_memory{*this, "in_memory", "lookups", "Misses whose line was in neither."};
  sim::ApplicationCounter in_l1_stores{*this, "in_l1_stores", "lookups", "Of those in the L1, stores and atomics."};
  sim::ApplicationCounter in_l2_stores{*this, "in_l2_stores", "lookups", "Of those in the L2, stores and atomics."};
  sim::ApplicationCounter in_memory_stores{*this, "in_memory_stores", "lookups",
                                           "Of those in neither, stores and atomics."};
  sim::ApplicationCounter soon_after{*this, "soon_after", "lookups", "Misses within 500 cycles of the one before."};
  sim::ApplicationCounter rejected{*this, "rejected", "instructions", "Sent away to come back when walks have ended."};
  sim::ApplicationCounter miss_latency{*this, "miss_latency", "core cycles",
                                       "From a miss to its translation, summed over all misses, merged ones included."};
  sim::ApplicationCounter walked{*this, "walked", "pages", "Pages that were walked for, merged misses counted once."};
  sim::ApplicationCounter warps_stalled{*this, "warps_stalled", "warps", "Warps that waited for those walks, summed."};
  sim::ApplicationCounter most_warps_stalled{*this, "most_warps_stalled", "warps",
                                             "Most warps that waited for one walk.", sim::Counter::Merge::most};
  sim::ApplicationCounter stale{*this, "stale", "answers", "Translations that a flush overtook on their way here."};
  sim::ApplicationCounter stall_walker{*this, "stall_walker", "core cycles",
                                       "Lookups that wait for room in the walker's queue or at the shared unit."};
  sim::ApplicationCounter stall_mshrs{*this, "stall_mshrs", "core cycles",
                                      "The first instruction waited for an entry for its miss."};
  sim::ApplicationCounter stall_waiting{*this, "stall_waiting", "core cycles",
                                        "The first instruction waited because too many wait for translations."};
  sim::ApplicationCounter pages{*this, "pages", "pages", "Distinct pages of those instructions, summed."};
  sim::ApplicationCounter most_pages{*this, "most_pages", "pages", "Most pages of one instruction.",
                                     sim::Counter::Merge::most};
  sim::ApplicationCounter pages_1{*this, "pages_1", "instructions", "Instructions with one page."};
  sim::ApplicationCounter pages_2_3{*this, "pages_2_3", "instructions", "With two or three pages."};
  sim::ApplicationCounter pages_4_7{*this, "pages_4_7", "instructions", "With four to seven pages."};
  sim::ApplicationCounter pages_8_15{*this, "pages_8_15", "instructions", "With eight to fifteen pages."};
  sim::ApplicationCounter pages_16_32{*this, "pages_16_32", "instructions", "With sixteen pages or more."};
  vm::WalkerStatistics walker{*this, "walker"};
};

}  // namespace heddle::core
