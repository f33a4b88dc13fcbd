// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/flash_schedule.h"

#include <algorithm>

namespace tahoma::workloads {

namespace {

// Keys seen by query `query`: a prefix.
std::uint64_t seen_by(const FlashShape& shape, std::uint64_t query) {
  return shape.causal ? query + shape.kv_len - shape.q_len + 1 : shape.kv_len;
}

void append_tile(std::vector<FlashStep>& steps, const FlashShape& shape, const FlashTiling& tiling,
                 std::uint64_t head, std::uint64_t query) {
  const auto rows = static_cast<unsigned>(std::min<std::uint64_t>(tiling.q_rows, shape.q_len - query));
  const std::uint64_t all_see = seen_by(shape, query), any_sees = seen_by(shape, query + rows - 1);
  for (std::uint64_t key = 0; key < any_sees; key += tiling.kv_block) {
    FlashStep step{head, query, rows, key / tiling.kv_block, key, 0, key == 0, false, false, 0};
    step.keys = static_cast<unsigned>(std::min<std::uint64_t>(tiling.kv_block, any_sees - key));
    step.last = key + step.keys == any_sees;
    step.masked = key + step.keys > all_see;
    if (step.masked)
      step.diagonal =
          static_cast<std::int32_t>(static_cast<std::int64_t>(all_see) - 1 - static_cast<std::int64_t>(key));
    steps.push_back(step);
  }
}

}  // namespace

std::vector<FlashStep> flash_steps(const FlashShape& shape, const FlashTiling& tiling) {
  std::vector<FlashStep> steps;
  for (std::uint64_t head = 0; head < shape.heads; ++head)
    for (std::uint64_t query = 0; query < shape.q_len; query += tiling.q_rows)
      append_tile(steps, shape, tiling, head, query);
  return steps;
}

double visible_pairs(const FlashShape& shape) {
  const auto heads = static_cast<double>(shape.heads), q = static_cast<double>(shape.q_len);
  const auto kv = static_cast<double>(shape.kv_len);
  return heads * (shape.causal ? q * (kv - q) + q * (q + 1) / 2 : q * kv);
}

}  // namespace tahoma::workloads
