// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/operators/row_operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "runtime/golden/golden_rule.h"

namespace tahoma::workloads::graph {

namespace {

constexpr double kUlp = 0x1p-23;  // of fp32, relative

// Calls f for the offsets of the elements of each row: dimensions [first, first + count) vary.
template <class F>
void for_rows(const Dims& dims, std::size_t first, std::size_t count, F&& f) {
  std::size_t outer = 1, row = 1, inner = 1;
  for (std::size_t d = 0; d < dims.size(); ++d)
    (d < first ? outer : d < first + count ? row : inner) *= static_cast<std::size_t>(dims[d]);
  std::vector<std::size_t> offsets(row);
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i) {
      for (std::size_t r = 0; r < row; ++r) offsets[r] = (o * row + r) * inner + i;
      f(offsets);
    }
}

// A row's mean and the inverse of its deviation, and the relative error of what follows from them.
struct RowStatistics {
  double mean = 0, inverse = 0, largest = 0, relative = 0;
};
RowStatistics statistics_of(const std::vector<double>& x, const std::vector<std::size_t>& row,
                            double epsilon) {
  RowStatistics s;
  const auto n = static_cast<double>(row.size());
  for (const std::size_t at : row) {
    s.mean += x[at] / n;
    s.largest = std::max(s.largest, std::fabs(x[at]));
  }
  double variance = 0;
  for (const std::size_t at : row) variance += (x[at] - s.mean) * (x[at] - s.mean) / n;
  s.inverse = 1 / std::sqrt(variance + epsilon);
  s.relative = rounding_slack(n, 1) + 8 * kUlp;
  return s;
}

double affine_slack(const RowStatistics& s, double normal, double gain, double bias) {
  // Errors of the mean are relative to the largest element; those of the deviation, also through the mean.
  const double of_mean = s.relative * s.largest * s.inverse;
  return std::fabs(gain) * (of_mean + std::fabs(normal) * (s.relative + of_mean)) +
         2 * kUlp * (std::fabs(gain * normal) + std::fabs(bias));
}

}  // namespace

std::vector<TensorType> infer_same(const NodeView& node) { return {node.type(0)}; }

RowsOf softmax_rows(const NodeView& node) {
  const bool flat = node.opset() < 13;
  const std::size_t axis = node.axis(node.integer("axis", flat ? 1 : -1), node.rank(0));
  return {axis, flat ? static_cast<std::size_t>(node.rank(0)) - axis : 1};
}

std::vector<Wanted> define_softmax(const NodeView& node, const Inputs& in,
                                   const std::vector<TensorType>& outputs) {
  const RowsOf rows = softmax_rows(node);
  const bool logarithm = node.node().op == "LogSoftmax";
  const std::vector<double>& x = in[0]->values;
  Wanted wanted{{outputs[0], std::vector<double>(x.size())}, std::vector<double>(x.size())};
  for_rows(outputs[0].dims, rows.first, rows.count, [&](const std::vector<std::size_t>& row) {
    double top = -std::numeric_limits<double>::infinity(), sum = 0;
    for (const std::size_t at : row) top = std::max(top, x[at]);
    for (const std::size_t at : row) sum += std::exp(x[at] - top);
    const double relative = rounding_slack(static_cast<double>(row.size()), 1) + 8 * kUlp;
    for (const std::size_t at : row) {
      const double shifted = x[at] - top;
      if (logarithm) {
        wanted.array.values[at] = shifted - std::log(sum);
        wanted.slack[at] =
            relative + 2 * kUlp * (std::fabs(shifted) + std::fabs(std::log(sum)) + std::fabs(x[at]));
      } else {
        wanted.array.values[at] = std::exp(shifted) / sum;
        const double argument = std::isfinite(shifted) ? kUlp * (std::fabs(shifted) + 1) : 0;
        wanted.slack[at] = wanted.array.values[at] * (relative + argument) + 0x1p-140;
      }
    }
  });
  return {wanted};
}

