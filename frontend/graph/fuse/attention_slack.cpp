// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/fuse/attention_slack.h"

#include <algorithm>
#include <cmath>

#include "frontend/graph/table/operator_table.h"
#include "runtime/golden/golden_rule.h"

namespace tahoma::workloads::graph {

namespace {

// The node's product of other operands.
std::vector<double> product_of(const Graph& graph, std::size_t n, const Array& a, const Array& b) {
  const NodeView view(graph, graph.nodes[n]);
  const OperatorRow& row = *operator_row(graph.nodes[n]);
  return row.define(view, {&a, &b}, row.infer(view)).at(0).array.values;
}

template <class F>
Array mapped(Array array, const F& f) {
  for (double& value : array.values) value = f(value);
  return array;
}

double magnitude(double value) { return std::fabs(value); }
double square(double value) { return value * value; }

// The largest size of a score that has weight.
double largest_score(const double* row, std::size_t keys) {
  constexpr double kNoWeight = 200;
  const double top = *std::max_element(row, row + keys);
  double largest = 0;
  for (std::size_t k = 0; k < keys; ++k)
    if (row[k] > top - kNoWeight && std::isfinite(row[k])) largest = std::max(largest, std::fabs(row[k]));
  return largest;
}

}  // namespace

std::vector<double> attention_slack(const Graph& graph, const AttentionPattern& p,
                                    const std::function<Array(ValueId)>& value, isa::DType dtype) {
  using runtime::accumulation_slack;
  const Node &product = graph.nodes[p.product], &scores = graph.nodes[p.scores];
  const Array weights = value(product.inputs[0]), values = value(product.inputs[1]),
              logits = value(graph.nodes[p.softmax].inputs[0]);
  const auto keys = static_cast<std::size_t>(p.keys), columns = static_cast<std::size_t>(p.values);
  const double unit = 0x1p-24, least = runtime::smallest_normal(dtype),
               rounding = runtime::unit_roundoff(dtype), n = static_cast<double>(keys),
               features = static_cast<double>(p.features),
               products = dtype == isa::DType::kFp32 ? 2 : 1;  // roundings of a product in fp32
  const auto raised = [&](double w) { return std::max(w, least); };
  const std::vector<double> want = product_of(graph, p.product, weights, values),
                            mass = product_of(graph, p.product, mapped(weights, raised),
                                              mapped(values, magnitude)),
                            squares = product_of(graph, p.product,
                                                 mapped(weights, [&](double w) { return square(raised(w)); }),
                                                 mapped(values, square)),
                            ranges = product_of(graph, p.scores, mapped(value(scores.inputs[0]), magnitude),
                                                mapped(value(scores.inputs[1]), magnitude));
  // Factors in q and k are in the pattern's factor, too.
  const double outer = p.factor / (p.q.factor * p.k.factor);
  std::vector<double> slack(want.size());
  for (std::size_t row = 0; row < want.size() / columns; ++row) {
    const double* logit = logits.values.data() + row * keys;
    const double range =
        outer * *std::max_element(ranges.begin() + static_cast<std::ptrdiff_t>(row * keys),
                                  ranges.begin() + static_cast<std::ptrdiff_t>((row + 1) * keys));
    double spread = 0;
    for (std::size_t k = 0; k < keys; ++k) spread += square(raised(weights.values[row * keys + k]));
    spread = std::min(runtime::kGoldenDeviations * std::sqrt(spread / 3), 1 + n * least);
    // A masked score is rounded where the mask or the score is large; the mask is at most their sum.
    const double shared = accumulation_slack(products * features, range) +
                          4 * unit * (largest_score(logit, keys) + range) + 16 * unit +
                          4 * unit * (1 + n / 128) + 2 * accumulation_slack(products * n, 1);
    for (std::size_t c = 0; c < columns; ++c) {
      const std::size_t i = row * columns + c;
      const double of_weights = std::min(runtime::kGoldenDeviations * std::sqrt(squares[i] / 3), mass[i]) +
                                std::fabs(want[i]) * spread;
      slack[i] = rounding * of_weights + shared * mass[i];
      if (!std::isfinite(slack[i])) slack[i] = 0;
    }
  }
  return slack;
}

}  // namespace tahoma::workloads::graph
