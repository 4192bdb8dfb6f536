#include "cudart/capture.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>

namespace heddle::cudart {
namespace {

using session::Capture;

/// Device memory lies at its own address here.
std::string_view bytes_at(std::uint64_t address, std::uint64_t bytes) {
  return {reinterpret_cast<const char*>(address), bytes};
}

}  // namespace

Capturer* Capturer::instance() {
  static Capturer* const only = [] {
    const char* file = std::getenv(session::kCaptureVariable);
    return file == nullptr ? nullptr : new Capturer(file);  // never destroyed: programs call in their own destructors
  }();
  return only;
}

void Capturer::loaded(const void* binary, const std::vector<std::string>& ptx) {
  modules_.emplace(binary, modules_.size());
  writer_.add(Capture::Load{ptx});
}

void Capturer::allocated(std::uint64_t address, std::uint64_t bytes, bool host_writes) {
  writer_.add(Capture::Memory{address, bytes});
  if (host_writes) host_side_[address] = std::string(bytes, '\0');
}

void Capturer::freed(std::uint64_t address) { host_side_.erase(address); }

void Capturer::found_symbol(const void* binary, const std::string& name, std::uint64_t address, std::uint64_t bytes,
                            bool host_writes) {
  if (const auto module = modules_.find(binary); module != modules_.end())
    symbols_[address] = {module->second, name, bytes};
  if (host_writes) host_side_.try_emplace(address, bytes_at(address, bytes));
}

void Capturer::wrote(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return;
  std::string data(bytes_at(address, bytes));
  const auto next = symbols_.upper_bound(address);
  if (next != symbols_.begin()) {
    const auto& [begin, symbol] = *std::prev(next);
    if (address - begin < symbol.bytes)
      return writer_.add(Capture::WriteSymbol{symbol.module, symbol.name, address - begin, std::move(data)});
  }
  writer_.add(Capture::Write{address, std::move(data)});
}

void Capturer::waited() {
  if (!waited_) writer_.add(Capture::Wait{});
  waited_ = true;
}

void Capturer::find_writes() {
  constexpr std::uint64_t kPage = 4096;
  for (auto& [address, seen] : host_side_) {
    for (std::uint64_t at = 0; at < seen.size(); at += kPage) {
      const std::uint64_t bytes = std::min<std::uint64_t>(kPage, seen.size() - at);
      if (std::memcmp(seen.data() + at, bytes_at(address + at, bytes).data(), bytes) != 0) wrote(address + at, bytes);
    }
  }
}

void Capturer::launching(const void* binary, Capture::Launch launch) {
  find_writes();
  // The default stream waits for the others, and they for it.
  if (launch.stream != last_stream_ && (launch.stream == 0 || last_stream_ == 0)) waited();
  last_stream_ = launch.stream;
  waited_ = false;
  launch.module = modules_.at(binary);
  writer_.add(std::move(launch));
}

void Capturer::launched() {
  for (auto& [address, seen] : host_side_) seen.assign(bytes_at(address, seen.size()));
}

void Capturer::refuse(const std::string& why) { writer_.add(Capture::Refused{why}); }

}  // namespace heddle::cudart
