// SPDX-License-Identifier: Apache-2.0
#include "workloads/convolution/golden_convolution.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "model/base/error.h"
#include "runtime/golden/golden_tally.h"
#include "runtime/host/host_threads.h"
#include "workloads/common/golden_matrix.h"

namespace tahoma::workloads {

using runtime::accumulation_slack, runtime::Bounds, runtime::bounds_of, runtime::ExaminedElement,
    runtime::GoldenResult, runtime::GoldenTally;
using runtime::HostTensor, runtime::kGoldenDeviations, runtime::MadeBy, runtime::unit_roundoff;

namespace {

constexpr std::uint64_t kUnfoldedElements = std::uint64_t{1} << 21;  // of a strip of rows: 16 MiB of double

Doubles all_values(const HostTensor& tensor) {
  return doubles_of(tensor, {0, 0, tensor.rows(), tensor.columns()});
}

Doubles squares_of(Doubles values) {
  for (double& x : values) x *= x;
  return values;
}

class ConvolutionCheck {
 public:
  ConvolutionCheck(const HostTensor& x, const HostTensor& w, const HostTensor& bias, const HostTensor& y,
                   const ConvolutionGeometry& geometry)
      : y_(y),
        geometry_(geometry),
        channels_(x.shape[1]),
        height_(x.shape[2]),
        width_(x.shape[3]),
        filter_(w.shape[3]),
        outputs_(y.shape[1]),
        out_height_(y.shape[2]),
        out_width_(y.shape[3]),
        x_values_(all_values(x)),
        weights_(all_values(w)),
        weight_squares_(squares_of(weights_)),
        bias_(all_values(bias)) {
    roundings_ = static_cast<double>(depth() + 1) * (x.dtype == isa::DType::kFp32 ? 2 : 1);
  }

  GoldenTally run() const {
    const std::uint64_t height =
        std::clamp<std::uint64_t>(kUnfoldedElements / (depth() * out_width_), 1, out_height_);
    const std::uint64_t strips = (out_height_ + height - 1) / height;
    std::vector<GoldenTally> tallies(y_.shape[0] * strips);
    runtime::for_each_block(tallies.size(), [&](std::uint64_t block) {
      const std::uint64_t row = block % strips * height;
      tallies[block] = compare(block / strips, row, std::min(height, out_height_ - row));
    });
    GoldenTally tally;
    for (const GoldenTally& t : tallies) tally.merge(t);
    return tally;
  }

  ExaminedElement examine(std::uint64_t row, std::uint64_t column) const {
    const std::uint64_t map = row / out_height_, output = map % outputs_;
    const Doubles pixel = unfolded(map / outputs_, row % out_height_, 1, column, 1);
    double want = 0, square = 0;
    for (std::uint64_t k = 0; k < depth(); ++k) {
      const double product = weights_[output * depth() + k] * pixel[k];
      want += product;
      square += product * product;
    }
    return element(want + bias_[output], square);
  }

  double roundings() const { return roundings_; }

 private:
  std::uint64_t depth() const { return channels_ * filter_ * filter_; }

  // Row (channel, tap) by column (pixel): the factor of each weight for some rows of an output image.
  Doubles unfolded(std::uint64_t image, std::uint64_t row, std::uint64_t rows, std::uint64_t column,
                   std::uint64_t columns) const {
    Doubles result;
    result.reserve(depth() * rows * columns);
    for (std::uint64_t k = 0; k < depth(); ++k) {
      const std::uint64_t tap = k % (filter_ * filter_), channel = k / (filter_ * filter_);
      const double* plane = x_values_.data() + (image * channels_ + channel) * height_ * width_;
      for (std::uint64_t r = row; r < row + rows; ++r)
        for (std::uint64_t c = column; c < column + columns; ++c)
          result.push_back(
              pixel(plane, r * geometry_.stride + tap / filter_, c * geometry_.stride + tap % filter_));
    }
    return result;
  }
  // Reads the padded image.
  double pixel(const double* plane, std::uint64_t row, std::uint64_t column) const {
    const std::uint64_t r = row - geometry_.padding, c = column - geometry_.padding;  // wraps above the image
    return r < height_ && c < width_ ? plane[r * width_ + c] : 0;
  }

  ExaminedElement element(double want, double square) const {
    const double range = std::fabs(want) + kGoldenDeviations * std::sqrt(square);
    Bounds bounds = bounds_of(want, accumulation_slack(roundings_, range), y_.dtype);
    if (!geometry_.relu) return {want, range, bounds};
    bounds.low = std::max(bounds.low, 0.0);
    bounds.high = std::max(bounds.high, 0.0);
    return {std::max(want, 0.0), range, bounds};
  }

  GoldenTally compare(std::uint64_t image, std::uint64_t row, std::uint64_t rows) const {
    const Doubles pixels = unfolded(image, row, rows, 0, out_width_);
    const std::uint64_t columns = rows * out_width_;
    const Doubles wants = product(weights_, pixels, outputs_, columns);
    const Doubles squares = product(weight_squares_, squares_of(pixels), outputs_, columns);
    GoldenTally tally;
    for (std::uint64_t at = 0; at < wants.size(); ++at) {
      const std::uint64_t output = at / columns, pixel = at % columns;
      const std::uint64_t y_row = (image * outputs_ + output) * out_height_ + row + pixel / out_width_;
      const std::uint64_t y_column = pixel % out_width_;
      const ExaminedElement e = element(wants[at] + bias_[output], squares[at]);
      const double got = y_.at(y_row, y_column);
      tally.error(got, e.want, e.scale, y_row, y_column);
      if (!e.bounds.accept(got)) tally.mismatch(y_row * out_width_ + y_column);
    }
    return tally;
  }

  const HostTensor& y_;
  ConvolutionGeometry geometry_;
  std::uint64_t channels_, height_, width_, filter_, outputs_, out_height_, out_width_;
  Doubles x_values_, weights_, weight_squares_, bias_;
  double roundings_ = 0;
};

}  // namespace

GoldenResult check_convolution(const HostTensor& x, const HostTensor& w, const HostTensor& bias,
                               const HostTensor& y, const MadeBy& made_by,
                               const ConvolutionGeometry& geometry) {
  const auto extent = [&](std::uint64_t size) {
    return (size + 2 * geometry.padding - w.shape[2]) / geometry.stride + 1;
  };
  TAHOMA_INVARIANT(x.shape.size() == 4 && w.shape.size() == 4 && y.shape.size() == 4 &&
                       w.shape[2] == w.shape[3] && w.shape[1] == x.shape[1] && x.shape[0] == y.shape[0] &&
                       w.shape[0] == y.shape[1] && bias.elements() == y.shape[1] &&
                       y.shape[2] == extent(x.shape[2]) && y.shape[3] == extent(x.shape[3]),
                   fmt::format("golden convolution of x {}, w {} = {}", x.shape, w.shape, y.shape));
  const ConvolutionCheck check(x, w, bias, y, geometry);
  const std::string rule =
      fmt::format("{0} rounding of want +- {1:g} * 2^-24 * sqrt({2:.0f} / 3) * (|want| + {1:g} |products|)",
                  isa::name_of(y.dtype), kGoldenDeviations, check.roundings());
  return conclude(
      check.run(), y, [&](auto row, auto column) { return check.examine(row, column); },
      unit_roundoff(y.dtype) + accumulation_slack(check.roundings(), 1), rule, made_by);
}

}  // namespace tahoma::workloads
