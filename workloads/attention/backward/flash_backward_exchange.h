// SPDX-License-Identifier: Apache-2.0
// Two cores that share every head in the backward pass, each with its blocks of keys: both have sums of dQ
// for all queries. Of a segment's tiles the first half is finished by part 0, the second by part 1; each
// sends the other its sums, in fp32 through HBM, when all its own blocks are done.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/builder/kernel.h"
#include "workloads/attention/backward/flash_backward.h"

namespace tahoma::workloads {

class BackwardExchange {
 public:
  // Adds the arguments core (this core's number), dq_out, dq_there and dq_in [heads q_len, d] of fp32: sums
  // on their way, the other core's dq_in, and what comes from it.
  BackwardExchange(runtime::Kernel& kernel, const FlashShape& shape);

  // Tiles [first, second) of a segment that this core finishes.
  std::pair<std::size_t, std::size_t> own_tiles(const BackwardSegment& segment) const;
  bool owns(const BackwardSegment& segment, std::size_t tile) const;
  void store(const BackwardTile& tile, const runtime::TileView& sum);
  // Sends all of the other core's tiles, which have been stored, and waits for all of this core's.
  void swap(const std::vector<BackwardSegment>& segments);
  void load_own(const runtime::TileView& sum, const BackwardTile& tile);    // what was stored
  void load_other(const runtime::TileView& sum, const BackwardTile& tile);  // what came

 private:
  std::pair<std::size_t, std::size_t> tiles_of(const BackwardSegment& segment, std::uint64_t part) const;
  runtime::HbmView rows(const runtime::HbmView& all, const BackwardTile& first,
                        const BackwardTile& last) const;

  runtime::Kernel& kernel_;
  FlashShape shape_;
  runtime::Signal landed_;
  std::uint8_t core_;
  runtime::HbmView out_, there_, in_;
};

}  // namespace tahoma::workloads
