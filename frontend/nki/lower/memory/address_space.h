// SPDX-License-Identifier: Apache-2.0
// The addresses of one on-chip memory while tensors are placed in it one after another, in the order of their
// first uses.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tahoma::runtime::nki {

// Which of several free places a tensor gets: the one whose last use is longest ago, the lowest, the highest.
enum class Fit : std::uint8_t { kLongestUnused, kLowest, kHighest };

// One memory, in units that are allocated as a whole. Tensors do not cross the borders of banks unless they
// start at one. Without banks, a bank is the whole memory.
class AddressSpace {
 public:
  AddressSpace(std::int64_t bytes, std::int64_t unit, std::int64_t bank = 0)
      : unit_(unit), bank_((bank == 0 ? bytes : bank) / unit), count_(bytes / unit) {
    if (count_ > 0) runs_.push_back({count_, kNever});
  }

  std::int64_t units(std::int64_t bytes) const { return (bytes + unit_ - 1) / unit_; }

  void reserve(std::int64_t byte, std::int64_t bytes, std::int64_t until) {
    set(runs_, byte / unit_, end_of(byte, bytes), until);
  }
  // Bytes that the kernel has placed by hand, and when it uses them.
  void place(std::int64_t byte, std::int64_t bytes, std::int64_t first, std::int64_t last) {
    placed_.push_back({byte / unit_, end_of(byte, bytes), first, last});
  }

  // The first byte for a tensor that is used from `now` to `until`; nothing if there is no room.
  std::optional<std::int64_t> find(std::int64_t bytes, std::int64_t now, std::int64_t until, Fit fit);

 private:
  static constexpr std::int64_t kNever = -1;  // no tensor has used these bytes
  struct Placed {
    std::int64_t begin, end;   // units
    std::int64_t first, last;  // entries
  };
  // Neighbouring units with the same last use: from the end of the run before to this one.
  struct Run {
    std::int64_t end;       // units
    std::int64_t last_use;  // index of an entry
  };
  static void set(std::vector<Run>& runs, std::int64_t begin, std::int64_t end, std::int64_t last_use);
  const std::vector<Run>& runs_of(std::int64_t now, std::int64_t until);
  std::int64_t legal_from(std::int64_t at, std::int64_t need) const;
  std::optional<std::int64_t> lowest(const std::vector<Run>& runs, std::int64_t need, std::int64_t now,
                                     Fit fit) const;
  std::optional<std::int64_t> highest(const std::vector<Run>& runs, std::int64_t need,
                                      std::int64_t now) const;
  std::int64_t end_of(std::int64_t byte, std::int64_t bytes) const {
    return std::min<std::int64_t>((byte + bytes + unit_ - 1) / unit_, count_);
  }

  std::int64_t unit_, bank_, count_;  // bytes; units; units
  std::vector<Placed> placed_;
  std::vector<Run> runs_, merged_;
};

}  // namespace tahoma::runtime::nki
