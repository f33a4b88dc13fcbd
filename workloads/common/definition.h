// SPDX-License-Identifier: Apache-2.0
// Building blocks of kernel definitions: rows in double, and sums with a bound on the effect of their
// roundings (runtime/golden/golden.h has the rule).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "runtime/golden/golden.h"
#include "runtime/golden/golden_rule.h"

namespace tahoma::workloads {

inline constexpr double kUnit = 0x1p-24;  // fp32's largest relative rounding error

inline std::vector<double> row_of(const runtime::HostTensor& tensor, std::uint64_t row) {
  std::vector<float> narrow(tensor.columns());
  runtime::widen_window(tensor, {row, 0, 1, tensor.columns()}, narrow.data());
  return {narrow.begin(), narrow.end()};
}

// A sum whose order the machine chooses.
struct TermSum {
  double sum = 0, squares = 0, magnitudes = 0;
  std::uint64_t terms = 0;

  void add(double term) {
    sum += term;
    squares += term * term;
    magnitudes += std::fabs(term);
    ++terms;
  }
  // Partial sums stay within this distance of 0 if their order does not depend on the values.
  double range() const { return std::fabs(sum) + runtime::kGoldenDeviations * std::sqrt(squares); }
  // Slack of the sum in fp32: `roundings` per term cover the additions and the computation of the terms.
  double slack(double roundings = 1) const {
    return runtime::accumulation_slack(roundings * static_cast<double>(terms), range());
  }
  // Each term is rounded independently to a dtype with this unit.
  double rounded(double unit) const { return runtime::kGoldenDeviations * unit * std::sqrt(squares / 3); }
};

}  // namespace tahoma::workloads
