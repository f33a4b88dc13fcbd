// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/backward/flash_backward_memory.h"

#include <algorithm>

#include "workloads/common/ceil_div.h"
#include "workloads/common/transposed_load.h"

namespace tahoma::workloads {

using isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr isa::DType kWide = isa::DType::kFp32;
// Groups of queries and blocks of keys on chip: those of units in flight, and those being loaded.
constexpr unsigned kGroups = 4, kBlocks = 3;
// Tiles that a unit keeps for its next stages.
constexpr unsigned kUnits = 3;
// Results of a tile of queries or a chunk of keys on their way to HBM.
constexpr unsigned kResults = 6, kSums = 4;
// Tiles of O and of its products with dO, from which D is computed.
constexpr unsigned kOutputs = 4, kOutputProducts = 2;

}  // namespace

std::uint64_t BackwardMemory::working_bytes(const FlashShape& shape, const BackwardTiling& t) {
  const std::uint64_t size = isa::size_of(shape.dtype), parts = ceil_div(shape.d, t.d_rows);
  const std::uint64_t keys = aligned(t.block_keys() * size), row = aligned(shape.d * size);
  const std::uint64_t queries = aligned(std::uint64_t{t.group_tiles} * t.q_rows * size);
  const std::uint64_t transposed = aligned(std::uint64_t{t.block_chunks} * t.q_rows * size);
  const std::uint64_t masks = edges_of(shape, t.q_rows, t.chunk).size() + 2;
  const std::uint64_t outputs =
      shape.by_rows ? kOutputs * row + kOutputProducts * aligned(shape.d * sizeof(float)) : 0;
  constexpr std::uint64_t kTwo = 2, kBothGroups = kTwo * kGroups, kBothBlocks = kTwo * kBlocks,
                          kPAndDs = kTwo * kUnits;
  return kBothGroups * (parts * queries + t.group_tiles * row) + kBothBlocks * parts * keys +
         std::uint64_t{kBlocks} * t.block_chunks * row + kPAndDs * keys + kUnits * transposed +
         kResults * row + kSums * aligned(shape.d * sizeof(float)) +
         masks * aligned(std::uint64_t{t.chunk} * 2) + 2 * aligned(std::uint64_t{t.chunk} * sizeof(float)) +
         128 + outputs;
}

std::uint64_t BackwardMemory::tile_bytes(const FlashShape& shape) { return (shape.d + 2) * sizeof(float); }

BackwardMemory::BackwardMemory(Kernel& kernel, const FlashShape& shape, const BackwardTiling& tiling,
                               const FlashBackwardViews& views)
    : kernel_(kernel),
      shape_(shape),
      tiling_(tiling),
      views_(views),
      masks_(kernel, edges_of(shape, tiling.q_rows, tiling.chunk), tiling.q_rows, tiling.chunk) {
  make_pools();
}

void BackwardMemory::make_pools() {
  const auto d = static_cast<unsigned>(shape_.d);
  const unsigned parts = ceil_div(d, tiling_.d_rows), chunks = tiling_.block_chunks;
  query_parts_ =
      kernel_.sbuf("query_parts", shape_.dtype, tiling_.group_tiles * tiling_.q_rows, 2 * kGroups * parts);
  query_rows_ = kernel_.sbuf("query_rows", shape_.dtype, d, 2 * kGroups * tiling_.group_tiles);
  key_parts_ = kernel_.sbuf("key_parts", shape_.dtype, keys(), 2 * kBlocks * parts);
  key_rows_ = kernel_.sbuf("key_rows", shape_.dtype, d, kBlocks * chunks);
  p_ = kernel_.sbuf("p", shape_.dtype, keys(), kUnits);
  ds_ = kernel_.sbuf("ds", shape_.dtype, keys(), kUnits);
  transposed_ = kernel_.sbuf("transposed", shape_.dtype, chunks * tiling_.q_rows, kUnits);
  results_ = kernel_.sbuf("results", shape_.dtype, d, kResults);
  sums_ = kernel_.sbuf("sums", kWide, d, kSums);
  scores_ = kernel_.psum("scores", kWide, keys(), 2);
  dp_ = kernel_.psum("dp", kWide, keys(), 2);
  transposed_psum_ = kernel_.psum("transposed", shape_.dtype, chunks * tiling_.q_rows, 1);
  dq_psum_ = kernel_.psum("dq", kWide, d, 1);
  dk_psum_ = take(kernel_.psum("dk", kWide, chunks * d, 1), chunks * d);
  dv_psum_ = take(kernel_.psum("dv", kWide, chunks * d, 1), chunks * d);
  const unsigned tiles = tiling_.segment_tiles;
  lse_ = take(kernel_.sbuf("lse", kWide, tiles), tiles);
  delta_ = take(kernel_.sbuf("delta", kWide, tiles), tiles);
  dq_sum_ = take(kernel_.sbuf("dq", kWide, tiles * d), tiles * d);
  if (shape_.by_rows) {
    output_rows_ = kernel_.sbuf("o", shape_.dtype, d, kOutputs);
    output_products_ = kernel_.sbuf("o do", kWide, d, kOutputProducts);
  }
  if (isa::size_of(shape_.dtype) < sizeof(float)) return;
  const TileView ones =
      kernel_.take(kernel_.sbuf("wide_ones", kWide, tiling_.q_rows), tiling_.q_rows, tiling_.q_rows);
  wide_identity_ =
      kernel_.take(kernel_.sbuf("wide_identity", kWide, tiling_.q_rows), tiling_.q_rows, tiling_.q_rows);
  kernel_.memset(ones, 1.0F, Queue::kGpSimd);
  kernel_.affine_select(wide_identity_, ones, 0, 1, -1, isa::CompareOp::kEq, 0.0F);
}

