// SPDX-License-Identifier: Apache-2.0
#include "workloads/convolution/conv2d_kernel.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/builder/kernel.h"
#include "workloads/convolution/conv2d_plan.h"

namespace tahoma::workloads {

using isa::ActFn, isa::AluOp, isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

namespace {

// Elements of a partition: in each dimension `count` elements with a stride of `step`.
struct Extent {
  unsigned count = 1;
  unsigned step = 0;
};

TileView box(TileView tile, unsigned first, const Extent& images, const Extent& rows, const Extent& columns) {
  tile.tile.offset += static_cast<std::uint32_t>(first * isa::size_of(tile.tile.dtype));
  std::size_t d = 1;
  for (const Extent& e : {images, rows, columns}) {
    tile.shape.count[d] = static_cast<std::uint16_t>(e.count);
    tile.tile.stride[d++] = static_cast<std::int16_t>(e.count > 1 ? e.step : 1);
  }
  return tile;
}

// Outputs r of a range for which r * stride + tap * dilation - before is in [0, size).
Range inside(const Range& outputs, const ConvAxis& axis, std::uint64_t tap) {
  const std::uint64_t shift = tap * axis.dilation;
  const auto first_at = [&](std::uint64_t position) {  // the first r with r * stride + shift >= position
    return position > shift ? (position - shift + axis.stride - 1) / axis.stride : 0;
  };
  const std::uint64_t first = std::max(outputs.first, first_at(axis.before)),
                      end = std::min(outputs.end(), first_at(axis.before + axis.size));
  return {first, end > first ? static_cast<unsigned>(end - first) : 0};
}

// A tap that is inside the image for every output.
std::optional<std::uint64_t> tap_of_all(const ConvAxis& axis) {
  for (std::uint64_t tap = 0; tap < axis.filter; ++tap)
    if (inside(all_of(axis.out()), axis, tap).count == axis.out()) return tap;
  return {};
}

class Conv2d {
 public:
  Conv2d(Kernel& kernel, const Conv2dShape& shape, const Conv2dPlan& plan, const Conv2dViews& views)
      : kernel_(kernel),
        shape_(shape),
        plan_(plan),
        x_(views.x),
        w_(views.w),
        bias_(views.bias),
        y_(views.y),
        residual_(views.residual),
        in_(cut(all_of(shape.in), plan.height)) {
    const std::optional<std::uint64_t> row = tap_of_all(shape.rows), column = tap_of_all(shape.columns);
    if (column && plan.stack > 1) first_tap_ = static_cast<unsigned>(*column);
    if (row && column && plan.stack == 1)
      first_tap_ = static_cast<unsigned>(*row * shape.columns.filter + *column);
    const auto in_tiles = static_cast<unsigned>(in_.size()),
               out_tiles = static_cast<unsigned>((shape.out + plan.height - 1) / plan.height);
    const unsigned pixels = plan.bank_images * plan.bank_rows * plan.bank_columns;
    weights_ =
        plan.stack > 1
            ? kernel.sbuf("w", shape.dtype, static_cast<unsigned>(shape.columns.filter) * plan.channels,
                          plan.passes)
            : kernel.sbuf("w", shape.dtype, static_cast<unsigned>(shape.taps()) * plan.channels, in_tiles);
    xs_ = kernel.sbuf("x", shape.dtype, plan.input_columns, kBlockCopies * in_tiles);
    biases_ = kernel.sbuf("bias", DType::kFp32, 1, out_tiles);
    ys_ = kernel.sbuf("y", shape.dtype, pixels, kConvolutionResults);
    sums_ = kernel.psum("sums", DType::kFp32, pixels, 2 * kConvolutionGroup);
    if (!first_tap_) zeros_ = kernel.sbuf("zeros", shape.dtype, std::max(pixels, plan.height), 1);
    if (shape.residual) make_residual(pixels);
    for (const Range& out : cut(all_of(shape.out), plan.height)) {
      bias_tiles_.push_back(kernel.take(biases_, out.count, 1));
      kernel.load(bias_tiles_.back(), bias_.window(out.first, 0, out.count, 1), Queue::kGpSimd);
    }
  }

