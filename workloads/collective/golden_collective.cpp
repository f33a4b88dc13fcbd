// SPDX-License-Identifier: Apache-2.0
#include "workloads/collective/golden_collective.h"

#include <fmt/format.h>

#include <cmath>

#include "runtime/golden/golden_tally.h"
#include "workloads/common/golden_array.h"

namespace tahoma::workloads {

using runtime::Bounds, runtime::bounds_of, runtime::ExaminedElement, runtime::GoldenResult,
    runtime::GoldenTally;
using runtime::HostTensor, runtime::kGoldenDeviations, runtime::MadeBy, runtime::unit_roundoff;

namespace {

// Known quantities of every element of a reduction.
struct Wanted {
  Eigen::ArrayXd value, magnitude, square;  // reduced, and the sums of |x| and x^2
  Eigen::Array<bool, Eigen::Dynamic, 1> whole;
};

Wanted reduce(const std::vector<HostTensor>& inputs, CollectiveReduction reduction) {
  Wanted wanted;
  for (const HostTensor& input : inputs) {
    const Eigen::ArrayXd x = array_of_row(input, 0);
    const Eigen::Array<bool, Eigen::Dynamic, 1> whole = x == x.round();
    if (wanted.value.size() == 0) {
      wanted = {x, x.abs(), x.square(), whole};
      continue;
    }
    if (reduction == CollectiveReduction::kSum)
      wanted.value += x;
    else
      wanted.value =
          reduction == CollectiveReduction::kMin ? wanted.value.min(x).eval() : wanted.value.max(x).eval();
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
        // Integers are summed exactly, modulo their range; inputs remain below it.
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

GoldenResult check_collective_reduction(const std::vector<HostTensor>& inputs, CollectiveReduction reduction,
                                        const HostTensor& got, std::uint32_t roundings,
                                        const MadeBy& made_by) {
  const Wanted wanted = reduce(inputs, reduction);
  const bool sum = reduction == CollectiveReduction::kSum;
  const Rule rule(got.dtype, sum, roundings, inputs.size());
  GoldenTally tally;
  for (std::uint64_t row = 0; row < got.rows(); ++row) {
    const Eigen::ArrayXd values = array_of_row(got, row);
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

}  // namespace tahoma::workloads
