// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/golden_gemm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "isa/table/activation_functions.h"
#include "isa/table/table_names.h"
#include "model/base/error.h"
#include "runtime/golden/golden_tally.h"
#include "runtime/host/host_threads.h"
#include "workloads/common/golden_activation.h"
#include "workloads/common/host_products.h"

namespace tahoma::workloads {

using runtime::accumulation_slack, runtime::bounds_of, runtime::ExaminedElement, runtime::GoldenResult,
    runtime::GoldenTally;
using runtime::HostTensor, runtime::kGoldenDeviations, runtime::MadeBy, runtime::unit_roundoff,
    runtime::widen_window, runtime::Window;

namespace {

// Elements of the widened operands that are held at a time: a shared panel of b, and a strip of a per thread.
constexpr std::uint64_t kPanelElements = std::uint64_t{16} << 20;
constexpr std::uint64_t kStripElements = std::uint64_t{2} << 20;
// A block with this many failures needs no more exact examination: further elements that the first look
// refuses are counted unexamined.
constexpr std::uint64_t kConfirmed = 16;

// 4-norms of the rows of a and the columns of b: |a_i|_4 |b_j|_4 bounds the root of the sum of an element's
// squared products (Cauchy and Schwarz), which is how far its running sums wander around their drift.
std::vector<double> row_norms(const HostTensor& a) {
  std::vector<double> norms(a.rows());
  constexpr std::uint64_t kRows = 64;
  runtime::for_each_block((a.rows() + kRows - 1) / kRows, [&](std::uint64_t block) {
    std::vector<float> row(a.columns());
    for (std::uint64_t r = block * kRows; r < std::min(a.rows(), (block + 1) * kRows); ++r) {
      widen_window(a, {r, 0, 1, a.columns()}, row.data());
      double sum = 0;
      for (const double x : row) sum += x * x * x * x;
      norms[r] = std::sqrt(std::sqrt(sum));
    }
  });
  return norms;
}

std::vector<double> column_norms(const HostTensor& b) {
  std::vector<double> norms(b.columns());
  std::vector<float> row(b.columns());
  for (std::uint64_t r = 0; r < b.rows(); ++r) {
    widen_window(b, {r, 0, 1, b.columns()}, row.data());
    for (std::uint64_t c = 0; c < row.size(); ++c) {
      const double square = double{row[c]} * double{row[c]};
      norms[c] += square * square;
    }
  }
  for (double& norm : norms) norm = std::sqrt(std::sqrt(norm));
  return norms;
}

class GemmCheck {
 public:
  GemmCheck(const HostTensor& a, const HostTensor& b, const HostTensor& c, const ProductEpilogue& epilogue,
            std::uint64_t products)
      : a_(a),
        b_(b),
        c_(c),
        epilogue_(epilogue),
        activation_(golden_activation(epilogue.activation)),
        depth_(a.columns()),
        row_norm_(row_norms(a)),
        column_norm_(column_norms(b)) {
    const bool exact_products = a.dtype != isa::DType::kFp32;
    roundings_ = static_cast<double>(products > 0 ? products : depth_) * (exact_products ? 1 : 2);
    one_deviation_ = accumulation_slack(roundings_, 1) / kGoldenDeviations;
  }

  // Scalar: the type that Eigen computes in.
  template <class Scalar>
  GoldenTally run() const {
    GoldenTally tally;
    const std::uint64_t width = std::clamp<std::uint64_t>(kPanelElements / depth_, 64, 4096);
    for (std::uint64_t column = 0; column < c_.columns(); column += width)
      tally.merge(panel<Scalar>(column, std::min(width, c_.columns() - column)));
    return tally;
  }

  // By the definition, in double: products of two fp32 values are exact, and the sum errs by 2^-53 per step.
  ExaminedElement examine(std::uint64_t row, std::uint64_t column) const {
    double sum = 0, high = 0, low = 0;
    for (std::uint64_t k = 0; k < depth_; ++k) {
      sum += double{a_.at(row, k)} * double{b_.at(k, column)};
      high = std::max(high, sum);
      low = std::min(low, sum);
    }
    const Approximate want = behind({sum, accumulation_slack(roundings_, high - low)}, row, column);
    ExaminedElement element{want.value, row_norm_[row] * column_norm_[column], {}};
    element.bounds = bounds_of(want.value, want.slack, c_.dtype);
    element.bounds.may_overflow = high - low > std::numeric_limits<float>::max();
    return element;
  }

  double roundings() const { return roundings_; }

 private:
  // Applies the epilogue to a sum.
  Approximate behind(Approximate x, std::uint64_t row, std::uint64_t column) const {
    if (epilogue_.row_bias != nullptr) x = added(x, epilogue_.row_bias->at(row, 0));
    if (epilogue_.column_bias != nullptr) x = added(x, epilogue_.column_bias->at(0, column));
    x = activated(x, activation_);
    return epilogue_.residual == nullptr ? x : added(x, epilogue_.residual->at(row, column));
  }

  template <class Scalar>
  static std::vector<Scalar> widened(const HostTensor& tensor, const Window& window) {
    std::vector<Scalar> result(window.rows * window.columns);
    if constexpr (std::is_same_v<Scalar, float>) {
      widen_window(tensor, window, result.data());
    } else {
      std::vector<float> row(window.columns);
      for (std::uint64_t r = 0; r < window.rows; ++r) {
        widen_window(tensor, {window.row + r, window.column, 1, window.columns}, row.data());
        std::copy(row.begin(), row.end(), result.begin() + static_cast<std::ptrdiff_t>(r * window.columns));
      }
    }
    return result;
  }