std::vector<TensorType> infer_layer_norm(const NodeView& node) {
  TensorType column{ElementType::kFloat, node.dims(0)};
  const std::size_t axis = node.axis(node.integer("axis", -1), node.rank(0));
  for (std::size_t d = axis; d < column.dims.size(); ++d) column.dims[d] = 1;
  return {node.type(0), column, column};
}

std::vector<Wanted> define_layer_norm(const NodeView& node, const Inputs& in,
                                      const std::vector<TensorType>& outputs) {
  const std::size_t axis = node.axis(node.integer("axis", -1), node.rank(0)), rank = outputs[0].dims.size();
  const std::vector<double>& x = in[0]->values;
  Wanted wanted{{outputs[0], std::vector<double>(x.size())}, std::vector<double>(x.size())},
      mean{{outputs[1], {}}, {}}, inverse{{outputs[2], {}}, {}};
  for_rows(outputs[0].dims, axis, rank - axis, [&](const std::vector<std::size_t>& row) {
    const RowStatistics s = statistics_of(x, row, node.number("epsilon", 1e-5));
    for (std::size_t i = 0; i < row.size(); ++i) {
      const double gain = in[1]->values[i % in[1]->values.size()],
                   bias = in.size() > 2 && in[2] != nullptr ? in[2]->values[i % in[2]->values.size()] : 0,
                   normal = (x[row[i]] - s.mean) * s.inverse;
      wanted.array.values[row[i]] = normal * gain + bias;
      wanted.slack[row[i]] = affine_slack(s, normal, gain, bias);
    }
    mean.array.values.push_back(s.mean);
    mean.slack.push_back(s.relative * s.largest);
    inverse.array.values.push_back(s.inverse);
    inverse.slack.push_back(s.inverse * s.relative * (1 + s.largest * s.inverse));
  });
  return {wanted, mean, inverse};
}

std::vector<Wanted> define_instance_norm(const NodeView& node, const Inputs& in,
                                         const std::vector<TensorType>& outputs) {
  const Dims& dims = outputs[0].dims;
  const std::vector<double>& x = in[0]->values;
  Wanted wanted{{outputs[0], std::vector<double>(x.size())}, std::vector<double>(x.size())};
  std::size_t number = 0;
  for_rows(dims, 2, dims.size() - 2, [&](const std::vector<std::size_t>& row) {
    const RowStatistics s = statistics_of(x, row, node.number("epsilon", 1e-5));
    const std::size_t channel = number++ % static_cast<std::size_t>(dims[1]);
    const double gain = in[1]->values[channel], bias = in[2]->values[channel];
    for (const std::size_t at : row) {
      const double normal = (x[at] - s.mean) * s.inverse;
      wanted.array.values[at] = normal * gain + bias;
      wanted.slack[at] = affine_slack(s, normal, gain, bias);
    }
  });
  return {wanted};
}

std::vector<TensorType> infer_batch_norm(const NodeView& node) {
  node.require(node.integer("training_mode", 0) == 0, "E-ONX-005", "is in training mode");
  node.require(node.rank(0) >= 2 && node.inputs() == 5, "E-ONX-004",
               fmt::format("has {} inputs, the first of shape {}", node.inputs(), text_of(node.dims(0))));
  for (std::size_t i = 1; i < 5; ++i)
    node.require(
        node.dims(i) == Dims{node.dims(0)[1]}, "E-ONX-004",
        fmt::format("has {} channels and input {} of shape {}", node.dims(0)[1], i, text_of(node.dims(i))));
  return {node.type(0)};
}

std::vector<Wanted> define_batch_norm(const NodeView& node, const Inputs& in,
                                      const std::vector<TensorType>& outputs) {
  const double epsilon = node.number("epsilon", 1e-5);
  Wanted wanted{{outputs[0], {}}, {}};
  for_each_index(outputs[0].dims, [&](const Dims& index, std::size_t number) {
    const auto c = static_cast<std::size_t>(index[1]);
    const double factor = in[1]->values[c] / std::sqrt(in[4]->values[c] + epsilon), x = in[0]->values[number],
                 mean = in[3]->values[c], bias = in[2]->values[c];
    wanted.array.values.push_back((x - mean) * factor + bias);
    wanted.slack.push_back(4 * kUlp *
                           ((std::fabs(x) + std::fabs(mean)) * std::fabs(factor) + std::fabs(bias)));
  });
  return {wanted};
}

