// SPDX-License-Identifier: Apache-2.0
#include "workloads/convolution/convolution_kernel.h"

#include <algorithm>
#include <vector>

#include "workloads/convolution/weights.h"

namespace tahoma::workloads {

namespace {

using isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Pool, runtime::TileView;

class Convolution {
 public:
  Convolution(Kernel& kernel, const ConvolutionShape& shape, unsigned side, unsigned bank_columns,
              unsigned banks, WeightPath path)
      : kernel_(kernel),
        shape_(shape),
        side_(side),
        rows_(std::min(static_cast<unsigned>(shape.out_height()),
                       bank_columns / static_cast<unsigned>(shape.out_width()))),
        parts_{kernel, shape, side, kernel.psum("banks", isa::DType::kFp32, bank_columns, banks)},
        x_(kernel.argument("x", shape.dtype, shape.images * shape.in, shape.height * shape.width)),
        bias_(kernel.argument("bias", shape.dtype, shape.out, 1)),
        y_(kernel.argument("y", shape.dtype, shape.images * shape.out,
                           shape.out_height() * shape.out_width())),
        weights_(make_weights(path, parts_)),
        xs_(kernel.sbuf("x", shape.dtype, static_cast<unsigned>(shape.height * shape.width),
                        parts_.in_tiles() * static_cast<unsigned>(shape.images))),
        biases_(kernel.sbuf("bias", shape.dtype, 1, 2)),
        ys_(kernel.sbuf("y", shape.dtype, rows_ * static_cast<unsigned>(shape.out_width()), 2)) {}

  void emit() {
    weights_->load(0);
    load_images();
    TileView bias = load_bias(0);
    for (unsigned out = 0; out < parts_.out_tiles(); ++out) {
      const bool more = out + 1 < parts_.out_tiles();
      if (more) weights_->load(out + 1);
      weights_->transpose(out);
      const TileView next = more ? load_bias(out + 1) : bias;
      if (more) weights_->stage(out + 1);
      for (unsigned image = 0; image < shape_.images; ++image) emit_image(image, out, bias);
      bias = next;
    }
    kernel_.wait(Queue::kGpSimd, y_);
  }

 private:
  void load_images() {
    for (std::uint64_t row = 0; row < shape_.images * shape_.in; row += side_) {
      images_.push_back(kernel_.take(xs_, side_, static_cast<unsigned>(x_.columns)));
      kernel_.load(images_.back(), x_.window(row, 0, side_, x_.columns));
    }
  }

  TileView load_bias(unsigned out) {
    const TileView bias = kernel_.take(biases_, side_, 1);
    kernel_.load(bias, bias_.window(std::uint64_t{out} * side_, 0, side_, 1));
    return bias;
  }

  void emit_image(unsigned image, unsigned out, const TileView& bias) {
    const auto height = static_cast<unsigned>(shape_.out_height());
    for (unsigned row = 0; row < height; row += rows_)
      emit_rows(image, out, bias, row, std::min(rows_, height - row));
  }

  // Some rows of an output image for a tile of output channels.
  void emit_rows(unsigned image, unsigned out, const TileView& bias, unsigned row, unsigned rows) {
    const auto width = static_cast<unsigned>(shape_.out_width()), pixels = rows * width;
    const TileView sums = kernel_.take(parts_.banks, side_, pixels);
    for (unsigned in = 0; in < parts_.in_tiles(); ++in)
      for (unsigned tap = 0; tap < parts_.taps(); ++tap)
        kernel_.matmul(sums.grid(0, rows, width, width), weights_->tap(in, tap),
                       moved(images_[image * parts_.in_tiles() + in], row, rows, tap), in + tap > 0);
    const TileView y = kernel_.take(ys_, side_, pixels);
    kernel_.tensor_tensor(y, sums, bias.broadcast_columns(pixels), isa::AluOp::kAdd);
    const std::uint64_t first = (std::uint64_t{image} * parts_.out_tiles() + out) * side_;
    kernel_.store(y_.window(first, std::uint64_t{row} * width, side_, pixels), y, Queue::kGpSimd);
  }

  // Returns the moving operand of a tap: the image shifted by the tap's position in the filter.
  TileView moved(const TileView& image, unsigned row, unsigned rows, unsigned tap) const {
    const auto filter = static_cast<unsigned>(shape_.filter), width = static_cast<unsigned>(shape_.width);
    return image.grid((row + tap / filter) * width + tap % filter, rows, width,
                      static_cast<unsigned>(shape_.out_width()));
  }

  Kernel& kernel_;
  const ConvolutionShape& shape_;
  unsigned side_, rows_;  // output rows that fill a bank
  ConvolutionParts parts_;
  HbmView x_, bias_, y_;
  std::unique_ptr<Weights> weights_;
  Pool xs_, biases_, ys_;
  std::vector<TileView> images_;
};

}  // namespace

isa::Program convolution_program(const model::MachineParams& machine, const ConvolutionShape& shape,
                                 WeightPath path) {
  const model::CoreParams& core = machine.chip.core;
  const std::uint64_t bank = core.psum.bank.count;
  Kernel kernel("convolution", machine);
  Convolution(kernel, shape, static_cast<unsigned>(core.tensor.rows),
              static_cast<unsigned>(bank / isa::size_of(isa::DType::kFp32)),
              static_cast<unsigned>(core.psum.per_partition.count / bank), path)
      .emit();
  return kernel.finish();
}

}  // namespace tahoma::workloads
