// SPDX-License-Identifier: Apache-2.0
// Two cores share every head in the backward pass, each with its own blocks of keys, so both hold partial
// sums of dQ for all queries. Part 0 finishes the first half of a segment's tiles, part 1 the second half.
// When all its own blocks are done, each core sends the other its partial sums, in fp32 through HBM.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/builder/kernel.h"
#include "workloads/attention/backward/flash_backward.h"

namespace tahoma::workloads {

class BackwardExchange {
 public:
  // Adds the arguments core (this core's number), dq_out, dq_there and dq_in [heads q_len, d] of fp32: the
  // outgoing sums, the other core's dq_in, and the incoming sums.
  BackwardExchange(runtime::Kernel& kernel, const FlashShape& shape);

  // Tiles [first, second) of a segment, which this core finishes.
  std::pair<std::size_t, std::size_t> own_tiles(const BackwardSegment& segment) const;
  bool owns(const BackwardSegment& segment, std::size_t tile) const;
  void store(const BackwardTile& tile, const runtime::TileView& sum);
  // Sends all tiles of the other core, which must have been stored, and waits for all tiles of this core.
  void swap(const std::vector<BackwardSegment>& segments);
  void load_own(const runtime::TileView& sum, const BackwardTile& tile);    // the sum that was stored
  void load_other(const runtime::TileView& sum, const BackwardTile& tile);  // the sum that was received

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
