// SPDX-License-Identifier: Apache-2.0
#include "workloads/moe/routing_logits.h"

#include <algorithm>

#include "workloads/common/transposed_load.h"

namespace tahoma::workloads {

using isa::AluOp, isa::DType, isa::Queue;
using runtime::Kernel, runtime::TileView;

RoutingLogits::RoutingLogits(Kernel& kernel, const model::MachineParams& machine, const RoutingShape& shape,
                             const RoutingViews& views)
    : kernel_(kernel),
      shape_(shape),
      views_(views),
      depth_(std::min(machine.chip.core.tensor.rows, machine.chip.core.sbuf.partitions)),
      experts_(static_cast<unsigned>(shape.experts)),
      width_(std::max(experts_, static_cast<unsigned>(kFoundAtOnce))) {
  if (shape.hidden > 0) {
    const auto all = static_cast<unsigned>(chunks());
    const std::uint64_t tokens = std::min(kTokensTogether, shape.tokens);
    xs_ = kernel.sbuf("x", shape.dtype,
                      static_cast<unsigned>(shape.by_rows ? transposed_load_rows(tokens) : tokens), 2 * all);
    ws_ = kernel.sbuf("w", shape.dtype, experts_, all);
    products_ = kernel.psum("x w", DType::kFp32, experts_, 3);
  }
  scores_ = kernel.sbuf("logits", DType::kFp32, width_, 6);
  if (shape.prescribed) biases_ = kernel.sbuf("bias", DType::kFp32, experts_, 2);
}

void RoutingLogits::load_weights() {
  for (std::uint64_t c = 0; c < chunks(); ++c) {
    const std::uint64_t rows = std::min(depth_, shape_.hidden - c * depth_);
    weights_.push_back(kernel_.take(ws_, static_cast<unsigned>(rows), experts_));
    kernel_.load(weights_.back(), views_.w.window(c * depth_, 0, rows, shape_.experts), Queue::kGpSimd);
  }
}

// Returns elements of tokens, with the elements on partitions.
TileView RoutingLogits::load_part(std::uint64_t element, std::uint64_t elements, std::uint64_t first,
                                  std::uint64_t count) {
  const auto rows = static_cast<unsigned>(elements);
  if (shape_.by_rows)
    return load_transposed_tokens(kernel_,
                                  kernel_.take(xs_, rows, static_cast<unsigned>(transposed_load_rows(count))),
                                  views_.x, {first, static_cast<unsigned>(count)}, {element, rows});
  const TileView tile = kernel_.take(xs_, rows, static_cast<unsigned>(count));
  kernel_.load(tile, views_.x.window(element, first, elements, count));
  return tile;
}

void RoutingLogits::load_tokens(std::uint64_t first, std::uint64_t count) {
  first_ = first;
  x_.clear();
  for (std::uint64_t c = 0; c < chunks(); ++c)
    x_.push_back(load_part(c * depth_, std::min(depth_, shape_.hidden - c * depth_), first, count));
}

TileView RoutingLogits::make(std::uint64_t token, unsigned rows) {
  const TileView logits = kernel_.take(scores_, rows, width_), own = logits.columns(0, experts_);
  if (width_ > experts_) kernel_.memset(logits.columns(experts_, width_ - experts_), kAbsent);
  if (x_.empty()) {
    kernel_.load(own, views_.logits.window(token, 0, rows, shape_.experts));
    if (shape_.sigmoid) kernel_.activation(own, own, isa::ActFn::kSigmoid);
    return logits;
  }
  const TileView product = kernel_.take(products_, rows, experts_);
  for (std::size_t c = 0; c < x_.size(); ++c)
    kernel_.matmul(product, x_[c].columns(static_cast<unsigned>(token - first_), rows), weights_[c], c > 0);
  if (shape_.sigmoid)
    kernel_.activation(own, product, isa::ActFn::kSigmoid);
  else if (!shape_.prescribed)
    kernel_.copy(own, product, Queue::kScalar);
  if (!shape_.prescribed) return logits;
  const TileView bias = kernel_.take(biases_, rows, experts_);
  kernel_.load(bias, views_.bias.window(token, 0, rows, shape_.experts));
  kernel_.tensor_tensor(own, shape_.sigmoid ? own : product, bias, AluOp::kAdd);
  return logits;
}

}  // namespace tahoma::workloads
