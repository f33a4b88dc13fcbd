// SPDX-License-Identifier: Apache-2.0
#include "workloads/rope/rope_kernel.h"

#include <algorithm>

#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

using isa::AluOp, isa::Queue;
using runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

constexpr std::uint64_t kPieceColumns = 4096;  // of a piece: 8 KiB of 16 bits

class RopeBuilder {
 public:
  RopeBuilder(Kernel& kernel, const model::MachineParams& machine, const RopeShape& shape,
              const RopeViews& views)
      : shape_(shape),
        pitch_(static_cast<unsigned>(shape.pitch > 0 ? shape.pitch : shape.d)),
        half_(static_cast<unsigned>(shape.d / 2)),
        height_(machine.chip.core.sbuf.partitions),
        kernel_(kernel),
        views_(views) {
    if (shape.positions > 0) number_pool_ = kernel_.sbuf("positions", isa::DType::kInt32, 1, 3);
    const auto d = static_cast<unsigned>(shape.d);
    angles_ = kernel_.sbuf("angles", shape.dtype, d, 3);
    sines_ = kernel_.sbuf("signed sines", shape.dtype, d, 3);
    const unsigned columns = heads_together() * pitch_;
    xs_ = kernel_.sbuf("x", shape.dtype, columns, 3);
    products_ = kernel_.sbuf("x sin", shape.dtype, columns, 2);
    ys_ = kernel_.sbuf("y", shape.dtype, columns, 3);
  }

  void emit() {
    TileView next = load_angles(0);
    for (std::uint64_t token = 0; token < shape_.tokens; token += height_) {
      const std::uint64_t tokens = std::min(height_, shape_.tokens - token);
      const TileView angles = next, sines = signed_sines(angles);
      // Loads before this tile's stores, because GpSimd would start the gather too late after them.
      if (token + height_ < shape_.tokens) next = load_angles(token + height_);
      for (std::uint64_t head = 0; head < shape_.heads; head += heads_together())
        rotate(token, tokens, head, std::min<std::uint64_t>(heads_together(), shape_.heads - head), angles,
               sines);
    }
  }

 private:
  unsigned heads_together() const {
    return static_cast<unsigned>(std::clamp<std::uint64_t>(kPieceColumns / pitch_, 1, shape_.heads));
  }

  TileView load_angles(std::uint64_t token) {
    const std::uint64_t tokens = std::min(height_, shape_.tokens - token);
    const TileView angles =
        kernel_.take(angles_, static_cast<unsigned>(tokens), static_cast<unsigned>(shape_.d));
    if (shape_.positions == 0) {
      kernel_.load(angles, views_.table.window(token, 0, tokens, shape_.d));
      return angles;
    }
    const TileView numbers = kernel_.take(number_pool_, static_cast<unsigned>(tokens), 1);
    kernel_.load(numbers, views_.positions.window(token, 0, tokens, 1), Queue::kGpSimd);
    kernel_.gather(angles, views_.table, numbers);
    return angles;
  }

  // -sin for the first of a pair, sin for the second, in the order of x.
  TileView signed_sines(const TileView& angles) {
    const TileView signed_ = kernel_.take(sines_, angles.shape.partitions, 2 * half_),
                   sin = angles.columns(half_, half_);
    const auto of = [&](unsigned second) {
      return shape_.interleaved ? signed_.every(second, 2) : signed_.columns(second * half_, half_);
    };
    kernel_.tensor_scalar(of(0), sin, AluOp::kMult, {-1, nullptr}, AluOp::kBypass, {}, Queue::kScalar);
    kernel_.copy(of(1), sin, Queue::kScalar);
    return signed_;
  }

  // Returns the elements as [heads, 2, d/2] or [heads, d/2, 2]: a head every `pitch`, members of a pair
  // `apart`, pairs every `step`.
  TileView pairs(TileView view, unsigned heads, int pitch, int apart, int step) const {
    const auto of = [](int stride) { return static_cast<std::int16_t>(stride); };
    const auto half = static_cast<std::uint16_t>(half_);
    view.shape.count = {1, static_cast<std::uint16_t>(heads), 2, half};
    view.tile.stride = {0, of(pitch), of(apart), of(step)};
    if (!shape_.interleaved) return view;
    std::swap(view.shape.count[2], view.shape.count[3]);
    std::swap(view.tile.stride[2], view.tile.stride[3]);
    return view;
  }

  void rotate(std::uint64_t token, std::uint64_t tokens, std::uint64_t head, std::uint64_t heads,
              const TileView& angles, const TileView& sines) {
    const auto rows = static_cast<unsigned>(tokens), count = static_cast<unsigned>(heads);
    const auto d = static_cast<int>(pitch_);
    const unsigned columns = count * pitch_;
    const bool whole = pitch_ == shape_.d;
    const TileView x = kernel_.take(xs_, rows, columns), product = kernel_.take(products_, rows, columns),
                   y = whole ? kernel_.take(ys_, rows, columns) : x;
    kernel_.load(x, views_.x.window(token, head * pitch_, tokens, columns));
    const int apart = shape_.interleaved ? 1 : static_cast<int>(half_), step = shape_.interleaved ? 2 : 1;
    const auto natural = [&](const TileView& view) { return pairs(view, count, d, apart, step); };
    const TileView other =
        pairs(x.columns(static_cast<unsigned>(apart), columns - static_cast<unsigned>(apart)), count, d,
              -apart, step);
    const auto cosines = [&] {
      kernel_.tensor_tensor(natural(y), natural(x), pairs(angles, count, 0, 0, 1), AluOp::kMult);
    };
    if (whole) cosines();
    kernel_.tensor_tensor(natural(product), other, pairs(sines, count, 0, apart, step), AluOp::kMult);
    if (!whole) cosines();  // in place, so behind the products with the other features
    if (whole)
      kernel_.tensor_tensor(y, y, product, AluOp::kAdd);
    else
      kernel_.tensor_tensor(natural(y), natural(y), natural(product), AluOp::kAdd);
    kernel_.store(views_.y.window(token, head * pitch_, tokens, columns), y, Queue::kGpSimd);
  }

  RopeShape shape_;
  unsigned pitch_, half_;  // pitch: features of a head
  std::uint64_t height_;
  Kernel& kernel_;
  RopeViews views_;
  Pool number_pool_, angles_, sines_, xs_, products_, ys_;
};

}  // namespace

void emit_rope(Kernel& kernel, const model::MachineParams& machine, const RopeShape& shape,
               const RopeViews& views) {
  RopeBuilder(kernel, machine, shape, views).emit();
}

isa::Program rope_program(const model::MachineParams& machine, const RopeShape& shape) {
  Kernel kernel("rope", machine);
  RopeViews views;
  views.x = kernel.argument("x", shape.dtype, shape.tokens, shape.heads * shape.d);
  views.table =
      kernel.argument("table", shape.dtype, shape.positions > 0 ? shape.positions : shape.tokens, shape.d);
  if (shape.positions > 0) {
    views.positions = kernel.argument("positions", isa::DType::kInt32, shape.tokens, 1);
    kernel.control(views.positions);
  }
  views.y = kernel.argument("y", shape.dtype, shape.tokens, shape.heads * shape.d);
  emit_rope(kernel, machine, shape, views);
  return kernel.finish();
}

}  // namespace tahoma::workloads