  void emit() {
    for (const Range& panel : cut(all_of(shape_.out), plan_.channels)) {
      w_tiles_.assign(std::max<std::size_t>(in_.size(), plan_.passes), std::nullopt);
      panel_ = panel;
      for (const Pixels& block : plan_.blocks(shape_)) {
        x_tiles_.assign(in_.size(), std::nullopt);
        for (const Range& out : cut(panel, plan_.height)) emit_channels(block, out);
      }
    }
  }

 private:
  void make_residual(unsigned pixels) {
    residuals_ = kernel_.sbuf("residual", shape_.dtype, pixels, kConvolutionResults);
    const auto square = [&](const char* name) {
      return kernel_.take(kernel_.sbuf(name, shape_.dtype, plan_.height, 1), plan_.height, plan_.height);
    };
    const TileView ones = square("ones");
    identity_ = square("identity");
    kernel_.memset(ones, 1.0F, Queue::kGpSimd);
    kernel_.affine_select(identity_, ones, 0, 1, -1, isa::CompareOp::kEq, 0.0F);
  }

  // Computes all banks of a block for a tile of output channels, a group of banks at a time.
  void emit_channels(const Pixels& block, const Range& out) {
    const TileView& bias = bias_tiles_[out.first / plan_.height];
    const std::vector<Pixels> banks = plan_.banks(block);
    for (std::size_t first = 0; first < banks.size(); first += kConvolutionGroup) {
      const std::vector<Pixels> group(
          banks.begin() + static_cast<std::ptrdiff_t>(first),
          banks.begin() + static_cast<std::ptrdiff_t>(std::min(banks.size(), first + kConvolutionGroup)));
      emit_group(block, group, out, bias);
    }
  }

  void emit_group(const Pixels& block, const std::vector<Pixels>& group, const Range& out,
                  const TileView& bias) {
    std::vector<TileView> sums;
    for (const Pixels& bank : group) sums.push_back(kernel_.take(sums_, out.count, bank.count()));
    // A tap that contributes to every pixel comes first. If there is none, a product of zeros does: only a
    // matmul begins a group of sums in PSUM.
    if (!first_tap_)
      for (std::size_t b = 0; b < group.size(); ++b) {
        const unsigned pixels = group[b].count();
        const TileView zeros = kernel_.take(zeros_, 1, std::max(out.count, pixels));
        kernel_.memset(zeros, 0.0F);
        kernel_.matmul(sums[b], zeros.columns(0, out.count), zeros.columns(0, pixels), false);
      }
    const unsigned begin = first_tap_.value_or(0);
    if (plan_.stack > 1) multiply_stacked(sums, block, group, out);
    for (std::size_t k = 0; k < (plan_.stack > 1 ? 0 : in_.size()); ++k) {
      const TileView w = weights(k), x = input(block, k);
      for (unsigned n = 0; n < shape_.taps(); ++n) {
        const unsigned tap = n == 0 ? begin : n <= begin ? n - 1 : n;
        const TileView stationary =
            w.slice(tap).columns(static_cast<unsigned>(out.first - panel_.first), out.count);
        for (std::size_t b = 0; b < group.size(); ++b)
          emit_tap({sums[b], stationary, x, block, group[b], !first_tap_ || k + n > 0}, tap);
      }
    }
    if (shape_.residual)
      for (std::size_t b = 0; b < group.size(); ++b) add_residual(sums[b], group[b], out);
    for (std::size_t b = 0; b < group.size(); ++b) finish(sums[b], group[b], out, bias);
  }

