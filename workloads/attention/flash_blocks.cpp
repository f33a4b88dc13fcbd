// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/flash_blocks.h"

#include <algorithm>

#include "workloads/common/ceil_div.h"
#include "workloads/common/transposed_load.h"

namespace tahoma::workloads {

using runtime::Kernel, runtime::TileView;

namespace {

unsigned block_columns(const FlashShape& shape, const FlashTiling& tiling) {
  return static_cast<unsigned>(
      std::min(tiling.block_keys(), shape.by_rows ? transposed_load_rows(shape.kv_len) : shape.kv_len));
}

unsigned value_columns(const FlashShape& shape, const FlashTiling& tiling) {
  return static_cast<unsigned>(ceil_div(block_columns(shape, tiling), tiling.chunk)) * tiling.value_pitch;
}

}  // namespace

std::uint64_t FlashBlocks::bytes_of(const FlashShape& shape, const FlashTiling& tiling) {
  const std::size_t size = isa::size_of(shape.dtype);
  return flash_parts(shape, tiling.d_rows).size() * aligned(block_columns(shape, tiling) * size) +
         aligned(value_columns(shape, tiling) * size);
}

FlashBlocks::FlashBlocks(Kernel& kernel, const FlashShape& shape, const FlashTiling& tiling,
                         const FlashViews& views, std::uint64_t room)
    : kernel_(kernel), shape_(shape), tiling_(tiling), views_(views) {
  // Blocks of more than two heads have no benefit.
  const std::uint64_t useful = 2 * ceil_div(shape.kv_len, tiling.block_keys()) + kFlashStepsInFlight;
  held_.resize(std::clamp<std::uint64_t>(room / bytes_of(shape, tiling), kFlashStepsInFlight + 1, useful));
  for (Held& held : held_) make(held);
}

void FlashBlocks::make(Held& held) {
  const unsigned columns = block_columns(shape_, tiling_), values = value_columns(shape_, tiling_);
  for (const FlashPart& part : flash_parts(shape_, tiling_.d_rows))
    held.block.k.push_back(
        kernel_.take(kernel_.sbuf("keys", shape_.dtype, columns), part.features.count, columns));
  held.block.v = kernel_.take(kernel_.sbuf("values", shape_.dtype, values), tiling_.chunk, values);
  kernel_.memset(
      held.block.v
          .columns(static_cast<unsigned>(shape_.values()), values - static_cast<unsigned>(shape_.values()))
          .every(0, tiling_.value_pitch),
      1.0F, isa::Queue::kGpSimd);
}

const FlashBlock& FlashBlocks::block(const FlashStep& step) {
  auto held = std::find_if(held_.begin(), held_.end(), [&](const Held& h) {
    return h.kv_head == step.kv_head && h.number == step.block;
  });
  if (held == held_.end()) {
    held = std::min_element(held_.begin(), held_.end(),
                            [](const Held& a, const Held& b) { return a.used < b.used; });
    held->kv_head = step.kv_head;
    held->number = step.block;
    load(*held);
  }
  held->used = ++uses_;
  return held->block;
}

// Loads are split, so that work on the first piece begins before the last one arrives.
void FlashBlocks::load(Held& held) {
  const std::uint64_t first_key = held.number * tiling_.block_keys();
  const auto keys = static_cast<unsigned>(std::min(tiling_.block_keys(), shape_.kv_len - first_key));
  for (unsigned at = 0; at < keys; at += tiling_.score_keys) {
    load_keys(held, first_key, at, std::min(tiling_.score_keys, keys - at));
  }
  const auto d = static_cast<unsigned>(shape_.values());
  for (unsigned at = 0, c = 0; at < keys; at += tiling_.chunk, ++c) {
    const unsigned count = std::min(tiling_.chunk, keys - at);
    const std::uint64_t key = first_key + at;
    const FlashHeadView from =
        shape_.by_rows ? head_view(views_.v, views_.heads.v, held.kv_head, d) : FlashHeadView{views_.v, 0};
    const std::uint64_t row = shape_.by_rows ? key : held.kv_head * shape_.kv_len + key;
    kernel_.load(held.block.v.partitions(0, count).columns(c * tiling_.value_pitch, d),
                 from.view.window(row, from.column, count, d));
  }
}

void FlashBlocks::load_keys(const Held& held, std::uint64_t first_key, unsigned at, unsigned count) {
  const std::vector<FlashPart> parts = flash_parts(shape_, tiling_.d_rows);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const TileView& tile = held.block.k[i];
    const Range& features = parts[i].features;
    if (shape_.by_rows) {
      const FlashHeadView from = parts[i].shared
                                     ? FlashHeadView{views_.k_shared, 0}
                                     : head_view(views_.k, views_.heads.k, held.kv_head, shape_.own_d());
      load_transposed_tokens(kernel_, tile.columns(at, static_cast<unsigned>(transposed_load_rows(count))),
                             from.view, {first_key + at, count},
                             {from.column + features.first, features.count});
    } else {
      const std::uint64_t head = parts[i].shared ? 0 : held.kv_head * shape_.own_d();
      kernel_.load(tile.columns(at, count),
                   views_.k.window(head + features.first, first_key + at, features.count, count));
    }
  }
}

}  // namespace tahoma::workloads