TileView BackwardMemory::identity(unsigned rows) const {
  if (isa::size_of(shape_.dtype) < sizeof(float)) return masks_.identity(rows);
  return wide_identity_.partitions(0, rows).columns(0, rows);
}

// Elements of a row in HBM, one per partition, with tiles side by side. The tiles of a head follow each
// other, and only its last one may be short.
void BackwardMemory::load_columns(const TileView& to, const HbmView& from, const BackwardSegment& segment) {
  unsigned first = 0;
  for (unsigned t = 1; t <= segment.tiles.size(); ++t) {
    const BackwardTile& tile = segment.tiles[first];
    if (t < segment.tiles.size() && segment.tiles[t].head == tile.head && segment.tiles[t].rows == tile.rows)
      continue;
    HbmView window = from.window(tile.head, tile.query, 1, 1);
    window.rows = tile.rows;
    window.row_stride = 1;
    window.columns = t - first;
    window.column_stride = tiling_.q_rows;
    kernel_.load(to.partitions(0, tile.rows).columns(first, t - first), window);
    first = t;
  }
}

void BackwardMemory::open_segment(const BackwardSegment& segment) {
  load_columns(lse_, views_.lse, segment);
  if (!shape_.by_rows) load_columns(delta_, views_.delta, segment);
  unsigned first = 0;
  for (unsigned t = 1; t <= segment.tiles.size(); ++t) {
    if (t < segment.tiles.size() && segment.tiles[t].rows == segment.tiles[first].rows) continue;
    const TileView part = lse_.partitions(0, segment.tiles[first].rows).columns(first, t - first);
    kernel_.tensor_scalar(part, part, isa::AluOp::kMult, {-1.0F, nullptr});
    first = t;
  }
}

std::vector<TileView> BackwardMemory::load_parts(Pool pool, const HbmView& from, std::uint64_t head,
                                                 std::uint64_t first, unsigned count) {
  const auto d = static_cast<unsigned>(shape_.d);
  std::vector<TileView> parts;
  for (unsigned at = 0; at < d; at += tiling_.d_rows) {
    const unsigned rows = std::min(tiling_.d_rows, d - at);
    if (shape_.by_rows) {
      const TileView tile = kernel_.take(pool, rows, static_cast<unsigned>(transposed_load_rows(count)));
      parts.push_back(load_transposed_tokens(kernel_, tile, from, {first, count}, {head * d + at, rows}));
      continue;
    }
    parts.push_back(kernel_.take(pool, rows, count));
    kernel_.load(parts.back(), from.window(head * d + at, first, rows, count));
  }
  return parts;
}

BackwardKeys BackwardMemory::load_keys(const BackwardBlock& block) {
  BackwardKeys keys;
  keys.kt = load_parts(key_parts_, shape_.by_rows ? views_.k : views_.kt, block.kv_head, block.first_key,
                       block.keys);
  keys.vt = load_parts(key_parts_, shape_.by_rows ? views_.v : views_.vt, block.kv_head, block.first_key,
                       block.keys);
  for (unsigned at = 0, c = 0; at < block.keys; at += tiling_.chunk, ++c) {
    const HbmView window = key_window(views_.k, block, c);
    keys.k.push_back(
        kernel_.take(key_rows_, static_cast<unsigned>(window.rows), static_cast<unsigned>(shape_.d)));
    kernel_.load(keys.k.back(), window);
  }
  return keys;
}

