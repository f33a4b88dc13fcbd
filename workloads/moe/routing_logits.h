// SPDX-License-Identifier: Apache-2.0
// The logits of a router on one core, 128 tokens at a time with the experts beside each other: as they are
// given, or x w with what prescribes the choice (workloads/moe/routing_kernel.h).
#pragma once

#include <vector>

#include "workloads/moe/routing_kernel.h"

namespace tahoma::workloads {

class RoutingLogits {
 public:
  static constexpr std::uint64_t kTokensTogether = 512;  // of x in one transfer: runs of 1 KiB
  static constexpr float kAbsent = -3.2e38F;             // below any logit: experts that there are not

  // Of at least kMostChosen columns, which is what a search wants.
  RoutingLogits(runtime::Kernel& kernel, const model::MachineParams& machine, const RoutingShape& shape,
                const RoutingViews& views);

  void load_weights();
  // Of tokens [first, first + count), at most kTokensTogether, before any of them is made.
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