std::vector<std::size_t> reduced_axes(const NodeView& node) {
  const std::vector<std::int64_t> numbers = node.list_or_input("axes", 1);
  std::set<std::size_t> axes;
  for (const std::int64_t number : numbers) axes.insert(node.axis(number, node.rank(0)));
  if (numbers.empty() && node.integer("noop_with_empty_axes", 0) == 0)
    for (std::size_t d = 0; d < node.dims(0).size(); ++d) axes.insert(d);
  return {axes.begin(), axes.end()};
}

std::vector<TensorType> infer_reduction(const NodeView& node) {
  const std::vector<std::size_t> axes = reduced_axes(node);
  const bool keeps = node.integer("keepdims", 1) != 0;
  TensorType type{node.type(0).element, {}};
  for (std::size_t d = 0; d < node.dims(0).size(); ++d) {
    const bool reduced = std::binary_search(axes.begin(), axes.end(), d);
    if (!reduced) type.dims.push_back(node.dims(0)[d]);
    if (reduced && keeps) type.dims.push_back(1);
  }
  return {type};
}

std::vector<Wanted> define_reduction(const NodeView& node, const Inputs& in,
                                     const std::vector<TensorType>& outputs) {
  const std::vector<std::size_t> axes = reduced_axes(node);
  const std::string how = node.node().op.substr(6);  // of "Reduce..."
  Dims kept = in[0]->type.dims;
  std::int64_t count = 1;
  for (const std::size_t d : axes) {
    count *= kept[d];
    kept[d] = 1;
  }
  struct Sums {
    double sum = 0, squares = 0, magnitudes = 0, product = 1;
    double high = -std::numeric_limits<double>::infinity(), low = std::numeric_limits<double>::infinity();
  };
  std::vector<Sums> all(outputs[0].elements());
  for_each_index(in[0]->type.dims, [&](const Dims& index, std::size_t number) {
    Sums& s = all[broadcast_offset(kept, index)];
    const double x = in[0]->values[number];
    s.sum += x;
    s.squares += x * x;
    s.magnitudes += std::fabs(x);
    s.product *= x;
    s.high = std::max(s.high, x);
    s.low = std::min(s.low, x);
  });
  std::vector<double> exponentials(how == "LogSumExp" ? all.size() : 0);
  if (how == "LogSumExp")
    for_each_index(in[0]->type.dims, [&](const Dims& index, std::size_t number) {
      const std::size_t at = broadcast_offset(kept, index);
      exponentials[at] += std::exp(in[0]->values[number] - all[at].high);
    });
  Wanted wanted{{outputs[0], {}}, {}};
  const auto n = static_cast<double>(count);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Sums& s = all[i];
    const double slack = rounding_slack(n + 2, s.magnitudes),
                 square_slack = rounding_slack(2 * n + 2, s.squares);
    const auto put = [&](double value, double error) {
      wanted.array.values.push_back(value);
      wanted.slack.push_back(error);
    };
    if (how == "Sum") put(s.sum, slack);
    if (how == "Mean") put(s.sum / n, slack / n);
    if (how == "Max") put(s.high, 0);
    if (how == "Min") put(s.low, 0);
    if (how == "Prod") put(s.product, rounding_slack(n, std::fabs(s.product)));
    if (how == "L1") put(s.magnitudes, slack);
    if (how == "SumSquare") put(s.squares, square_slack);
    if (how == "L2")
      put(std::sqrt(s.squares),
          s.squares > 0 ? square_slack / std::sqrt(s.squares) + 2 * kUlp * std::sqrt(s.squares) : 0);
    if (how == "LogSum") put(std::log(s.sum), slack / s.sum + 2 * kUlp * std::fabs(std::log(s.sum)));
    if (how == "LogSumExp") {
      const double value = s.high + std::log(exponentials[i]);
      put(value, rounding_slack(n, 1) + 8 * kUlp * (1 + std::fabs(value) + std::fabs(s.high)));
    }
  }
  return {wanted};
}

}  // namespace tahoma::workloads::graph
