// SPDX-License-Identifier: Apache-2.0
// Finds reads of a tensor whose bytes another tensor has overwritten. Kernels that place tensors by hand give
// the same bytes to many of them; that is right as long as a tensor is not read after a later one took its
// bytes. A tensor that never wrote the bytes itself reads the existing bytes on purpose: that is how kernels
// reinterpret memory.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "runtime/builder/scheduler.h"

namespace tahoma::runtime::nki {

class ReuseLog {
 public:
  // The last entry that uses each tensor: writes by tensors that nothing reads any more are not kept.
  explicit ReuseLog(std::vector<std::uint32_t> last_use) : last_use_(std::move(last_use)) {}

  // A read is wrong if another tensor has overwritten the bytes, in this entry.
  struct Overwritten {
    std::uint32_t storage = 0, entry = 0;
  };
  std::optional<Overwritten> read(std::uint32_t storage, const Region& region) const;
  void write(std::uint32_t storage, const Region& region, std::uint32_t entry);

 private:
  struct Record {
    std::uint32_t storage = 0, entry = 0;
    Region region;
  };
  static constexpr std::uint64_t kBlock = 2048;  // bytes of a partition
  static std::uint64_t key(const Region& region, std::uint64_t block) {
    return (std::uint64_t{region.buffer} << 32) | block;
  }

  std::vector<std::uint32_t> last_use_;
  std::unordered_map<std::uint64_t, std::vector<Record>> writes_;  // the latest of each tensor, by block
};

}  // namespace tahoma::runtime::nki