  // The taps of each column of the filter are `passes` products.
  void multiply_stacked(const std::vector<TileView>& sums, const Pixels& block,
                        const std::vector<Pixels>& group, const Range& out) {
    const TileView x = stacked_input(block);
    const auto filter = static_cast<unsigned>(shape_.rows.filter), in = static_cast<unsigned>(shape_.in);
    const unsigned begin = first_tap_.value_or(0);
    for (unsigned pass = 0; pass < plan_.passes; ++pass) {
      const unsigned channels = std::min(plan_.stack, filter - pass * plan_.stack) * in;
      const TileView w = stacked_weights(pass);
      for (unsigned n = 0; n < shape_.columns.filter; ++n) {
        const unsigned tap = n == 0 ? begin : n <= begin ? n - 1 : n;
        const TileView stationary =
            w.partitions(0, channels)
                .columns(tap * panel_.count + static_cast<unsigned>(out.first - panel_.first), out.count);
        for (std::size_t b = 0; b < group.size(); ++b) {
          const Range columns = inside(group[b].columns, shape_.columns, tap);
          const std::uint64_t row = (group[b].rows.first - block.rows.first) * shape_.rows.stride +
                                    std::uint64_t{pass} * plan_.stack * shape_.rows.dilation;
          emit_product(
              {sums[b], stationary, x.partitions(0, channels), block, group[b], !first_tap_ || pass + n > 0},
              {group[b].rows, columns, row, plan_.stacked_rows(shape_, block.rows.count)}, tap);
        }
      }
    }
  }

  // Partition j * in + k has channel k, shifted by j rows of the filter. Rows outside the image are 0.
  TileView stacked_input(const Pixels& block) {
    std::optional<TileView>& tile = x_tiles_[0];
    if (tile) return *tile;
    const auto in = static_cast<unsigned>(shape_.in), width = static_cast<unsigned>(shape_.columns.size),
               images = block.images.count, rows = plan_.stacked_rows(shape_, block.rows.count);
    const auto signed_of = [](std::uint64_t n) { return static_cast<std::int64_t>(n); };
    tile = kernel_.take(xs_, plan_.stack * in, images * rows * width);
    const std::int64_t base =
                           signed_of(block.rows.first * shape_.rows.stride) - signed_of(shape_.rows.before),
                       last = base + signed_of((plan_.stack - 1) * shape_.rows.dilation),
                       size = signed_of(shape_.rows.size);
    // Rows of every image.
    const auto part = [&](const TileView& all, std::int64_t first, std::int64_t end) {
      return (images > 1 ? all.slices(images) : all)
          .columns(static_cast<unsigned>(first) * width, static_cast<unsigned>(end - first) * width);
    };
    const auto clear = [&](std::int64_t first, std::int64_t end) {
      first = std::clamp<std::int64_t>(first, 0, rows);
      end = std::clamp<std::int64_t>(end, 0, rows);
      if (end > first) kernel_.memset(part(*tile, first, end), 0.0F, Queue::kGpSimd);
    };
    clear(0, -base);
    clear(std::max<std::int64_t>(size - last, -base), rows);
    for (unsigned j = 0; j < plan_.stack; ++j) {
      const std::int64_t top = base + signed_of(j * shape_.rows.dilation);
      const std::int64_t from = std::clamp<std::int64_t>(top, 0, size), end = std::min(size, top + rows);
      if (end <= from) continue;
      const auto count = static_cast<unsigned>(end - from) * width;
      HbmView window = x_.window(block.images.first * shape_.x_pitch(),
                                 static_cast<std::uint64_t>(from) * width, in, count);
      if (images > 1) {
        window.repeats = {{{in, window.row_stride},
                           {images, window.row_stride * static_cast<std::int64_t>(shape_.x_pitch())}}};
        window.rows = 1;
      }
      kernel_.load(part(tile->partitions(j * in, in), from - top, end - top), window);
    }
    return *tile;
  }

