// SPDX-License-Identifier: Apache-2.0
// Which bytes of a memory hold values while nothing is computed: what a machine in timing mode knows of its
// control tensors. A set of byte ranges; neighbours join, so it stays small.
#pragma once

#include <cstdint>
#include <map>

namespace tahoma::sim {

class KnownBytes {
 public:
  bool empty() const { return ranges_.empty(); }
  bool contains(std::uint64_t first, std::uint64_t bytes) const;  // all of them
  void add(std::uint64_t first, std::uint64_t bytes);
  void remove(std::uint64_t first, std::uint64_t bytes);
  void clear() { ranges_.clear(); }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // first byte -> one past the last; apart from each other
};

}  // namespace tahoma::sim
