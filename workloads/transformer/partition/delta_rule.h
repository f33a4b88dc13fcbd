// SPDX-License-Identifier: Apache-2.0
// The gated delta rule of local layers, which have it instead of attention (workloads/delta/delta_shape.h).
// Cores share the heads of values; neighbouring ones keep a head of queries and keys each if there are fewer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/base/params.h"
#include "workloads/delta/delta_shape.h"

namespace tahoma::workloads {

struct DeltaRule {
  std::uint64_t value_heads = 0;  // 0: no layer has it
  std::uint64_t key_heads = 16, key_dim = 128, value_dim = 128, taps = 4;

  void declare(base::ParamTree& t);
  explicit operator bool() const { return value_heads > 0; }
  std::uint64_t values() const { return value_heads * value_dim; }
  std::uint64_t keys() const { return key_heads * key_dim; }
  std::uint64_t channels() const { return 2 * keys() + values(); }  // of the convolution
  // The heads of one of so many cores.
  DeltaHeads of_core(std::uint64_t cores) const {
    const std::uint64_t own = value_heads / cores;
    return {std::max<std::uint64_t>(1, own * key_heads / value_heads), own, key_dim, value_dim, taps};
  }
  std::uint64_t first_value_head(std::uint64_t core, std::uint64_t cores) const {
    return core * (value_heads / cores);
  }
  std::uint64_t first_key_head(std::uint64_t core, std::uint64_t cores) const {
    return first_value_head(core, cores) * key_heads / value_heads;
  }
  double weights(std::uint64_t hidden) const {  // elements of a layer
    return static_cast<double>(hidden * (2 * keys() + 3 * values() + 2 * value_heads) + taps * channels());
  }
  // Multiply-accumulates of a token with states, of the recurrence itself: k S, q S, and k u.
  double products() const { return static_cast<double>(3 * value_heads * key_dim * value_dim); }
};

}  // namespace tahoma::workloads