  // [stack * in, columns of the filter * channels of the panel]
  TileView stacked_weights(unsigned pass) {
    std::optional<TileView>& tile = w_tiles_[pass];
    if (tile) return *tile;
    const auto in = static_cast<unsigned>(shape_.in), across = static_cast<unsigned>(shape_.columns.filter);
    const unsigned copies =
        std::min(plan_.stack, static_cast<unsigned>(shape_.rows.filter) - pass * plan_.stack);
    tile = kernel_.take(weights_, plan_.stack * in, across * panel_.count);
    for (unsigned j = 0; j < copies; ++j)
      for (unsigned tap = 0; tap < across; ++tap) {
        HbmView from = w_.window((pass * plan_.stack + j) * across + tap, panel_.first, 1, panel_.count);
        from.rows = in;
        from.row_stride = w_.row_stride * static_cast<std::int64_t>(shape_.taps());
        kernel_.load(tile->partitions(j * in, in).columns(tap * panel_.count, panel_.count), from);
      }
    return *tile;
  }

  // Weights of a tap times the input of a block, for the pixels of a bank.
  struct TapProduct {
    const TileView &sum, &stationary, &x;
    const Pixels &block, &bank;
    bool accumulate;
  };
  void emit_tap(const TapProduct& product, unsigned tap) {
    const std::uint64_t down = tap / shape_.columns.filter, right = tap % shape_.columns.filter;
    const Range input = Conv2dPlan::input_rows(shape_, product.block.rows),
                rows = inside(product.bank.rows, shape_.rows, down),
                columns = inside(product.bank.columns, shape_.columns, right);
    if (rows.count == 0) return;
    const std::uint64_t row =
        rows.first * shape_.rows.stride + down * shape_.rows.dilation - shape_.rows.before - input.first;
    emit_product(product, {rows, columns, row, input.count}, static_cast<unsigned>(right));
  }

  // Output pixels of a product, and the first input row that it reads of the `input_rows` in each image.
  struct Reach {
    Range rows, columns;
    std::uint64_t row = 0;
    unsigned input_rows = 0;
  };
  void emit_product(const TapProduct& product, const Reach& reach, unsigned right) {
    if (reach.columns.count == 0) return;
    const auto& [sum, stationary, x, block, bank, accumulate] = product;
    const auto width = static_cast<unsigned>(shape_.columns.size), out_width = bank.columns.count,
               step = static_cast<unsigned>(shape_.rows.stride), images = bank.images.count;
    const std::uint64_t column =
        reach.columns.first * shape_.columns.stride + right * shape_.columns.dilation - shape_.columns.before;
    const auto from = static_cast<unsigned>(
        ((bank.images.first - block.images.first) * reach.input_rows + reach.row) * width + column);
    const auto to = static_cast<unsigned>((reach.rows.first - bank.rows.first) * out_width +
                                          reach.columns.first - bank.columns.first);
    const unsigned rows = reach.rows.count, columns = reach.columns.count;
    kernel_.matmul(box(sum, to, {images, bank.rows.count * out_width}, {rows, out_width}, {columns, 1}),
                   stationary,
                   box(x, from, {images, reach.input_rows * width}, {rows, step * width},
                       {columns, static_cast<unsigned>(shape_.columns.stride)}),
                   accumulate);
  }

  // Adds the bias, applies the activation and rounds once; the vector and the scalar engine take turns.
  void finish(const TileView& sum, const Pixels& bank, const Range& out, const TileView& bias) {
    const TileView y = kernel_.take(ys_, out.count, bank.count());
    if (finished_++ % 2 == 0)
      kernel_.tensor_scalar(y, sum, AluOp::kAdd, {0, &bias}, shape_.relu ? AluOp::kMax : AluOp::kBypass,
                            {0, nullptr});
    else
      kernel_.activation(y, sum, shape_.relu ? ActFn::kRelu : ActFn::kCopy, {1.0F, nullptr}, {0, &bias});
    const auto [window, tile] = pixels_in(y_, y, bank, out);
    kernel_.store(window, tile, Queue::kGpSimd);
  }

