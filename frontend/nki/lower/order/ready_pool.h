// SPDX-License-Identifier: Apache-2.0
// Entries that are ready to start, by rank: the lowest rank starts first. Entries that need the same memory
// are grouped, so that all that do not fit are skipped at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "frontend/nki/lower/memory/allocate.h"

namespace tahoma::runtime::nki {

class ReadyPool {
 public:
  void add(std::uint32_t rank, const Units& need) { ranks_[need].insert(rank); }
  void remove(std::uint32_t rank, const Units& need) {
    const auto group = ranks_.find(need);
    group->second.erase(rank);
    if (group->second.empty()) ranks_.erase(group);
  }

  // The lowest rank for which fits(rank, need) is true, among the first `tries` of each need.
  template <class Fits>
  std::optional<std::uint32_t> best(unsigned tries, Fits&& fits) const {
    std::optional<std::uint32_t> found;
    for (const auto& [need, ranks] : ranks_) {
      unsigned left = tries;
      for (auto rank = ranks.begin(); rank != ranks.end() && left > 0; ++rank, --left) {
        if (found && *found < *rank) break;
        if (!fits(*rank, need)) continue;
        found = *rank;
        break;
      }
    }
    return found;
  }

 private:
  std::map<Units, std::set<std::uint32_t>> ranks_;
};

}  // namespace tahoma::runtime::nki
