#include "runtime/managed_side.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

namespace heddle::runtime {

using vm::PageBlock;
using vm::PageSet;

namespace {

constexpr std::uint64_t kHostPage = exec::GlobalMemory::kPageBytes;
constexpr std::uint64_t kBlock = vm::kBlockPages * kHostPage;
constexpr std::size_t kAroundPages = 16;  // what Linux maps around a page of a file or shared memory that is read

/// Which pages of a block are mapped; false if the kernel does not tell.
bool read_present(int pagemap, std::uint64_t address, PageSet& present) {
  constexpr unsigned kPresent = 63;
  std::array<std::uint64_t, vm::kBlockPages> entries{};
  const auto offset = static_cast<off_t>(address / kHostPage * sizeof(std::uint64_t));
  if (pread(pagemap, entries.data(), sizeof(entries), offset) != static_cast<ssize_t>(sizeof(entries))) return false;
  for (std::size_t p = 0; p < entries.size(); ++p) present[p] = (entries[p] >> kPresent & 1) != 0;
  return true;
}

/// Tries whether a page that was unmapped and touched, and no other, is told of.
bool tells_touches(int pagemap) {
  if (pagemap < 0 || sysconf(_SC_PAGESIZE) != static_cast<long>(kHostPage)) return false;
  exec::GlobalMemory memory(4 * kBlock);
  const auto address = memory.allocate(2 * kBlock);
  if (!address) return false;
  memory.keep_apart(*address, 2 * kBlock);
  std::uint8_t* bytes = memory.find(*address, 2 * kBlock);
  std::memset(bytes, 1, 2 * kBlock);
  memory.forget_accesses(*address, 2 * kBlock);
  const auto second = reinterpret_cast<std::uint64_t>(bytes + kBlock);
  constexpr std::size_t kProbe = 100;
  PageSet present;
  if (!read_present(pagemap, second, present) || present.any()) return false;
  volatile std::uint8_t* touched = bytes + kBlock + kProbe * kHostPage;
  const bool kept = *touched == 1;
  return kept && read_present(pagemap, second, present) && present[kProbe] &&
         (present & ~vm::page_range(kProbe - kAroundPages, 2 * kAroundPages)).none();
}

void say_unknown() {
  static bool said = false;
  if (std::exchange(said, true)) return;
  std::fputs(
      "heddle: this system does not tell which pages a program touches (/proc/self/pagemap): the host is taken to "
      "touch all managed memory between calls (managed.host = all)\n",
      stderr);
}

/// Chunks of which the kernel maps all when one page is read.
PageSet widen(const PageSet& pages) {
  PageSet all;
  for (std::size_t first = 0; first < vm::kBlockPages; first += kAroundPages) {
    const PageSet around = vm::page_range(first, kAroundPages);
    if ((pages & around).any()) all |= around;
  }
  return all;
}

}  // namespace

ManagedSide::ManagedSide(Machine& machine, exec::GlobalMemory& memory, std::uint16_t application, bool host_sees_memory)
    : machine_(machine), memory_(memory), application_(application) {
  machine_.set_host_turn(application, {[this] { turn_ends(); }, [this] { turn_begins(); }});
  const auto& host = machine_.options().gpu->managed.host;
  if (host.is("none")) return;
  knows_ = Knows::all;
  if (!host.is("watched")) return;
  if (!host_sees_memory) {
    knows_ = Knows::none;  // it touches nothing but by copies
    return;
  }
  pagemap_ = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (tells_touches(pagemap_)) {
    knows_ = Knows::touched;
  } else {
    say_unknown();
  }
}

ManagedSide::~ManagedSide() {
  machine_.set_host_turn(application_, {[] {}, [] {}});
  for (const auto& [address, bytes] : ranges_) managed().remove(application_, address, bytes);
  if (pagemap_ >= 0) close(pagemap_);
}

void ManagedSide::add(std::uint64_t address, std::uint64_t bytes) {
  const std::uint64_t pages = std::max<std::uint64_t>((bytes + kHostPage - 1) / kHostPage, 1);
  if (knows_ == Knows::touched) memory_.keep_apart(address, pages * kHostPage);
  ranges_[address] = pages * kHostPage;
  bytes_ += pages * kHostPage;
  managed().add(application_, address, pages * kHostPage);
}

void ManagedSide::remove(std::uint64_t address) {
  const auto found = ranges_.find(address);
  if (found == ranges_.end()) return;
  managed().remove(application_, address, found->second);
  hashes_.erase(hashes_.lower_bound(address), hashes_.lower_bound(address + found->second));
  bytes_ -= found->second;
  ranges_.erase(found);
}

bool ManagedSide::contains(std::uint64_t address, std::uint64_t bytes) const {
  auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return false;
  --next;
  return address - next->first < next->second && bytes <= next->second - (address - next->first);
}

template <typename Look>
void ManagedSide::for_each_block(Look&& look) {
  for (const auto& [address, bytes] : ranges_) {
    for (std::uint64_t at = address; at < address + bytes;) {
      const std::uint64_t end = std::min(address + bytes, (at / kBlock + 1) * kBlock);
      const PageBlock* block = managed().block(application_, at);
      const PageSet own = vm::page_range(at / kHostPage % vm::kBlockPages, (end - at) / kHostPage);
      // What is on the host alone cannot come back.
      if (block != nullptr && (own & ~(block->on_host & ~block->on_device)).any()) look(*block, own, at, end);
      at = end;
    }
  }
}

PageSet ManagedSide::touched(const PageBlock& block) const {
  if (knows_ == Knows::all) return block.managed;
  PageSet present;
  if (!read_present(pagemap_, block.address, present)) return block.managed;
  // A page that nobody touched has no bytes yet, and none are mapped around it.
  const PageSet untouched = ~(block.on_device | block.on_host);
  return (widen(present & ~untouched) & ~untouched) | (present & untouched);
}

PageSet ManagedSide::written(const PageBlock& block, const PageSet& touched) const {
  PageSet changed = touched & ~block.read_mostly;
  for (std::size_t p = 0; p < vm::kBlockPages; ++p) {
    if (!touched[p] || changed[p] || !block.managed[p]) continue;
    const std::uint64_t address = block.address + p * kHostPage;
    const auto before = hashes_.find(address);
    const std::string_view bytes(reinterpret_cast<const char*>(memory_.find_in_page(address)), kHostPage);
    changed[p] = before == hashes_.end() || before->second != std::hash<std::string_view>{}(bytes);
  }
  return changed;
}

void ManagedSide::remember(const PageBlock& block, const PageSet& own) {
  const PageSet pages = own & block.on_device & block.read_mostly;
  for (std::size_t p = 0; p < vm::kBlockPages; ++p) {
    if (!pages[p]) continue;
    const std::uint64_t address = block.address + p * kHostPage;
    const std::string_view bytes(reinterpret_cast<const char*>(memory_.find_in_page(address)), kHostPage);
    hashes_[address] = std::hash<std::string_view>{}(bytes);
  }
}

void ManagedSide::turn_ends() {
  if (knows_ == Knows::none || ranges_.empty()) return;
  std::uint64_t chunks = 0;
  for_each_block([&](const PageBlock& block, const PageSet& own, std::uint64_t, std::uint64_t) {
    const PageSet pages = touched(block) & own;
    if (pages.any()) chunks += managed().touch(application_, block.address, pages, written(block, pages));
  });
  managed().count_back(chunks);
}

void ManagedSide::turn_begins() {
  managed().sleep();
  if (knows_ != Knows::touched || ranges_.empty()) return;
  hashes_.clear();
  for_each_block([&](const PageBlock& block, const PageSet& own, std::uint64_t begin, std::uint64_t end) {
    remember(block, own);
    memory_.forget_accesses(begin, end - begin);
  });
}

}  // namespace heddle::runtime