  void add_residual(const TileView& sum, const Pixels& bank, const Range& out) {
    const TileView all = kernel_.take(residuals_, out.count, bank.count());
    const auto [window, tile] = pixels_in(residual_, all, bank, out);
    kernel_.load(tile, window);
    kernel_.matmul(sum, identity_.partitions(0, out.count).columns(0, out.count), all, true);
  }

  // Channels of a bank in a tensor of y's shape, and a tile of them as what a transfer takes.
  std::pair<HbmView, TileView> pixels_in(const HbmView& tensor, const TileView& tile, const Pixels& bank,
                                         const Range& out) const {
    const std::uint64_t width = shape_.out_width();
    HbmView window = tensor.window(bank.images.first * shape_.y_pitch() + out.first,
                                   bank.rows.first * width + bank.columns.first, out.count,
                                   bank.rows.count * bank.columns.count);
    if (bank.images.count == 1) return {window, tile};
    window.repeats = {{{out.count, window.row_stride},
                       {bank.images.count, window.row_stride * static_cast<std::int64_t>(shape_.y_pitch())}}};
    window.rows = 1;  // channel by image by pixel
    return {window, tile.slices(bank.images.count)};
  }

  TileView weights(std::size_t k) {
    std::optional<TileView>& tile = w_tiles_[k];
    if (tile) return *tile;
    const auto taps = static_cast<unsigned>(shape_.taps());
    tile = kernel_.take(weights_, in_[k].count, taps * panel_.count).slices(taps);
    kernel_.load(
        *tile, w_.window(in_[k].first * taps, panel_.first, std::uint64_t{in_[k].count} * taps, panel_.count)
                   .slices(taps));
    return *tile;
  }

  TileView input(const Pixels& block, std::size_t k) {
    std::optional<TileView>& tile = x_tiles_[k];
    if (tile) return *tile;
    const Range rows = Conv2dPlan::input_rows(shape_, block.rows);
    const auto width = static_cast<unsigned>(shape_.columns.size), images = block.images.count;
    tile = kernel_.take(xs_, in_[k].count, images * rows.count * width);
    HbmView from = x_.window(block.images.first * shape_.x_pitch() + in_[k].first, rows.first * width,
                             in_[k].count, std::uint64_t{rows.count} * width);
    if (images > 1) {
      from.repeats = {{{in_[k].count, from.row_stride},
                       {images, from.row_stride * static_cast<std::int64_t>(shape_.x_pitch())}}};
      from.rows = 1;
    }
    kernel_.load(tile->slices(images), from);
    return *tile;
  }

  Kernel& kernel_;
  const Conv2dShape& shape_;
  Conv2dPlan plan_;
  HbmView x_, w_, bias_, y_, residual_;
  std::vector<Range> in_;
  Pool weights_, xs_, biases_, ys_, sums_, zeros_, residuals_;
  TileView identity_;
  Range panel_;
  std::vector<TileView> bias_tiles_;
  std::vector<std::optional<TileView>> w_tiles_, x_tiles_;
  std::optional<unsigned> first_tap_;
  std::size_t finished_ = 0;
};

}  // namespace

void emit_conv2d(Kernel& kernel, const model::MachineParams& machine, const Conv2dShape& shape,
                 const Conv2dViews& views) {
  Conv2d(kernel, shape, plan_conv2d(machine, shape), views).emit();
}

isa::Program conv2d_program(const model::MachineParams& machine, const Conv2dShape& shape) {
  Kernel kernel("conv2d", machine);
  Conv2dViews views;
  views.x = kernel.argument("x", shape.dtype, shape.images * shape.in, shape.rows.size * shape.columns.size);
  views.w = kernel.argument("w", shape.dtype, shape.in * shape.taps(), shape.out);
  views.bias = kernel.argument("bias", DType::kFp32, shape.out, 1);
  views.y =
      kernel.argument("y", shape.dtype, shape.images * shape.out, shape.out_height() * shape.out_width());
  emit_conv2d(kernel, machine, shape, views);
  return kernel.finish();
}

}  // namespace tahoma::workloads
