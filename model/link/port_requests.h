// SPDX-License-Identifier: Apache-2.0
// The requests of buffers to send their first packet through a port, which serves them in turn (round robin).
// A buffer has a slot in the turns.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace tahoma::model {

class PortRequests {
 public:
  void resize(std::size_t slots) {
    bits_.resize((slots + 63) / 64);
    buffer_.resize(slots);
    last_ = static_cast<std::uint32_t>(slots - 1);
  }
  void set(std::uint32_t slot, std::uint32_t buffer) {
    bits_[slot / 64] |= std::uint64_t{1} << slot % 64;
    buffer_[slot] = buffer;
  }
  void clear(std::uint32_t slot) { bits_[slot / 64] &= ~(std::uint64_t{1} << slot % 64); }

  // Calls accept(buffer) for the buffers that request, in their turn, which begins after the one served last,
  // until it returns true. Returns whether it has; that buffer is served.
  template <class Accept>
  bool serve(Accept&& accept) {
    const std::size_t words = bits_.size(), first = last_ / 64;
    const std::uint64_t behind = (~std::uint64_t{1}) << last_ % 64;  // those behind the last, in its word
    for (std::size_t n = 0; n <= words; ++n) {
      const std::size_t word = (first + n) % words;
      std::uint64_t bits = bits_[word];
      if (n == 0) bits &= behind;
      if (n == words) bits &= ~behind;
      for (; bits != 0; bits &= bits - 1) {
        const std::uint32_t slot = slot_of(word, bits);
        if (!accept(buffer_[slot])) continue;
        last_ = slot;
        return true;
      }
    }
    return false;
  }

  // Calls visit(buffer) for all buffers that request, but for the one served last.
  template <class Visit>
  void each_other(Visit&& visit) const {
    for (std::size_t word = 0; word < bits_.size(); ++word)
      for (std::uint64_t bits = bits_[word]; bits != 0; bits &= bits - 1)
        if (const std::uint32_t slot = slot_of(word, bits); slot != last_) visit(buffer_[slot]);
  }

 private:
  static std::uint32_t slot_of(std::size_t word, std::uint64_t bits) {
    return static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
  }

  std::vector<std::uint64_t> bits_;    // by slot
  std::vector<std::uint32_t> buffer_;  // by slot that has a request
  std::uint32_t last_ =
      0;  // slot served; before the first, the last of all, so that the turn begins with the first
};

}  // namespace tahoma::model