void BackwardMemory::load_group(const BackwardTile& tile) {
  const std::uint64_t rows = std::uint64_t{tiling_.group_tiles} * tiling_.q_rows;
  group_ = {};
  group_.head = tile.head;
  group_.first = tile.query / rows * rows;
  const auto count = static_cast<unsigned>(std::min(rows, shape_.q_len - group_.first));
  group_.qt = load_parts(query_parts_, shape_.by_rows ? views_.q : views_.qt, tile.head, group_.first, count);
  group_.dot =
      load_parts(query_parts_, shape_.by_rows ? views_.d_o : views_.dot, tile.head, group_.first, count);
  for (unsigned at = 0; at < count; at += tiling_.q_rows)
    for (auto [rows_of, from] : {std::pair{&group_.q, &views_.q}, std::pair{&group_.d_o, &views_.d_o}}) {
      const unsigned n = std::min(tiling_.q_rows, count - at);
      rows_of->push_back(kernel_.take(query_rows_, n, static_cast<unsigned>(shape_.d)));
      kernel_.load(rows_of->back(), query_window(*from, tile.head, group_.first + at, n));
    }
}

BackwardQueries BackwardMemory::queries(const BackwardSegment& segment, const BackwardUnit& unit) {
  const BackwardTile& tile = segment.tiles[unit.tile];
  const std::uint64_t rows = std::uint64_t{tiling_.group_tiles} * tiling_.q_rows;
  if (group_.head != tile.head || group_.first != tile.query / rows * rows) load_group(tile);
  const auto at = static_cast<unsigned>(tile.query - group_.first), n = at / tiling_.q_rows,
             column = static_cast<unsigned>(unit.tile);
  BackwardQueries queries;
  for (const TileView& part : group_.qt) queries.qt.push_back(part.columns(at, tile.rows));
  for (const TileView& part : group_.dot) queries.dot.push_back(part.columns(at, tile.rows));
  queries.q = group_.q[n];
  queries.d_o = group_.d_o[n];
  queries.negated_lse = lse_.partitions(0, tile.rows).columns(column, 1);
  queries.delta = delta_.partitions(0, tile.rows).columns(column, 1);
  if (shape_.by_rows && unit.opens) make_delta(tile, queries);
  return queries;
}

void BackwardMemory::make_delta(const BackwardTile& tile, const BackwardQueries& queries) {
  const auto d = static_cast<unsigned>(shape_.d);
  const TileView o = kernel_.take(output_rows_, tile.rows, d),
                 products = kernel_.take(output_products_, tile.rows, d);
  kernel_.load(o, query_window(views_.o, tile.head, tile.query, tile.rows));
  kernel_.tensor_tensor(products, o, queries.d_o, isa::AluOp::kMult, Queue::kGpSimd);
  kernel_.reduce(queries.delta, products, isa::AluOp::kAdd);
}

TileView BackwardMemory::dq(std::size_t tile, unsigned rows) const {
  const auto d = static_cast<unsigned>(shape_.d);
  return dq_sum_.partitions(0, rows).columns(static_cast<unsigned>(tile) * d, d);
}

TileView BackwardMemory::dk_psum(unsigned chunk, unsigned keys) const {
  const auto d = static_cast<unsigned>(shape_.d);
  return dk_psum_.partitions(0, keys).columns(chunk * d, d);
}

TileView BackwardMemory::dv_psum(unsigned chunk, unsigned keys) const {
  const auto d = static_cast<unsigned>(shape_.d);
  return dv_psum_.partitions(0, keys).columns(chunk * d, d);
}

HbmView BackwardMemory::query_window(const HbmView& all, std::uint64_t head, std::uint64_t first,
                                     std::uint64_t count) const {
  if (shape_.by_rows) return all.window(first, head * shape_.d, count, shape_.d);
  return all.window(head * shape_.q_len + first, 0, count, shape_.d);
}

HbmView BackwardMemory::dq_window(const BackwardTile& tile) const {
  return query_window(views_.dq, tile.head, tile.query, tile.rows);
}

HbmView BackwardMemory::key_window(const HbmView& all, const BackwardBlock& block, unsigned chunk) const {
  const unsigned at = chunk * tiling_.chunk, keys = std::min(tiling_.chunk, block.keys - at);
  if (shape_.by_rows) return all.window(block.first_key + at, block.kv_head * shape_.d, keys, shape_.d);
  return all.window(block.kv_head * shape_.kv_len + block.first_key + at, 0, keys, shape_.d);
}

}  // namespace tahoma::workloads
