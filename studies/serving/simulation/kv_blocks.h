// SPDX-License-Identifier: Apache-2.0
// The blocks of a server's paged KV cache, as a count: which block a sequence gets does not matter for time.
// Every block that is taken is given back (invariant).
#pragma once

#include <cstdint>

#include "model/base/error.h"

namespace tahoma::runtime::serving {

constexpr std::uint64_t blocks_for(std::uint64_t tokens, std::uint64_t block_tokens) {
  return (tokens + block_tokens - 1) / block_tokens;
}

class KvBlocks {
 public:
  explicit KvBlocks(std::uint64_t total) : total_(total), free_(total) {}

  std::uint64_t free() const { return free_; }
  std::uint64_t used() const { return total_ - free_; }
  void take(std::uint64_t blocks) {
    TAHOMA_INVARIANT(blocks <= free_, "more blocks of the KV cache are taken than are free");
    free_ -= blocks;
  }
  void give_back(std::uint64_t blocks) {
    TAHOMA_INVARIANT(blocks <= used(), "more blocks of the KV cache are given back than were taken");
    free_ += blocks;
  }

 private:
  std::uint64_t total_, free_;
};

}  // namespace tahoma::runtime::serving