  template <class Scalar>
  GoldenTally panel(std::uint64_t column, std::uint64_t width) const {
    const std::vector<Scalar> b = widened<Scalar>(b_, {0, column, depth_, width});
    const std::uint64_t height =
        std::clamp<std::uint64_t>(kStripElements / std::max(depth_, width), 16, 1024);
    const std::uint64_t strips = (c_.rows() + height - 1) / height;
    std::vector<GoldenTally> tallies(strips);
    runtime::for_each_block(strips, [&](std::uint64_t strip) {
      const std::uint64_t row = strip * height, rows = std::min(height, c_.rows() - row);
      tallies[strip] = block<Scalar>({row, column, rows, width}, b);
    });
    GoldenTally tally;
    for (const GoldenTally& t : tallies) tally.merge(t);
    return tally;
  }

  template <class Scalar>
  GoldenTally block(const Window& window, const std::vector<Scalar>& b) const {
    const std::vector<Scalar> a = widened<Scalar>(a_, {window.row, 0, window.rows, depth_});
    std::vector<Scalar> want(window.rows * window.columns);
    const auto m = static_cast<std::ptrdiff_t>(window.rows), n = static_cast<std::ptrdiff_t>(window.columns);
    const auto k = static_cast<std::ptrdiff_t>(depth_);
    if constexpr (std::is_same_v<Scalar, float>)
      host_products().product_f32(a.data(), b.data(), want.data(), m, n, k);
    else
      host_products().product_f64(a.data(), b.data(), want.data(), m, n, k);
    return compare(window, want);
  }

  template <class Scalar>
  GoldenTally compare(const Window& w, const std::vector<Scalar>& want) const {
    GoldenTally tally;
    std::vector<float> got(w.columns);
    for (std::uint64_t r = 0; r < w.rows; ++r) {
      const std::uint64_t row = w.row + r;
      widen_window(c_, {row, w.column, 1, w.columns}, got.data());
      for (std::uint64_t i = 0; i < w.columns; ++i) {
        const std::uint64_t column = w.column + i;
        const double sum = want[r * w.columns + i], scale = row_norm_[row] * column_norm_[column];
        const Approximate expected = behind({sum, one_deviation_ * (std::fabs(sum) + scale)}, row, column);
        tally.error(got[i], expected.value, scale, row, column);
        if (!passes_first_look(got[i], expected) && !confirmed_right(tally, row, column))
          tally.mismatch(row * c_.columns() + column);
      }
    }
    return tally;
  }

  bool passes_first_look(double got, const Approximate& want) const {
    return std::isfinite(want.value) && bounds_of(want.value, want.slack, c_.dtype).accept(got);
  }

  bool confirmed_right(const GoldenTally& tally, std::uint64_t row, std::uint64_t column) const {
    return tally.mismatches < kConfirmed && examine(row, column).bounds.accept(c_.at(row, column));
  }

  const HostTensor &a_, &b_, &c_;
  const ProductEpilogue& epilogue_;
  const GoldenActivation& activation_;
  std::uint64_t depth_;
  std::vector<double> row_norm_, column_norm_;
  double roundings_ = 0, one_deviation_ = 0;
};

// The text of the epilogue's rule, which follows that of the sums.
std::string rule_behind(const ProductEpilogue& epilogue) {
  if (epilogue.empty()) return "";
  std::string rule = "; half an ulp of fp32 more for each addition behind the sum";
  if (epilogue.activation != isa::ActFn::kCopy)
    rule += fmt::format(
        ", {} times all of it and {} ulp for {}", golden_activation(epilogue.activation).slope,
        isa::activation_function(epilogue.activation).error.ulps, isa::name_of(epilogue.activation));
  return rule;
}

}  // namespace

GoldenResult check_gemm(const HostTensor& a, const HostTensor& b, const HostTensor& c, const MadeBy& made_by,
                        const ProductEpilogue& epilogue, std::uint64_t products) {
  TAHOMA_INVARIANT(
      a.columns() == b.rows() && c.rows() == a.rows() && c.columns() == b.columns() && a.dtype == b.dtype,
      fmt::format("golden of {} x {} = {}", a.shape, b.shape, c.shape));
  const GemmCheck check(a, b, c, epilogue, products);
  // Eigen's float product rounds like the machine's. It is good enough to find errors of 16-bit outputs, but
  // not of fp32 ones.
  const GoldenTally tally = c.dtype == isa::DType::kFp32 ? check.run<double>() : check.run<float>();
  const double slack = accumulation_slack(check.roundings(), 1);
  const std::string rule = fmt::format(
      "{} rounding of want +- {:g} * 2^-24 * sqrt({:.0f} / 3) * range of the element's running sums{}",
      isa::name_of(c.dtype), kGoldenDeviations, check.roundings(), rule_behind(epilogue));
  return conclude(
      tally, c, [&](auto row, auto column) { return check.examine(row, column); },
      unit_roundoff(c.dtype) + slack, rule, made_by);
}

}  // namespace tahoma::workloads
