// SPDX-License-Identifier: Apache-2.0
#include "workloads/optimizer/adam_kernel.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "model/base/error.h"
#include "workloads/common/ranges.h"

namespace tahoma::workloads {

namespace {

using isa::ActFn, isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::ScalarOperand, runtime::TileView;

constexpr unsigned kWidest = 2048;  // columns per tile: 1 MiB of fp32

ScalarOperand constant(double value) { return {static_cast<float>(value), nullptr}; }

class Adam {
 public:
  Adam(Kernel& kernel, const model::MachineParams& machine, const AdamShape& shape,
       const AdamSettings& settings, const AdamViews& views)
      : kernel_(kernel),
        machine_(machine),
        shape_(shape),
        settings_(settings),
        views_(views),
        width_(static_cast<unsigned>(std::min<std::uint64_t>(shape.columns, kWidest))),
        ps_(pool("p", 3)),
        gs_(kernel_.sbuf("g", shape.gradient, width_, 3)),
        ms_(pool("m", 3)),
        vs_(pool("v", 3)),
        shares_(pool("share of g", 2)),
        squares_(pool("share of g^2", 2)),
        roots_(pool("root", 2)) {
    TAHOMA_INVARIANT(shape.copy == views.copy.has_value(), "a copy and its view");
    if (shape.copy) copies_ = kernel_.sbuf("copy", DType::kBf16, width_, 2);
  }

  // The moments of the next tile are loaded while this tile's parameters are updated.
  void emit() {
    std::optional<Tile> begun;
    const std::uint64_t height = machine_.chip.core.sbuf.partitions;
    for (std::uint64_t row = 0; row < shape_.rows; row += height)
      for (const Range& columns : cut(all_of(shape_.columns), width_)) {
        const Tile tile = moments(row, static_cast<unsigned>(std::min(height, shape_.rows - row)), columns);
        if (begun) step(*begun);
        begun = tile;
      }
    step(*begun);
  }

 private:
  struct Tile {
    std::uint64_t row;
    unsigned rows;
    Range columns;
    TileView p, m, v;
  };

  Pool pool(const char* name, unsigned copies) { return kernel_.sbuf(name, DType::kFp32, width_, copies); }

  Tile moments(std::uint64_t row, unsigned rows, const Range& columns) {
    const auto in_hbm = [&](const HbmView& view) {
      return view.window(row, columns.first, rows, columns.count);
    };
    const auto take = [&](Pool from) { return kernel_.take(from, rows, columns.count); };
    const Tile tile{row, rows, columns, take(ps_), take(ms_), take(vs_)};
    const TileView g = take(gs_), share = take(shares_), square = take(squares_);
    kernel_.load(g, in_hbm(views_.g));
    kernel_.load(tile.m, in_hbm(views_.m));
    kernel_.load(tile.v, in_hbm(views_.v));
    kernel_.load(tile.p, in_hbm(views_.p));
    kernel_.activation(share, g, ActFn::kCopy, constant(1 - settings_.beta1));
    kernel_.activation(tile.m, tile.m, ActFn::kCopy, constant(settings_.beta1));
    kernel_.activation(square, g, ActFn::kSquare, constant(std::sqrt(1 - settings_.beta2)));
    kernel_.activation(tile.v, tile.v, ActFn::kCopy, constant(settings_.beta2));
    if (settings_.decay != 0)
      kernel_.activation(tile.p, tile.p, ActFn::kCopy, constant(1 - settings_.rate * settings_.decay));
    kernel_.tensor_tensor(tile.m, tile.m, share, AluOp::kAdd);
    kernel_.tensor_tensor(tile.v, tile.v, square, AluOp::kAdd);
    kernel_.store(in_hbm(views_.next_m), tile.m, Queue::kGpSimd);
    kernel_.store(in_hbm(views_.next_v), tile.v, Queue::kGpSimd);
    return tile;
  }

