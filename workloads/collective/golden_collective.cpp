// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>
#include <cstring>

#include "runtime/golden/golden.h"
#include "runtime/golden/golden_tally.h"

namespace tahoma::runtime {

namespace {

Eigen::ArrayXd row_of(const HostTensor& tensor, std::uint64_t row) {
  Eigen::ArrayXf narrow(static_cast<Eigen::Index>(tensor.columns()));
  widen_window(tensor, {row, 0, 1, tensor.columns()}, narrow.data());
  return narrow.cast<double>();
}

// What is known of every element of a reduction.
struct Wanted {
  Eigen::ArrayXd value, magnitude, square;  // reduced, and the sums of |x| and x^2
  Eigen::Array<bool, Eigen::Dynamic, 1> whole;
};

Wanted reduce(const std::vector<HostTensor>& inputs, Reduction reduction) {
  Wanted wanted;
  for (const HostTensor& input : inputs) {
    const Eigen::ArrayXd x = row_of(input, 0);
    const Eigen::Array<bool, Eigen::Dynamic, 1> whole = x == x.round();
    if (wanted.value.size() == 0) {
      wanted = {x, x.abs(), x.square(), whole};
      continue;
    }
    if (reduction == Reduction::kSum)
      wanted.value += x;
    else
      wanted.value = reduction == Reduction::kMin ? wanted.value.min(x).eval() : wanted.value.max(x).eval();
    wanted.magnitude += x.abs();
    wanted.square += x.square();
    wanted.whole = wanted.whole && whole;
  }
  return wanted;
}

class Rule {
 public:
  Rule(isa::DType dtype, bool sum, std::uint32_t roundings, std::size_t contributions)
      : dtype_(dtype),
        sum_(sum),
        // Integers are summed exactly, modulo what they hold; inputs keep below that.
        held_(isa::is_float(dtype) ? 1 / unit_roundoff(dtype) : 0x1p32),
        relative_(kGoldenDeviations *
                  ((isa::is_float(dtype) ? unit_roundoff(dtype) : 0) * std::sqrt(roundings / 3.0) +
                   0x1p-24 * std::sqrt(static_cast<double>(contributions) / 3.0))) {}

  Bounds bounds(const Wanted& wanted, Eigen::Index i) const {
    const double want = wanted.value[i];
    if (!sum_ || !isa::is_float(dtype_) || (wanted.whole[i] && wanted.magnitude[i] <= held_))
      return {want, want, false};
    const double range = std::abs(want) + kGoldenDeviations * std::sqrt(wanted.square[i]);
    return bounds_of(want, relative_ * range, dtype_);
  }
  double epsilon() const { return sum_ ? relative_ : 0; }

 private:
  isa::DType dtype_;
  bool sum_;
  double held_, relative_;
};

}  // namespace

GoldenResult check_reduction(const std::vector<HostTensor>& inputs, Reduction reduction,
                             const HostTensor& got, std::uint32_t roundings, const MadeBy& made_by) {
  const Wanted wanted = reduce(inputs, reduction);
  const bool sum = reduction == Reduction::kSum;
  const Rule rule(got.dtype, sum, roundings, inputs.size());
  GoldenTally tally;
  for (std::uint64_t row = 0; row < got.rows(); ++row) {
    const Eigen::ArrayXd values = row_of(got, row);
    for (std::uint64_t column = 0; column < got.columns(); ++column) {
      const auto i = static_cast<Eigen::Index>(column);
      if (!rule.bounds(wanted, i).accept(values[i])) tally.mismatch(row * got.columns() + column);
      tally.error(values[i], wanted.value[i], std::sqrt(wanted.square[i]), row, column);
    }
  }
  const auto examine = [&](std::uint64_t, std::uint64_t column) {
    const auto i = static_cast<Eigen::Index>(column);
    return ExaminedElement{wanted.value[i], std::sqrt(wanted.square[i]), rule.bounds(wanted, i)};
  };
  return conclude(tally, got, examine, rule.epsilon(),
                  sum ? fmt::format("exact where integers add up exactly, else {} roundings to {} of {} "
                                    "contributions",
                                    roundings, isa::name_of(got.dtype), inputs.size())
                      : "exact",
                  made_by);
}

GoldenResult check_moved(const HostTensor& want, const HostTensor& got, const MadeBy& made_by) {
  GoldenTally tally;
  const std::size_t size = isa::size_of(got.dtype);
  for (std::uint64_t row = 0; row < got.rows(); ++row)
    for (std::uint64_t column = 0; column < got.columns(); ++column) {
      const std::uint64_t index = row * got.columns() + column;
      if (std::memcmp(want.values.data() + index * size, got.values.data() + index * size, size) != 0)
        tally.mismatch(index);
      tally.error(got.at(row, column), want.at(row, column), 0, row, column);
    }
  const auto examine = [&](std::uint64_t row, std::uint64_t column) {
    const double value = want.at(row, column);
    return ExaminedElement{value, 0, {value, value, false}};
  };
  return conclude(tally, got, examine, 0, "bit by bit", made_by);
}

}  // namespace tahoma::runtime
