// SPDX-License-Identifier: Apache-2.0
// The bytes of a memory with known values in timing mode, which originate from control tensors. A set of byte
// ranges; adjacent ranges merge, so it stays small.
#pragma once

#include <cstdint>
#include <map>

namespace tahoma::sim {

class KnownBytes {
 public:
  bool empty() const { return ranges_.empty(); }
  bool contains(std::uint64_t first, std::uint64_t bytes) const;  // true if all bytes are known
  void add(std::uint64_t first, std::uint64_t bytes);
  void remove(std::uint64_t first, std::uint64_t bytes);
  void clear() { ranges_.clear(); }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;  // first byte -> one past the last; not adjacent
};

}  // namespace tahoma::sim