  void step(const Tile& tile) {
    const auto in_hbm = [&](const HbmView& view) {
      return view.window(tile.row, tile.columns.first, tile.rows, tile.columns.count);
    };
    const TileView root = kernel_.take(roots_, tile.rows, tile.columns.count);
    kernel_.activation(root, tile.v, ActFn::kSqrt, constant(settings_.second_correction()));
    kernel_.tensor_scalar(root, root, AluOp::kAdd, constant(settings_.epsilon));
    kernel_.tensor_tensor(root, tile.m, root, AluOp::kDivide);
    kernel_.scalar_tensor_tensor(tile.p, root, AluOp::kMult,
                                 constant(-settings_.rate * settings_.first_correction()), AluOp::kAdd,
                                 tile.p);
    kernel_.store(in_hbm(views_.next_p), tile.p, Queue::kGpSimd);
    if (!shape_.copy) return;
    const TileView narrow = kernel_.take(copies_, tile.rows, tile.columns.count);
    kernel_.copy(narrow, tile.p, Queue::kGpSimd);
    kernel_.store(in_hbm(*views_.copy), narrow, Queue::kGpSimd);
  }

  Kernel& kernel_;
  const model::MachineParams& machine_;
  AdamShape shape_;
  AdamSettings settings_;
  AdamViews views_;
  unsigned width_;
  Pool ps_, gs_, ms_, vs_, shares_, squares_, roots_, copies_;
};

}  // namespace

void AdamSettings::declare(base::ParamTree& t) {
  using base::chosen;
  t.add("rate", rate, 1e-3, {0, 1}, "learning rate", chosen());
  t.add("beta1", beta1, 0.9, {0, 0.9999999}, "share of the first moment that is kept", chosen());
  t.add("beta2", beta2, 0.999, {0, 0.9999999}, "share of the second moment that is kept", chosen());
  t.add("epsilon", epsilon, 1e-8, {1e-30, 1}, "added to the root of the second moment", chosen());
  t.add("decay", decay, 0.01, {0, 1}, "weight decay, decoupled from the gradients", chosen());
}

double AdamSettings::first_correction() const { return 1 / (1 - std::pow(beta1, static_cast<double>(step))); }
double AdamSettings::second_correction() const {
  return 1 / (1 - std::pow(beta2, static_cast<double>(step)));
}

std::uint64_t shard_columns(const model::MachineParams& machine, std::uint64_t elements) {
  constexpr std::uint64_t kLeast = 512 / sizeof(float);
  std::uint64_t rows = std::gcd(elements, std::uint64_t{machine.chip.core.sbuf.partitions});
  while (rows % 2 == 0 && elements / rows < kLeast) rows /= 2;
  return elements / rows <= kWidest ? elements / rows : std::gcd(elements, std::uint64_t{kWidest});
}

void emit_adam(Kernel& kernel, const model::MachineParams& machine, const AdamShape& shape,
               const AdamSettings& settings, const AdamViews& views) {
  Adam(kernel, machine, shape, settings, views).emit();
}

isa::Program adam_program(const model::MachineParams& machine, const AdamShape& shape,
                          const AdamSettings& settings) {
  Kernel kernel("adam", machine);
  const auto argument = [&](const char* name, DType dtype) {
    return kernel.argument(name, dtype, shape.rows, shape.columns);
  };
  AdamViews views;
  views.p = argument("p", DType::kFp32);
  views.g = argument("g", shape.gradient);
  views.m = argument("m", DType::kFp32);
  views.v = argument("v", DType::kFp32);
  views.next_p = argument("p_next", DType::kFp32);
  views.next_m = argument("m_next", DType::kFp32);
  views.next_v = argument("v_next", DType::kFp32);
  if (shape.copy) views.copy = argument("copy", DType::kBf16);
  emit_adam(kernel, machine, shape, settings, views);
  return kernel.finish();
}

}  // namespace tahoma::workloads
