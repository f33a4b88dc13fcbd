// SPDX-License-Identifier: Apache-2.0
// The units of a memory that live at each entry of an order. Ranges of entries change and are asked for their
// maximum, each in logarithmic time (a segment tree whose inner nodes hold what all of their entries have
// more).
#pragma once

#include <cstdint>
#include <vector>

namespace tahoma::runtime::nki {

class MemoryProfile {
 public:
  explicit MemoryProfile(std::size_t entries);
  // Entries first <= e < end.
  void add(std::size_t first, std::size_t end, std::int64_t units);
  std::int64_t most(std::size_t first, std::size_t end) const;  // 0 for no entries

 private:
  struct Node {
    std::int64_t more = 0;  // of all entries below
    std::int64_t most = 0;  // with `more`
  };
  void add(std::size_t node, std::size_t low, std::size_t high, std::size_t first, std::size_t end,
           std::int64_t units);
  std::int64_t most(std::size_t node, std::size_t low, std::size_t high, std::size_t first,
                    std::size_t end) const;

  std::size_t leaves_ = 1;
  std::vector<Node> nodes_;  // the root is 1; node n has the children 2n and 2n + 1
};

}  // namespace tahoma::runtime::nki
