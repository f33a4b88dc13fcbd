// SPDX-License-Identifier: Apache-2.0
// Entries that are ready to start: the first one of the trace's order starts first. Entries that need the
// same memory are grouped, so that all that do not fit are skipped at once.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "frontend/nki/lower/memory/allocate.h"

namespace tahoma::runtime::nki {

class ReadyPool {
 public:
  void add(std::uint32_t entry, const Units& need) { entries_[need].insert(entry); }
  void remove(std::uint32_t entry, const Units& need) {
    const auto group = entries_.find(need);
    group->second.erase(entry);
    if (group->second.empty()) entries_.erase(group);
  }

  // The first entry for which fits(entry, need) is true, among the first `tries` of each need.
  template <class Fits>
  std::optional<std::uint32_t> best(unsigned tries, Fits&& fits) const {
    std::optional<std::uint32_t> found;
    for (const auto& [need, entries] : entries_) {
      unsigned left = tries;
      for (auto entry = entries.begin(); entry != entries.end() && left > 0; ++entry, --left) {
        if (found && *found < *entry) break;
        if (!fits(*entry, need)) continue;
        found = *entry;
        break;
      }
    }
    return found;
  }

 private:
  std::map<Units, std::set<std::uint32_t>> entries_;
};

}  // namespace tahoma::runtime::nki
