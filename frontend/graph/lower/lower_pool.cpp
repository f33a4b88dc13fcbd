// SPDX-License-Identifier: Apache-2.0
// Pools of one or two dimensions: 128 channels at a time, output rows in bands, wide ones in pieces; each tap
// of the window is one operation of the vector engine on the shifted image.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/graph/lower/lower_nodes.h"
#include "frontend/graph/lower/product_steps.h"
#include "frontend/graph/lower/row_steps.h"
#include "frontend/graph/operators/product_operators.h"
#include "workloads/common/ranges.h"

namespace tahoma::workloads::graph {

namespace {

using isa::AluOp, isa::DType, isa::Queue;
using runtime::TileView;

constexpr std::int64_t kPoolBytes = 150 << 10;  // of a partition, for all buffers
constexpr std::int64_t kMostPixels = 60000;     // of a tile

struct PoolShape {
  std::uint64_t channels = 0;  // of all images
  WindowAxis rows, columns;
  bool maximum = false, counts_padding = false;
  DType dtype = DType::kFp32;
};

// A box of a tile whose rows are `pitch` elements apart.
TileView pool_box(TileView tile, std::int64_t first, std::int64_t rows, std::int64_t pitch,
                  std::int64_t columns, std::int64_t step) {
  constexpr std::size_t kInner = isa::kFreeDims - 1;
  tile.tile.offset +=
      static_cast<std::uint32_t>(first * static_cast<std::int64_t>(isa::size_of(tile.tile.dtype)));
  tile.shape.count[kInner - 1] = static_cast<std::uint16_t>(rows);
  tile.shape.count[kInner] = static_cast<std::uint16_t>(columns);
  tile.tile.stride[kInner - 1] = static_cast<std::int16_t>(rows > 1 ? pitch : 1);
  tile.tile.stride[kInner] = static_cast<std::int16_t>(columns > 1 ? step : 1);
  return tile;
}

// Elements of a window that count for the average: those of the image, or of the padded one.
std::int64_t counted(const WindowAxis& w, std::int64_t output, bool padding) {
  std::int64_t count = 0;
  for (std::int64_t tap = 0; tap < w.filter; ++tap) {
    const std::int64_t at = output * w.stride + tap * w.dilation - w.before;
    if (padding ? at < w.size + w.after : at >= 0 && at < w.size) ++count;
  }
  return count;
}

class Pooling {
 public:
  Pooling(Emission& emission, const PoolShape& shape, SlotId in, SlotId out)
      : kernel_(emission.kernel), emission_(emission), shape_(shape), in_(in), out_(out) {
    const auto element = static_cast<std::int64_t>(isa::size_of(shape.dtype));
    band_ = shape.rows.out();
    piece_ = shape.columns.out();
    const auto fits = [&] {
      const std::int64_t read = inputs(shape.rows, band_) * inputs(shape.columns, piece_),
                         made = band_ * piece_;
      return 2 * read * element + 2 * made * (element + 4) <= kPoolBytes && read <= kMostPixels &&
             made <= kMostPixels;
    };
    while (band_ > 1 && !fits()) band_ = (band_ + 1) / 2;
    while (piece_ > 1 && !fits()) piece_ = (piece_ + 1) / 2;
    const auto pixels = static_cast<unsigned>(band_ * piece_);
    xs_ = kernel_.sbuf("x", shape.dtype,
                       static_cast<unsigned>(inputs(shape.rows, band_) * inputs(shape.columns, piece_)), 2);
    sums_ = kernel_.sbuf("pooled", DType::kFp32, pixels, 2);
    ys_ = kernel_.sbuf("y", shape.dtype, pixels, 2);
  }

  void emit() {
    const auto height = static_cast<std::uint64_t>(emission_.machine.chip.core.sbuf.partitions);
    for (std::uint64_t first = 0; first < shape_.channels; first += height)
      for (std::int64_t row = 0; row < shape_.rows.out(); row += band_)
        for (std::int64_t column = 0; column < shape_.columns.out(); column += piece_)
          emit_band(first, static_cast<unsigned>(std::min(height, shape_.channels - first)),
                    {row, std::min(band_, shape_.rows.out() - row)},
                    {column, std::min(piece_, shape_.columns.out() - column)});
  }

 private:
  // Inputs that so many neighbouring outputs read, at most.
  static std::int64_t inputs(const WindowAxis& w, std::int64_t outputs) {
    return std::min(w.size, (outputs - 1) * w.stride + (w.filter - 1) * w.dilation + 1);
  }
  // Those inside the image that these outputs read.
  static OutputRange inputs_of(const WindowAxis& w, const OutputRange& outputs) {
    const std::int64_t first = std::max<std::int64_t>(0, outputs.first * w.stride - w.before),
                       end = std::min(w.size, (outputs.first + outputs.count - 1) * w.stride +
                                                  (w.filter - 1) * w.dilation - w.before + 1);
    return {first, end - first};
  }

  // Some rows and columns of images of this height and width.
  struct ImageBox {
    OutputRange rows, columns;
    std::int64_t height = 0, width = 0;
  };
  // A box of the images in HBM, and a tile of it as what a transfer takes.
  std::pair<runtime::HbmView, TileView> box_of(SlotId slot, const TileView& tile, std::uint64_t channel,
                                               const ImageBox& box) const {
    const auto& [rows, columns, height, width] = box;
    const auto at = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
    const unsigned channels = tile.shape.partitions;
    runtime::HbmView all = emission_.matrix(slot, shape_.channels, at(height * width));
    const std::uint64_t first = at(rows.first * width + columns.first);
    if (columns.count == width) return {all.window(channel, first, channels, at(rows.count * width)), tile};
    runtime::HbmView window = all.window(channel, first, channels, at(columns.count));
    window.repeats = {{{channels, window.row_stride}, {at(rows.count), width}}};
    window.rows = 1;
    return {window, tile.slices(static_cast<unsigned>(rows.count))};
  }

