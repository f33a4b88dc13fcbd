// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/flash_schedule.h"

#include <algorithm>

#include "workloads/common/ceil_div.h"

namespace tahoma::workloads {

namespace {

// The tiles of a group that see keys of [begin, end).
std::vector<FlashTile> tiles_of(const FlashShape& shape, const FlashTiling& tiling, std::uint64_t query,
                                unsigned rows, std::uint64_t begin, std::uint64_t end) {
  std::vector<FlashTile> tiles;
  for (unsigned first = 0, index = 0; first < rows; first += tiling.q_rows, ++index) {
    FlashTile tile;
    tile.index = index;
    tile.first = first;
    tile.rows = std::min(tiling.q_rows, rows - first);
    const std::uint64_t seen_from = keys_of(shape, query + first).first / tiling.chunk * tiling.chunk;
    const std::uint64_t seen_to = keys_of(shape, query + first + tile.rows - 1).second;
    tile.key_begin = std::max(seen_from, begin);
    tile.key_end = std::min(seen_to, end);
    if (tile.key_begin >= tile.key_end) continue;
    tile.opens = seen_from >= begin;
    tile.closes = seen_to <= end;
    tiles.push_back(tile);
  }
  return tiles;
}

void append_group(std::vector<FlashStep>& steps, const FlashShape& shape, const FlashTiling& tiling,
                  std::uint64_t head, std::uint64_t query) {
  FlashStep step;
  step.head = head;
  step.kv_head = (shape.first_head + head) / shape.heads_per_kv;
  step.query = query;
  step.rows = static_cast<unsigned>(std::min<std::uint64_t>(tiling.group_rows(), shape.q_len - query));
  const std::uint64_t from = keys_of(shape, query).first, to = keys_of(shape, query + step.rows - 1).second;
  const std::uint64_t length = tiling.block_keys(), first = from / length, end = ceil_div(to, length);
  for (step.block = first; step.block < end; ++step.block) {
    step.tiles = tiles_of(shape, tiling, query, step.rows, step.block * length,
                          std::min(shape.kv_len, (step.block + 1) * length));
    if (step.tiles.empty()) continue;
    step.key_begin = step.tiles.front().key_begin;
    step.key_end = step.tiles.back().key_end;
    step.opens = step.block == first;
    step.closes = step.block + 1 == end;
    steps.push_back(step);
  }
}

}  // namespace

std::pair<std::uint64_t, std::uint64_t> keys_of(const FlashShape& shape, std::uint64_t query) {
  if (!shape.causal) return {0, shape.kv_len};
  const std::uint64_t end = query + shape.kv_len - shape.q_len + 1;
  return {shape.window == 0 || shape.window >= end ? 0 : end - shape.window, end};
}

Visibility visibility(const FlashShape& shape, std::uint64_t q, std::uint64_t rows, std::uint64_t k,
                      std::uint64_t keys) {
  Visibility v;
  if (!shape.causal) return v;
  const auto wide = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
  const std::int64_t upper = wide(q) + wide(shape.kv_len) - wide(shape.q_len) - wide(k);
  const std::int64_t lower = shape.window == 0 ? Visibility::kNoLower : upper + 1 - wide(shape.window);
  v.any = upper + wide(rows) - 1 >= 0 && lower < wide(keys);
  if (upper < wide(keys) - 1) v.upper = upper;
  if (lower + wide(rows) - 1 > 0) v.lower = lower;
  v.all = v.upper == Visibility::kNoUpper && v.lower == Visibility::kNoLower;
  return v;
}

std::vector<std::uint64_t> groups_of_part(std::uint64_t groups, std::uint64_t part, std::uint64_t parts) {
  std::vector<std::uint64_t> mine;
  for (std::uint64_t group = 0; group < groups; ++group) {
    const std::uint64_t place = group % (2 * parts);
    if ((place < parts ? place : 2 * parts - 1 - place) == part) mine.push_back(group);
  }
  return mine;
}

std::vector<FlashStep> flash_steps(const FlashShape& shape, const FlashTiling& tiling) {
  std::vector<FlashStep> steps;
  const std::uint64_t groups = ceil_div(shape.q_len, tiling.group_rows());
  for (std::uint64_t head = 0; head < shape.heads; ++head)
    for (const std::uint64_t group : groups_of_part(groups, shape.part, shape.parts))
      append_group(steps, shape, tiling, head, group * tiling.group_rows());
  return steps;
}

double visible_pairs(const FlashShape& shape) {
  const auto heads = static_cast<double>(shape.heads), q = static_cast<double>(shape.q_len);
  const auto kv = static_cast<double>(shape.kv_len);
  if (!shape.causal) return heads * q * kv;
  const auto window = static_cast<double>(shape.window == 0 ? shape.kv_len : shape.window);
  // The first `short_rows` queries see fewer keys than the window has: kv - q + 1, and one more each.
  const double short_rows = std::clamp(window - (kv - q), 0.0, q);
  return heads * (short_rows * (kv - q) + short_rows * (short_rows + 1) / 2 + (q - short_rows) * window);
}

}  // namespace tahoma::workloads
