// SPDX-License-Identifier: Apache-2.0
// The gated delta rule of local layers, or the rule of Mamba-2, which they have instead of attention
// (workloads/delta/delta_shape.h). Cores share the heads of values; neighbouring ones keep a head of queries
// and keys each if there are fewer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/base/params.h"
#include "workloads/delta/delta_shape.h"

namespace tahoma::workloads {

// Elements of a row of a core's tensor, and of that of the model.
struct RowBlock {
  std::uint64_t row, column, of_model_row, of_model_column, columns;
};

struct DeltaRule {
  std::uint64_t value_heads = 0;  // 0: no layer has it
  std::uint64_t key_heads = 16, key_dim = 128, value_dim = 128, taps = 4;
  StateRule rule{};
  bool tap_bias = false;
  double least_rate = 0, most_rate = 0;

  void declare(base::ParamTree& t);
  explicit operator bool() const { return value_heads > 0; }
  std::uint64_t values() const { return value_heads * value_dim; }
  std::uint64_t keys() const { return key_heads * key_dim; }
  std::uint64_t channels() const { return 2 * keys() + values(); }  // of the convolution
  bool scans() const { return rule == StateRule::kScan; }
  std::uint64_t numbers() const { return (scans() ? 1 : 2) * value_heads; }  // products of a token
  // The heads of one of so many cores.
  DeltaHeads of_core(std::uint64_t cores) const {
    const std::uint64_t own = value_heads / cores;
    return {.key_heads = std::max<std::uint64_t>(1, own * key_heads / value_heads),
            .value_heads = own,
            .key_dim = key_dim,
            .value_dim = value_dim,
            .taps = taps,
            .rule = rule,
            .tap_bias = tap_bias,
            .least_rate = least_rate,
            .most_rate = most_rate,
            .split = cores > key_heads};
  }
  std::uint64_t first_value_head(std::uint64_t core, std::uint64_t cores) const {
    return core * (value_heads / cores);
  }
  std::uint64_t first_key_head(std::uint64_t core, std::uint64_t cores) const {
    return first_value_head(core, cores) * key_heads / value_heads;
  }
  // Where the states of a sequence, [state_rows, state_columns], are in those of the model, [value_heads
  // key_dim, value_dim]; and where a token's features of a convolution are among the channels.
  std::vector<RowBlock> state_blocks(std::uint64_t core, std::uint64_t cores) const;
  std::vector<RowBlock> channel_blocks(std::uint64_t core, std::uint64_t cores) const;
  double weights(std::uint64_t hidden) const {  // elements of a layer
    return static_cast<double>(hidden * (2 * keys() + 3 * values() + numbers()) + taps * channels());
  }
  // Multiply-accumulates of a token with states, of the recurrence itself: k S (not Mamba-2), q S, and k u.
  double products() const {
    return static_cast<double>((scans() ? 2 : 3) * value_heads * key_dim * value_dim);
  }
};

}  // namespace tahoma::workloads