  void emit_band(std::uint64_t channel, unsigned channels, const OutputRange& rows,
                 const OutputRange& columns) {
    const WindowAxis &down = shape_.rows, &right = shape_.columns;
    const OutputRange in_rows = inputs_of(down, rows), in_columns = inputs_of(right, columns);
    const TileView x = kernel_.take(xs_, channels, static_cast<unsigned>(in_rows.count * in_columns.count)),
                   sum = kernel_.take(sums_, channels, static_cast<unsigned>(rows.count * columns.count));
    const auto [from, loaded] = box_of(in_, x, channel, {in_rows, in_columns, down.size, right.size});
    kernel_.load(loaded, from);
    kernel_.memset(sum, shape_.maximum ? -std::numeric_limits<float>::infinity() : 0.0F, Queue::kGpSimd);
    for (std::int64_t s = 0; s < down.filter; ++s)
      for (std::int64_t t = 0; t < right.filter; ++t) {
        const OutputRange r = outputs_inside(down, s, rows.first, rows.first + rows.count),
                          c = outputs_inside(right, t, columns.first, columns.first + columns.count);
        if (r.count <= 0 || c.count <= 0) continue;
        const TileView to = pool_box(sum, (r.first - rows.first) * columns.count + c.first - columns.first,
                                     r.count, columns.count, c.count, 1);
        const std::int64_t at =
            (r.first * down.stride + s * down.dilation - down.before - in_rows.first) * in_columns.count +
            c.first * right.stride + t * right.dilation - right.before - in_columns.first;
        kernel_.tensor_tensor(to, to,
                              pool_box(x, at, r.count, down.stride * in_columns.count, c.count, right.stride),
                              shape_.maximum ? AluOp::kMax : AluOp::kAdd);
      }
    const TileView y = kernel_.take(ys_, channels, static_cast<unsigned>(rows.count * columns.count));
    if (shape_.maximum)
      kernel_.copy(y, sum);
    else
      average(y, sum, rows, columns);
    const auto [to, stored] = box_of(out_, y, channel, {rows, columns, down.out(), right.out()});
    kernel_.store(to, stored, Queue::kGpSimd);
  }

  // Neighbouring outputs whose windows have equally many elements share an operation.
  void average(const TileView& y, const TileView& sum, const OutputRange& rows, const OutputRange& columns) {
    const std::int64_t width = columns.count;
    const auto down = [&](std::int64_t r) {
      return counted(shape_.rows, rows.first + r, shape_.counts_padding);
    };
    const auto right = [&](std::int64_t c) {
      return counted(shape_.columns, columns.first + c, shape_.counts_padding);
    };
    for (std::int64_t r = 0, r_end = 0; r < rows.count; r = r_end) {
      for (r_end = r + 1; r_end < rows.count && down(r_end) == down(r);) ++r_end;
      for (std::int64_t c = 0, c_end = 0; c < width; c = c_end) {
        for (c_end = c + 1; c_end < width && right(c_end) == right(c);) ++c_end;
        const auto part = [&](const TileView& of) {
          return pool_box(of, r * width + c, r_end - r, width, c_end - c, 1);
        };
        kernel_.tensor_scalar(part(y), part(sum), AluOp::kMult,
                              {1.0F / static_cast<float>(down(r) * right(c)), nullptr});
      }
    }
  }

  runtime::Kernel& kernel_;
  Emission& emission_;
  const PoolShape& shape_;
  SlotId in_, out_;
  std::int64_t band_ = 1, piece_ = 1;  // output rows and columns of a tile
  runtime::Pool xs_, sums_, ys_;
};

}  // namespace

void lower_pool(const NodeView& node, Lowering& lowering) {
  const std::vector<WindowAxis> windows = pool_windows(node);
  const TensorRef in = lowering.tensor(node.id(0)), out = lowering.result(node.node().outputs[0]);
  const bool maximum = node.node().op.ends_with("MaxPool");
  const auto channels = static_cast<std::uint64_t>(in.dims[0] * in.dims[1]);
  if (node.node().op.starts_with("Global"))
    return add_reduction(lowering, {out, in, channels, elements_of(in.dims) / channels},
                         maximum ? ReductionOp::kMax : ReductionOp::kMean);
  node.require(windows.size() <= 2, "E-ONX-010", "pools three dimensions");
  PoolShape shape{channels, windows.size() == 2 ? windows[0] : WindowAxis{}, windows.back(),
                  maximum,  node.integer("count_include_pad", 0) != 0,       lowering.dtype(in)};
  Step step;
  step.kernel = "pool";
  step.engine = StepEngine::kVector;
  step.dtype = shape.dtype;
  step.bytes = lowering.bytes(in) + lowering.bytes(out);
  step.flops = static_cast<double>(elements_of(out.dims)) *
               static_cast<double>(shape.rows.filter * shape.columns.filter);
  step.tiles = fmt::format("{}x{} window, {} channels", shape.rows.filter, shape.columns.filter, channels);
  step.emit = [shape, in, out](Emission& e) { Pooling(e, shape, in.slot, out.slot).emit(); };
  lowering.add(std::move(step));
}

}  // namespace tahoma::workloads::graph
