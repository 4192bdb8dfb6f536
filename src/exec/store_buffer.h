// Global stores that other SMs must not see yet.
//
// While an SM simulates a quantum of time on its own, its stores stay here; its own loads see them. At the end of the
// quantum they are applied to memory, SM by SM in order. So what one SM reads never depends on how far another one has
// come on another host thread. Bytes are named by where they lie on the host, so that two addresses of one byte agree.
//
// Stores lie in parts, by the page of the host: parts of several buffers have no byte in common, and can be applied by
// several threads.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace heddle::exec {

class StoreBuffer {
 public:
  static constexpr unsigned kParts = 16;

  StoreBuffer() : slots_(kFirstCapacity) {}

  [[nodiscard]] bool empty() const { return words_ == 0; }
  /// Words of 8 bytes with something in them.
  [[nodiscard]] std::size_t words() const { return words_; }

  void store(const std::uint8_t* at, const void* data, unsigned bytes) {
    auto address = reinterpret_cast<std::uint64_t>(at);
    const auto* from = static_cast<const std::uint8_t*>(data);
    if ((address | bytes) % kWord == 0) {
      for (unsigned i = 0; i < bytes; i += kWord) {
        Slot& slot = slot_for((address + i) / kWord);
        std::memcpy(&slot.data, from + i, kWord);
        slot.valid = 0xff;
      }
      return;
    }
    while (bytes != 0) {
      const unsigned first = address % kWord;
      const unsigned count = bytes < kWord - first ? bytes : kWord - first;
      Slot& slot = slot_for(address / kWord);
      std::memcpy(reinterpret_cast<std::uint8_t*>(&slot.data) + first, from, count);
      slot.valid = static_cast<std::uint8_t>(slot.valid | ((1u << count) - 1) << first);
      address += count;
      from += count;
      bytes -= count;
    }
  }
  /// Replaces those bytes of a loaded value that this buffer holds.
  void patch(const std::uint8_t* at, void* value, unsigned bytes) const {
    const auto address = reinterpret_cast<std::uint64_t>(at);
    auto* out = static_cast<std::uint8_t*>(value);
    for (unsigned i = 0; i < bytes;) {
      const unsigned first = (address + i) % kWord;
      const unsigned count = bytes - i < kWord - first ? bytes - i : kWord - first;
      if (const Slot* slot = find((address + i) / kWord)) {
        const auto* data = reinterpret_cast<const std::uint8_t*>(&slot->data);
        for (unsigned b = 0; b < count; ++b) {
          if ((slot->valid >> (first + b) & 1) != 0) out[i + b] = data[first + b];
        }
      }
      i += count;
    }
  }
  /// Writes a part to memory.
  void apply(unsigned part) const {
    for (const std::uint32_t index : used_[part]) {
      const Slot& slot = slots_[index];
      auto* at = reinterpret_cast<std::uint8_t*>(slot.word * kWord);
      if (slot.valid == 0xff) {
        std::memcpy(at, &slot.data, kWord);
        continue;
      }
      const auto* data = reinterpret_cast<const std::uint8_t*>(&slot.data);
      for (unsigned b = 0; b < kWord; ++b) {
        if ((slot.valid >> b & 1) != 0) at[b] = data[b];
      }
    }
  }
  /// Forgets everything.
  void clear() {
    for (std::vector<std::uint32_t>& part : used_) part.clear();
    words_ = 0;
    ++generation_;
  }
  /// Writes everything to memory and forgets it.
  void flush() {
    for (unsigned part = 0; part < kParts; ++part) apply(part);
    clear();
  }

 private:
  static constexpr unsigned kWord = 8;
  static constexpr std::size_t kFirstCapacity = 1024;
  struct Slot {
    std::uint64_t word = 0;
    std::uint64_t data = 0;
    std::uint32_t generation = 0;  ///< belongs to the current quantum if equal to generation_
    std::uint8_t valid = 0;        ///< one bit per byte
  };

  [[nodiscard]] static unsigned part_of(std::uint64_t word) {
    constexpr unsigned kPageWordBits = 9;
    return word >> kPageWordBits & (kParts - 1);
  }
  [[nodiscard]] std::size_t start(std::uint64_t word) const {
    return (word * 0x9e3779b97f4a7c15u >> 32) & (slots_.size() - 1);
  }
  [[nodiscard]] const Slot* find(std::uint64_t word) const {
    for (std::size_t i = start(word); slots_[i].generation == generation_; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].word == word) return &slots_[i];
    }
    return nullptr;
  }
  Slot& slot_for(std::uint64_t word) {
    if (2 * words_ >= slots_.size()) grow();
    std::size_t i = start(word);
    for (; slots_[i].generation == generation_; i = (i + 1) & (slots_.size() - 1)) {
      if (slots_[i].word == word) return slots_[i];
    }
    slots_[i] = {word, 0, generation_, 0};
    used_[part_of(word)].push_back(static_cast<std::uint32_t>(i));
    ++words_;
    return slots_[i];
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    std::array<std::vector<std::uint32_t>, kParts> used;
    used.swap(used_);
    words_ = 0;
    for (const std::vector<std::uint32_t>& part : used) {
      for (const std::uint32_t index : part) {
        Slot& to = slot_for(old[index].word);
        to.data = old[index].data;
        to.valid = old[index].valid;
      }
    }
  }

  std::vector<Slot> slots_;
  std::array<std::vector<std::uint32_t>, kParts> used_;  ///< slots, by part
  std::size_t words_ = 0;
  std::uint32_t generation_ = 1;
};

}  // namespace heddle::exec
