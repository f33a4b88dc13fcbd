// SPDX-License-Identifier: Apache-2.0
// The order of a backward kernel: segments of queries, in each the blocks of keys, and for each block the
// tiles of the segment that see it.
#include <algorithm>

#include "workloads/attention/backward/flash_backward.h"
#include "workloads/attention/backward/flash_backward_memory.h"
#include "workloads/attention/flash_schedule.h"
#include "workloads/common/ceil_div.h"

namespace tahoma::workloads {

namespace {

constexpr unsigned kMostGroupTiles = 4;

unsigned narrow32(std::uint64_t n) { return static_cast<unsigned>(n); }

// The tiles of all query heads that share a key head.
std::vector<BackwardTile> query_tiles_of(const FlashShape& shape, const BackwardTiling& tiling,
                                         std::uint64_t kv_head) {
  std::vector<BackwardTile> tiles;
  for (std::uint64_t head = 0; head < shape.heads; ++head) {
    if ((shape.first_head + head) / shape.heads_per_kv != kv_head) continue;
    for (std::uint64_t q = 0; q < shape.q_len; q += tiling.q_rows)
      tiles.push_back({head, q, narrow32(std::min<std::uint64_t>(tiling.q_rows, shape.q_len - q))});
  }
  return tiles;
}

BackwardBlock block_of(const FlashShape& shape, const BackwardTiling& tiling, const BackwardSegment& segment,
                       std::uint64_t number) {
  BackwardBlock block;
  block.kv_head = segment.kv_head;
  block.number = number;
  block.first_key = number * tiling.block_keys();
  block.keys = narrow32(std::min(tiling.block_keys(), shape.kv_len - block.first_key));
  const std::uint64_t first = number * tiling.block_chunks,
                      behind = first + ceil_div(block.keys, tiling.chunk);
  for (std::size_t t = 0; t < segment.tiles.size(); ++t) {
    const BackwardTile& tile = segment.tiles[t];
    BackwardUnit unit;
    unit.tile = t;
    unit.begin = std::max(first, keys_of(shape, tile.query).first / tiling.chunk);
    unit.end = std::min(behind, ceil_div(keys_of(shape, tile.query + tile.rows - 1).second, tiling.chunk));
    if (unit.begin < unit.end) block.units.push_back(unit);
  }
  return block;
}

void mark_ends(BackwardSegment& segment) {
  std::vector<BackwardUnit*> last(segment.tiles.size());
  for (BackwardBlock& block : segment.blocks)
    for (BackwardUnit& unit : block.units) {
      unit.opens = last[unit.tile] == nullptr;
      last[unit.tile] = &unit;
    }
  for (BackwardUnit* unit : last)
    if (unit != nullptr) unit->closes = true;
}

}  // namespace

BackwardTiling backward_tiling_of(const model::MachineParams& machine, const FlashShape& shape) {
  const auto& core = machine.chip.core;
  const unsigned bank = narrow32(core.psum.bank.count / sizeof(float));
  const unsigned columns = narrow32(std::min<std::uint64_t>(core.tensor.moving_columns, bank));
  const unsigned d = narrow32(shape.d);
  BackwardTiling tiling{};
  tiling.chunk = narrow32(std::min({core.tensor.rows, core.tensor.columns, core.sbuf.partitions}));
  tiling.q_rows = std::min(tiling.chunk, columns);
  tiling.chunk = tiling.q_rows;
  tiling.block_chunks = std::clamp(std::min(columns / tiling.chunk, bank / d), 1U, kMostGroupTiles);
  tiling.group_tiles = std::clamp(columns / tiling.q_rows, 1U, kMostGroupTiles);
  tiling.d_rows = narrow32(std::min(core.tensor.rows, core.sbuf.partitions));
  tiling.d_columns = columns;
  const std::uint64_t working = BackwardMemory::working_bytes(shape, tiling), usable = core.sbuf.usable.count;
  const std::uint64_t all = ceil_div(shape.q_len, tiling.q_rows) * std::min(shape.heads, shape.heads_per_kv);
  const std::uint64_t room = usable > working ? (usable - working) / BackwardMemory::tile_bytes(shape) : 1;
  tiling.segment_tiles = narrow32(std::clamp<std::uint64_t>(room, 1, std::min<std::uint64_t>(all, 4096)));
  return tiling;
}

std::vector<BackwardSegment> backward_segments(const FlashShape& shape, const BackwardTiling& tiling) {
  std::vector<BackwardSegment> segments;
  const std::uint64_t blocks = ceil_div(shape.kv_len, tiling.block_keys());
  for (std::uint64_t kv_head = 0; kv_head < shape.kv_heads(); ++kv_head) {
    const std::vector<BackwardTile> tiles = query_tiles_of(shape, tiling, kv_head);
    for (std::size_t first = 0; first < tiles.size(); first += tiling.segment_tiles) {
      const std::size_t end = std::min<std::size_t>(first + tiling.segment_tiles, tiles.size());
      BackwardSegment& segment = segments.emplace_back();
      segment.kv_head = kv_head;
      segment.tiles.assign(tiles.begin() + static_cast<std::ptrdiff_t>(first),
                           tiles.begin() + static_cast<std::ptrdiff_t>(end));
      for (const std::uint64_t number : groups_of_part(blocks, shape.part, shape.parts)) {
        segment.blocks.push_back(block_of(shape, tiling, segment, number));
        segment.blocks.back().adds = first > 0;
        segment.blocks.back().leaves = end < tiles.size();
      }
      mark_ends(segment);
    }
  }
  return segments;
}

bool in_segments(const FlashShape& shape, const BackwardTiling& tiling) {
  const std::uint64_t tiles = ceil_div(shape.q_len, tiling.q_rows);
  for (std::uint64_t kv_head = 0; kv_head < shape.kv_heads(); ++kv_head) {
    std::uint64_t heads = 0;
    for (std::uint64_t head = 0; head < shape.heads; ++head)
      heads += (shape.first_head + head) / shape.heads_per_kv == kv_head ? 1 : 0;
    if (heads * tiles > tiling.segment_tiles) return true;
  }
  return false;
}

}  // namespace tahoma::workloads
