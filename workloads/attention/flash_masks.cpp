// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/flash_masks.h"

#include <algorithm>

namespace tahoma::workloads {

using runtime::Kernel, runtime::TileView;

namespace {

// Far below any score but finite, so that infinities never combine: exp makes it 0 for any maximum.
constexpr float kHidden = -1e30F;

}  // namespace

FlashMasks::FlashMasks(Kernel& kernel, const std::set<Edges>& edges, unsigned rows, unsigned keys,
                       bool factors)
    : kernel_(kernel) {
  constexpr isa::DType kBf16 = isa::DType::kBf16;
  const unsigned side = std::max(rows, keys);
  const TileView ones = kernel.take(kernel.sbuf("mask_ones", kBf16, side, 1), side, side);
  identity_ = kernel.take(kernel.sbuf("identity", kBf16, side, 1), side, side);
  kernel.memset(ones, 1.0F, isa::Queue::kGpSimd);
  kernel.affine_select(identity_, ones, 0, 1, -1, isa::CompareOp::kEq, 0.0F);
  if (edges.empty()) return;
  const runtime::Pool pool =
      kernel.sbuf("masks", kBf16, factors ? rows : keys, static_cast<unsigned>(edges.size()));
  for (const Edges& edge : edges) {
    const TileView tile = factors ? kernel.take(pool, keys, rows) : kernel.take(pool, rows, keys);
    if (factors)
      make_factors(tile, edge);
    else
      make_mask(tile, edge);
    tiles_.emplace(edge, tile);
  }
}

void FlashMasks::make_mask(const TileView& tile, const Edges& edges) const {
  const auto [lower, upper] = edges;
  kernel_.memset(tile, 0.0F, isa::Queue::kGpSimd);
  if (upper != Visibility::kNoUpper)
    kernel_.affine_select(tile, tile, static_cast<std::int32_t>(upper), 1, -1, isa::CompareOp::kGe, kHidden);
  if (lower != Visibility::kNoLower)
    kernel_.affine_select(tile, tile, static_cast<std::int32_t>(-lower), -1, 1, isa::CompareOp::kGe, kHidden);
}

void FlashMasks::make_factors(const TileView& tile, const Edges& edges) const {
  const auto [lower, upper] = edges;
  kernel_.memset(tile, 1.0F, isa::Queue::kGpSimd);
  if (upper != Visibility::kNoUpper)
    kernel_.affine_select(tile, tile, static_cast<std::int32_t>(upper), -1, 1, isa::CompareOp::kGe, 0.0F);
  if (lower != Visibility::kNoLower)
    kernel_.affine_select(tile, tile, static_cast<std::int32_t>(-lower), 1, -1, isa::CompareOp::kGe, 0.0F);
}

TileView FlashMasks::seen(const Edges& edges, unsigned keys, unsigned rows) const {
  return tiles_.at(edges).partitions(0, keys).columns(0, rows);
}

TileView FlashMasks::identity(unsigned rows) const { return identity_.partitions(0, rows).columns(0, rows); }

void FlashMasks::hide(const TileView& scores, const Edges& edges) const {
  const unsigned rows = scores.shape.partitions, keys = scores.shape.count.back();
  kernel_.matmul(scores, identity(rows), tiles_.at(edges).partitions(0, rows).columns(0, keys), true);
}

void FlashMasks::hide_transposed(const TileView& scores, const Edges& edges) const {
  const unsigned keys = scores.shape.partitions, rows = scores.shape.count.back();
  kernel_.matmul(scores, tiles_.at(edges).partitions(0, rows).columns(0, keys), identity(rows), true);
}

std::set<FlashMasks::Edges> edges_of(const FlashShape& shape, unsigned tile_rows, unsigned chunk) {
  std::set<FlashMasks::Edges> edges;
  for (std::uint64_t q = 0; q < shape.q_len; q += tile_rows) {
    const std::uint64_t rows = std::min<std::uint64_t>(tile_rows, shape.q_len - q);
    const auto [from, behind] = keys_of(shape, q);
    const std::uint64_t inner_from = keys_of(shape, q + rows - 1).first,
                        to = keys_of(shape, q + rows - 1).second;
    const auto look = [&](std::uint64_t key) {
      const Visibility v =
          visibility(shape, q, rows, key, std::min<std::uint64_t>(chunk, shape.kv_len - key));
      if (v.any && !v.all) edges.insert(v.edges());
    };
    for (std::uint64_t key = from / chunk * chunk; key < std::min(inner_from + chunk, to); key += chunk)
      look(key);
    for (std::uint64_t key = (behind - 1) / chunk * chunk; key < to; key += chunk) look(key);
  }
  return edges;
}

}  // namespace tahoma::workloads
