// SPDX-License-Identifier: Apache-2.0
// The logits of a router on one core, 128 tokens at a time with the experts side by side. They are given, or
// computed as x w together with the prescribed choice (workloads/moe/routing_kernel.h).
#pragma once

#include <vector>

#include "workloads/moe/routing_kernel.h"

namespace tahoma::workloads {

class RoutingLogits {
 public:
  static constexpr std::uint64_t kTokensTogether = 512;  // of x in one transfer: runs of 1 KiB
  static constexpr float kAbsent = -3.2e38F;             // below any logit: columns without an expert

  // Has at least kFoundAtOnce columns, the minimum of a search.
  RoutingLogits(runtime::Kernel& kernel, const model::MachineParams& machine, const RoutingShape& shape,
                const RoutingViews& views);

  void load_weights();
  // Loads tokens [first, first + count), at most kTokensTogether, before the first of them is computed.
  void load_tokens(std::uint64_t first, std::uint64_t count);
  runtime::TileView make(std::uint64_t token, unsigned rows);

 private:
  std::uint64_t chunks() const { return (shape_.hidden + depth_ - 1) / depth_; }
  runtime::TileView load_part(std::uint64_t element, std::uint64_t elements, std::uint64_t first,
                              std::uint64_t count);

  runtime::Kernel& kernel_;
  RoutingShape shape_;
  RoutingViews views_;
  std::uint64_t depth_;  // elements contracted at a time
  unsigned experts_, width_;
  runtime::Pool xs_, ws_, products_, scores_, biases_;
  std::vector<runtime::TileView> weights_, x_;
  std::uint64_t first_ = 0;  // token of x_
};

}  // namespace tahoma::workloads
