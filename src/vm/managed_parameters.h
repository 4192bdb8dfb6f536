// Managed memory that migrates between host and device: what it costs, and what is counted.
#pragma once

#include "sim/parameter.h"
#include "sim/statistic.h"
#include "vm/page_growth.h"

namespace heddle::vm {

struct ManagedParameters : sim::ParameterGroup {
  using ParameterGroup::ParameterGroup;
  sim::Flag migrates{*this, "migrates", false,
                     "Pages of managed memory are on the host or on the device and move when the other side touches "
                     "them. If not, they are on the device from the start and cost nothing."};
  sim::Choice host{*this,
                   "host",
                   "watched",
                   {"watched", "all", "none"},
                   "What the host is taken to touch between two calls of the library: what it did touch (by the "
                   "present bits of /proc/self/pagemap; where there are none, as with all), every page that is not "
                   "on the host, or nothing."};
  sim::Parameter<unsigned> fault_ns{*this,
                                    "fault_ns",
                                    20000,
                                    {0, 10000000},
                                    "ns",
                                    "What the host takes for a batch of faults, beside "
                                    "what it takes for their chunks."};
  sim::Parameter<unsigned> gather_ns{*this,
                                     "gather_ns",
                                     10000,
                                     {0, 10000000},
                                     "ns",
                                     "Of this, the time until the host looks which faults there are: later ones are of "
                                     "the next batch."};
  sim::Parameter<unsigned> wake_ns{*this,
                                   "wake_ns",
                                   0,
                                   {0, 10000000},
                                   "ns",
                                   "So much later it looks for the first batch since the "
                                   "program had its turn."};
  sim::Parameter<unsigned> batch{*this, "batch", 256, {1, 65536}, "pages", "Most faults in a batch."};
  sim::Parameter<unsigned> waiting{*this,
                                   "waiting",
                                   256,
                                   {1, 65536},
                                   "instructions",
                                   "Parts of memory instructions of an SM that may wait for pages; then its load/store "
                                   "unit takes nothing more."};
  sim::Choice chunk_kib{*this,
                        "chunk_kib",
                        "64",
                        {"4", "8", "16", "32", "64", "128", "256", "512", "1024", "2048"},
                        "KiB around a page that faults that come with it."};
  sim::Choice region_kib{*this,
                         "region_kib",
                         "2048",
                         {"4", "8", "16", "32", "64", "128", "256", "512", "1024", "2048"},
                         "Most KiB that come for a fault."};
  sim::Parameter<unsigned> threshold{*this,
                                     "threshold",
                                     51,
                                     {0, 100},
                                     "percent",
                                     "A region of twice, four times, ... the chunk comes as a whole if more than so "
                                     "much of it is on the device or coming; 100: never."};
  sim::Parameter<unsigned> chunk_ns{*this,
                                    "chunk_ns",
                                    2000,
                                    {0, 1000000},
                                    "ns",
                                    "Time of the host for each chunk that comes by a fault, "
                                    "beside its way over the link."};
  sim::Parameter<unsigned> back_ns{*this,
                                   "back_ns",
                                   30000,
                                   {0, 10000000},
                                   "ns",
                                   "What the first page takes that the host touches; counted, since the host's time is "
                                   "not simulated."};
  sim::Parameter<unsigned> back_chunk_ns{
      *this, "back_chunk_ns",
      12000, {0, 1000000},
      "ns",  "What each chunk takes with pages that go back because the host touches them."};
  sim::Parameter<unsigned> prefetch_ns{*this,
                                       "prefetch_ns",
                                       40000,
                                       {0, 10000000},
                                       "ns",
                                       "From the turn of a prefetch to the device to its "
                                       "first byte."};
  sim::Parameter<unsigned> prefetch_back_ns{
      *this, "prefetch_back_ns", 20000, {0, 10000000}, "ns", "The same of a prefetch to the host."};
  sim::Parameter<unsigned> prefetch_back_chunk_ns{
      *this,
      "prefetch_back_chunk_ns",
      6000,
      {0, 1000000},
      "ns",
      "What each chunk of a prefetch to the host takes, its way over the link "
      "included."};
  sim::Parameter<unsigned> remote_ns{*this,
                                     "remote_ns",
                                     1000,
                                     {0, 1000000},
                                     "ns",
                                     "From an access of the device to memory of the host "
                                     "to its answer, beside what the link takes for it."};
  sim::Parameter<unsigned> beyond_mib{*this,
                                      "beyond_mib",
                                      0,
                                      {0, 1048576},
                                      "MiB",
                                      "Managed memory that may be allocated beyond what the device has. Without "
                                      "address translation only."};

  [[nodiscard]] Growth growth() const;
};

struct ManagedStatistics : sim::StatisticGroup {
  explicit ManagedStatistics(sim::StatisticGroup& parent) : StatisticGroup(parent, "managed") {}
  sim::Counter faults{*this, "faults", "pages", "Pages that accesses of the device faulted for."};
  sim::Counter merged{*this, "merged", "faults", "Further faults of pages that were waited for already."};
  sim::Counter batches{*this, "batches", "batches", "Batches of faults that the host served."};
  sim::Counter services{*this, "services", "blocks", "Blocks of 2 MiB with faults, in each batch."};
  sim::Counter faulted_in{*this, "faulted_in", "pages", "Pages that came over the link by faults."};
  sim::Counter made{*this, "made", "pages", "Pages that nobody had touched, made on the device by faults."};
  sim::Counter grown{*this, "grown", "pages", "Of the pages that came by faults, those that had not faulted."};
  sim::Counter copied{*this, "copied", "pages", "Of the pages that came, those that stayed on the host as well."};
  sim::Counter prefetched_in{*this, "prefetched_in", "pages", "Pages that prefetches brought to the device."};
  sim::Counter prefetched_back{*this, "prefetched_back", "pages", "Pages that prefetches brought to the host."};
  sim::Counter touched_back{*this, "touched_back", "pages", "Pages that went back because the host touched them."};
  sim::Counter evicted{*this, "evicted", "pages", "Pages that went back because the device's memory was full."};
  sim::Counter dropped{*this, "dropped", "pages", "Second copies that went because the other side wrote the page."};
  sim::Counter bytes_in{*this, "bytes_in", "bytes", "Carried to the device, remote reads included."};
  sim::Counter bytes_back{*this, "bytes_back", "bytes", "Carried to the host, remote writes included."};
  sim::Counter remote_lines{*this, "remote_lines", "lines", "Lines that the device accessed in the host's memory."};
  sim::Counter waits{*this, "waits", "accesses", "Parts of memory instructions that waited for pages or the link."};
  sim::Counter waited{*this, "waited", "core cycles", "How long they waited, summed."};
  sim::Counter serving{*this, "serving", "core cycles", "Time in which the host served batches."};
  sim::Counter prefetching{*this, "prefetching", "core cycles", "Time of prefetches, both ways."};
  sim::Counter back{*this, "back", "core cycles",
                    "What the host's touches took, which no time of the "
                    "device is."};
};

}  // namespace heddle::vm
