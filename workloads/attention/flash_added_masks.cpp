// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/flash_added_masks.h"

#include <algorithm>

#include "workloads/attention/flash_blocks.h"
#include "workloads/common/ceil_div.h"

namespace tahoma::workloads {

using runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

unsigned mask_columns(const FlashShape& shape, const FlashTiling& tiling) {
  return static_cast<unsigned>(std::min(tiling.block_keys(), shape.kv_len));
}

// Those of the steps in flight, or all that there are.
unsigned copies_of(const FlashShape& shape, const FlashTiling& tiling) {
  const std::uint64_t in_flight = std::uint64_t{kFlashStepsInFlight + 1} * tiling.group_tiles,
                      all = shape.heads * ceil_div(shape.q_len, tiling.q_rows) *
                            ceil_div(shape.kv_len, tiling.block_keys());
  return static_cast<unsigned>(std::min(in_flight, all));
}

}  // namespace

std::uint64_t FlashAddedMasks::bytes(const FlashShape& shape, const FlashTiling& tiling) {
  std::uint64_t sum = 0;
  for (const isa::DType dtype : shape.masks)
    sum +=
        copies_of(shape, tiling) * aligned(std::uint64_t{mask_columns(shape, tiling)} * isa::size_of(dtype)) +
        2 * aligned(std::uint64_t{tiling.q_rows} * isa::size_of(dtype));
  return sum;
}

FlashAddedMasks::FlashAddedMasks(Kernel& kernel, const FlashShape& shape, const FlashTiling& tiling,
                                 const FlashViews& views)
    : kernel_(kernel), shape_(shape), tiling_(tiling) {
  for (std::size_t m = 0; m < shape.masks.size(); ++m) {
    const unsigned side = tiling.q_rows, columns = mask_columns(shape, tiling);
    const auto square = [&](const char* name) {
      return kernel.take(kernel.sbuf(name, shape.masks[m], side, 1), side, side);
    };
    Mask mask{views.masks.at(m), square("mask identity"), {}};
    const TileView ones = square("mask ones");
    kernel.memset(ones, 1.0F, isa::Queue::kGpSimd);
    kernel.affine_select(mask.identity, ones, 0, 1, -1, isa::CompareOp::kEq, 0.0F);
    mask.held.resize(copies_of(shape, tiling));
    for (Held& held : mask.held)
      held.tile = kernel.take(kernel.sbuf("mask", shape.masks[m], columns, 1), side, columns);
    masks_.push_back(std::move(mask));
  }
}

TileView FlashAddedMasks::tile_of(Mask& mask, const FlashStep& step, const FlashTile& tile) {
  const bool by_query = mask.view.values.row_stride != 0;
  const std::uint64_t place = mask.view.heads.at(step.head), query = step.query + tile.first;
  auto held = std::find_if(mask.held.begin(), mask.held.end(), [&](const Held& h) {
    return h.place == place && h.block == step.block && (!by_query || h.query == query);
  });
  if (held == mask.held.end()) {
    held = std::min_element(mask.held.begin(), mask.held.end(),
                            [](const Held& a, const Held& b) { return a.used < b.used; });
    held->place = place;
    held->query = query;
    held->block = step.block;
    const std::uint64_t first = step.block * tiling_.block_keys();
    const auto keys = static_cast<unsigned>(std::min(tiling_.block_keys(), shape_.kv_len - first));
    // Rows that are the same serve any tile.
    const unsigned rows =
        by_query ? tile.rows : static_cast<unsigned>(std::min<std::uint64_t>(tiling_.q_rows, shape_.q_len));
    const FlashHeadView from = head_view(mask.view.values, mask.view.heads, step.head, 0);
    kernel_.load(held->tile.partitions(0, rows).columns(0, keys),
                 from.view.window(by_query ? query : 0, first, rows, keys));
  }
  held->used = ++uses_;
  return held->tile.partitions(0, tile.rows);
}

void FlashAddedMasks::add(const TileView& scores, const FlashStep& step, const FlashTile& tile,
                          std::uint64_t key) {
  const auto column = static_cast<unsigned>(key - step.block * tiling_.block_keys());
  const unsigned keys = scores.shape.count.back();
  for (Mask& mask : masks_)
    kernel_.matmul(scores, mask.identity.partitions(0, tile.rows).columns(0, tile.rows),
                   tile_of(mask, step, tile).columns(column, keys), true);
}

void FlashAddedMasks::add_transposed(const TileView& scores, const FlashStep& step, const FlashTile& tile,
                                     std::uint64_t key) {
  const auto column = static_cast<unsigned>(key - step.block * tiling_.block_keys());
  const unsigned keys = scores.shape.partitions;
  for (Mask& mask : masks_)
    kernel_.matmul(scores, tile_of(mask, step, tile).columns(column, keys),
                   mask.identity.partitions(0, tile.rows).columns(0, tile.rows), true);
}

}  // namespace tahoma::workloads
