// SPDX-License-Identifier: Apache-2.0
#include "workloads/loss/cross_entropy_definition.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <cmath>

#include "runtime/golden/golden_rule.h"
#include "workloads/common/definition.h"
#include "workloads/common/row_numbers.h"

namespace tahoma::workloads {

using runtime::WantedRow;

namespace {

constexpr double kLeastBlock = 2048;  // columns; the maximum is updated at most once per block of this size

struct Row {
  Eigen::ArrayXd p;  // softmax
  std::uint64_t label = 0;
  double loss = 0, sum_error = 0, loss_error = 0;
};

Row row_of(const CrossEntropyTensors& t, std::uint64_t number) {
  const std::uint64_t columns = t.logits.columns();
  Eigen::ArrayXf narrow(static_cast<Eigen::Index>(columns));
  runtime::widen_window(t.logits, {number, 0, 1, columns}, narrow.data());
  const Eigen::ArrayXd x = narrow.cast<double>();
  Row row;
  row.label = static_cast<std::uint64_t>(row_number(t.labels, number));
  const double top = x.maxCoeff(), chosen = x[static_cast<Eigen::Index>(row.label)];
  row.p = (x - top).exp();
  const double sum = row.p.sum();
  row.p /= sum;
  row.loss = top + std::log(sum) - chosen;
  const auto n = static_cast<double>(columns);
  row.sum_error =
      runtime::accumulation_slack(n, 1) + (2 * x.abs().maxCoeff() + 32 + 4 * n / kLeastBlock) * kUnit;
  row.loss_error =
      row.sum_error + 4 * kUnit * (std::fabs(top) + std::fabs(chosen) + std::fabs(std::log(sum)));
  return row;
}

WantedRow gradient_of(const CrossEntropyTensors& t, std::uint64_t number, double scale) {
  const Row row = row_of(t, number);
  Eigen::ArrayXd want = scale * row.p;
  const double least = t.gradient.dtype == isa::DType::kFp16 ? 0x1p-25 * scale : 0;
  Eigen::ArrayXd slack = (runtime::unit_roundoff(t.gradient.dtype) + 2 * row.sum_error) * want + least;
  const auto label = static_cast<Eigen::Index>(row.label);
  want[label] -= scale;
  slack[label] = 2 * row.sum_error * scale * row.p[label] + 4 * kUnit * scale;
  return {{want.begin(), want.end()},
          {slack.begin(), slack.end()},
          std::vector<double>(static_cast<std::size_t>(want.size()), scale)};
}

}  // namespace

runtime::GoldenResult check_cross_entropy(const CrossEntropyTensors& t, const MakerOfOutput& maker) {
  const double rows = static_cast<double>(t.logits.rows()), scale = 1 / rows;
  const double unit = runtime::unit_roundoff(t.gradient.dtype);
  const double sums = runtime::accumulation_slack(static_cast<double>(t.logits.columns()), 1);
  std::vector<double> losses, errors;
  for (std::uint64_t r = 0; r < t.logits.rows(); ++r) {
    const Row row = row_of(t, r);
    losses.push_back(row.loss);
    errors.push_back(row.loss_error);
  }
  runtime::GoldenResult result = runtime::check_rows(
      t.gradient, [&](std::uint64_t row) { return gradient_of(t, row, scale); }, 2 * unit + 2 * sums,
      fmt::format("gradient: {} rounding of want +- (2^{:.0f} + {:.2g}) scale p; losses: want +- {:.2g}",
                  isa::name_of(t.gradient.dtype), std::log2(unit), 2 * sums, sums),
      maker("gradient"));
  result.add(runtime::check_rows(
      t.loss,
      [&](std::uint64_t row) {
        return WantedRow{{losses[row]}, {errors[row]}, {1}};
      },
      sums, result.rule, maker("loss")));
  const auto part = [&](std::uint64_t number) {
    std::uint64_t first = 0;
    for (std::uint64_t p = 0; p < number; ++p) first += t.rows_of_part[p];
    double want = 0, slack = 0, size = 0;
    for (std::uint64_t r = first; r < first + t.rows_of_part[number]; ++r) {
      want += scale * losses[r];
      slack += scale * errors[r];
      size += scale * std::fabs(losses[r]);
    }
    slack +=
        runtime::accumulation_slack(2 * static_cast<double>(t.rows_of_part[number]), size) + 4 * kUnit * size;
    return WantedRow{{want}, {slack}, {1}};
  };
  result.add(runtime::check_rows(t.part, part, sums, result.rule, maker("part")));
  return result;
}

}  // namespace tahoma::workloads
