// SPDX-License-Identifier: Apache-2.0
#include "workloads/decode/decode_definition.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "runtime/golden/golden_rule.h"
#include "workloads/common/definition.h"
#include "workloads/common/row_numbers.h"

namespace tahoma::workloads {

using runtime::HostTensor, runtime::WantedRow;

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kLeastBlock = 128;  // keys; the maximum is updated at most once per block of this size

Matrix rows_of(const HostTensor& tensor, std::uint64_t row, std::uint64_t rows) {
  const auto columns = static_cast<Eigen::Index>(tensor.columns());
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> narrow(
      static_cast<Eigen::Index>(rows), columns);
  runtime::widen_window(tensor, {row, 0, rows, tensor.columns()}, narrow.data());
  return narrow.cast<double>();
}

class Definition {
 public:
  explicit Definition(const DecodeTensors& tensors) : t_(tensors) {}

  WantedRow row(std::uint64_t row) {
    const std::uint64_t group = t_.q.shape[2], unit = row / group;
    if (unit != unit_) enter(unit);
    const Eigen::VectorXd q = rows_of(t_.q, row, 1).transpose();
    const Eigen::VectorXd scores = k_ * q / std::sqrt(static_cast<double>(q.size()));
    Eigen::VectorXd p = (scores.array() - scores.maxCoeff()).exp();
    p /= p.sum();
    const Eigen::RowVectorXd want = p.transpose() * v_, mass = p.transpose() * v_.cwiseAbs();
    const Matrix apart = v_.rowwise() - want;
    const double least = runtime::smallest_normal(t_.q.dtype);
    const Eigen::VectorXd size = p.cwiseMax(least);
    const Eigen::ArrayXd square = (size.cwiseAbs2().transpose() * apart.cwiseAbs2()).transpose().array(),
                         most = (size.transpose() * apart.cwiseAbs()).transpose().array();
    const Eigen::ArrayXd spread = (runtime::kGoldenDeviations * (square / 3).sqrt()).min(most);
    const double shared = shared_error(q.norm() * k_.rowwise().norm().maxCoeff(),
                                       scores.cwiseAbs().maxCoeff(), static_cast<double>(v_.rows()));
    const Eigen::ArrayXd slack =
        runtime::unit_roundoff(t_.q.dtype) * spread + shared * mass.transpose().array();
    return {{want.begin(), want.end()}, {slack.begin(), slack.end()}, {mass.begin(), mass.end()}};
  }

  double shared_error(double score_range, double largest_score, double length) const {
    const double products = t_.o.dtype == isa::DType::kFp32 ? 2 : 1, d = static_cast<double>(t_.q.shape[3]);
    return runtime::accumulation_slack(products * d, score_range) / std::sqrt(d) +
           (4 * largest_score + 16 + 4 * (1 + length / kLeastBlock)) * kUnit +
           2 * runtime::accumulation_slack(products * length, 1);
  }

 private:
  void enter(std::uint64_t unit) {
    unit_ = unit;
    const std::uint64_t sequences = t_.q.shape[1], sequence = unit % sequences;
    k_ = tokens(t_.k, unit / sequences, sequence);
    v_ = tokens(t_.v, unit / sequences, sequence).leftCols(static_cast<Eigen::Index>(t_.o.columns()));
  }

  Matrix tokens(const HostTensor& cache, std::uint64_t head, std::uint64_t sequence) const {
    const std::uint64_t length = t_.lengths[sequence], second = cache.shape[1], third = cache.shape[2];
    if (t_.table == nullptr) return rows_of(cache, (head * second + sequence) * third, length);
    Matrix all(static_cast<Eigen::Index>(length), static_cast<Eigen::Index>(cache.columns()));
    for (std::uint64_t first = 0; first < length; first += third) {
      const std::uint64_t count = std::min(third, length - first);
      const auto page =
          static_cast<std::uint64_t>(row_number(*t_.table, sequence * t_.table->columns() + first / third));
      all.middleRows(static_cast<Eigen::Index>(first), static_cast<Eigen::Index>(count)) =
          rows_of(cache, (head * second + page) * third, count);
    }
    return all;
  }

  const DecodeTensors& t_;
  std::uint64_t unit_ = UINT64_MAX;
  Matrix k_, v_;
};

}  // namespace

runtime::GoldenResult check_decode(const DecodeTensors& tensors, const runtime::MadeBy& made_by) {
  Definition definition(tensors);
  double longest = 0;
  for (const std::uint64_t length : tensors.lengths) longest = std::max(longest, static_cast<double>(length));
  const double shared = definition.shared_error(0, 0, longest),
               unit = runtime::unit_roundoff(tensors.q.dtype);
  return runtime::check_rows(
      tensors.o, [&](std::uint64_t row) { return definition.row(row); },
      runtime::unit_roundoff(tensors.o.dtype) + unit + shared,
      fmt::format(
          "{} rounding of want +- ({:g} * 2^{:.0f} * sqrt(sum p^2 (v - want)^2 / 3) + {:.2g} * sum p |v|)",
          isa::name_of(tensors.o.dtype), runtime::kGoldenDeviations, std::log2(unit), shared),
      made_by);
}

}  // namespace tahoma::workloads
