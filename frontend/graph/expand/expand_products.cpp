// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "frontend/graph/expand/expansion.h"

namespace tahoma::workloads::graph {

namespace {

// A tensor whose dimensions have labels.
struct Labelled {
  ValueId value;
  std::string labels;
};
using Lengths = std::map<char, std::int64_t>;

bool in(const std::string& labels, char label) { return labels.find(label) != std::string::npos; }

// The labels of `all` for which `keep` holds, in this order.
template <class Keep>
std::string chosen(const std::string& all, const Keep& keep) {
  std::string labels;
  std::copy_if(all.begin(), all.end(), std::back_inserter(labels), keep);
  return labels;
}

std::int64_t length(const std::string& labels, const Lengths& of) {
  return std::accumulate(labels.begin(), labels.end(), std::int64_t{1},
                         [&](std::int64_t n, char label) { return n * of.at(label); });
}

Labelled ordered(Expansion& to, const Labelled& x, const std::string& labels) {
  std::vector<std::int64_t> order;
  for (const char label : labels) order.push_back(static_cast<std::int64_t>(x.labels.find(label)));
  return {to.transpose(x.value, order), labels};
}

// Sums over the labels that nobody reads any more.
Labelled summed(Expansion& to, const Labelled& x, const std::string& read) {
  std::vector<std::int64_t> axes;
  for (std::size_t d = 0; d < x.labels.size(); ++d)
    if (!in(read, x.labels[d])) axes.push_back(static_cast<std::int64_t>(d));
  return {to.reduce("ReduceSum", x.value, axes, false),
          chosen(x.labels, [&](char c) { return in(read, c); })};
}

// The product of two tensors as one of matrices: labels of both that are read are its batch, labels of both
// that are not are summed over.
Labelled multiplied(Expansion& to, const Labelled& a, const Labelled& b, const std::string& read,
                    const Lengths& of) {
  const std::string batch = chosen(a.labels, [&](char c) { return in(b.labels, c) && in(read, c); }),
                    inner = chosen(a.labels, [&](char c) { return in(b.labels, c) && !in(read, c); }),
                    rows = chosen(a.labels, [&](char c) { return !in(b.labels, c); }),
                    columns = chosen(b.labels, [&](char c) { return !in(a.labels, c); });
  const std::int64_t count = length(batch, of), m = length(rows, of), k = length(inner, of),
                     n = length(columns, of);
  const ValueId left = to.reshape(ordered(to, a, batch + rows + inner).value, {count, m, k}),
                right = to.reshape(ordered(to, b, batch + inner + columns).value, {count, k, n});
  Dims dims;
  for (const char label : batch + rows + columns) dims.push_back(of.at(label));
  return {to.reshape(to.add("MatMul", {left, right}), dims), batch + rows + columns};
}

struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

// "bij,bjk->bik", with "..." as labels of their own.
Equation equation_of(const NodeView& node) {
  std::string text = node.word("equation", "");
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  Equation equation;
  std::string labels = text.substr(0, arrow);
  for (std::size_t from = 0; from <= labels.size();) {
    const std::size_t end = std::min(labels.find(',', from), labels.size());
    equation.inputs.push_back(labels.substr(from, end - from));
    from = end + 1;
  }
  node.require(equation.inputs.size() == node.inputs(), "E-ONX-005",
               fmt::format("has the equation '{}' for {} inputs", text, node.inputs()));
  std::string dots;
  for (std::size_t i = 0; i < equation.inputs.size(); ++i) {
    std::string& of = equation.inputs[i];
    const std::size_t at = of.find("...");
    if (at == std::string::npos) continue;
    const std::size_t named = of.size() - 3, all = node.dims(i).size();
    node.require(named <= all, "E-ONX-004",
                 fmt::format("has the labels '{}' for {}", of, text_of(node.dims(i))));
    std::string digits;  // aligned at the end, as in broadcasting
    for (std::size_t d = all - named; d-- > 0;) digits += static_cast<char>('0' + d);
    if (digits.size() > dots.size()) dots = digits;
    of.replace(at, 3, digits);
  }
  if (arrow != std::string::npos) {
    equation.output = text.substr(arrow + 2);
    if (const std::size_t at = equation.output.find("..."); at != std::string::npos)
      equation.output.replace(at, 3, dots);
    return equation;
  }
  std::map<char, int> counts;
  for (const std::string& of : equation.inputs)
    for (const char label : of) ++counts[label];
  for (const auto& [label, count] : counts)
    if (count == 1 && !in(dots, label)) equation.output += label;
  equation.output = dots + equation.output;
  return equation;
}

}  // namespace

void expand_einsum(Expansion& to) {
  const NodeView& node = to.node();
  const Equation equation = equation_of(node);
  Lengths lengths;
  std::vector<Labelled> operands;
  for (std::size_t i = 0; i < equation.inputs.size(); ++i) {
    const std::string& labels = equation.inputs[i];
    const Dims dims = to.dims(i);
    node.require(labels.size() == dims.size(), "E-ONX-004",
                 fmt::format("has the labels '{}' for {}", labels, text_of(dims)));
    for (std::size_t d = 0; d < labels.size(); ++d) {
      node.require(labels.find(labels[d]) == d, "E-ONX-010", fmt::format("takes a diagonal, '{}'", labels));
      const auto [known, first] = lengths.emplace(labels[d], dims[d]);
      node.require(first || known->second == dims[d], "E-ONX-004",
                   fmt::format("has lengths {} and {} of '{}'", known->second, dims[d], labels[d]));
    }
    operands.push_back({node.id(i), labels});
  }
  for (const char label : equation.output)
    node.require(lengths.contains(label), "E-ONX-005",
                 fmt::format("has no input with the label '{}'", label));
  Labelled all = operands[0];
  for (std::size_t i = 0; i < operands.size(); ++i) {
    std::string later = equation.output;
    for (std::size_t j = i + 1; j < operands.size(); ++j) later += operands[j].labels;
    if (i > 0) all = multiplied(to, all, summed(to, operands[i], later + all.labels), later, lengths);
    all = summed(to, all, later);
  }
  to.result(0, ordered(to, all, equation.output).value);
}

void expand_cumulative_sum(Expansion& to) {
  const NodeView& node = to.node();
  const Dims dims = to.dims(0);
  const std::size_t axis = node.axis(node.integers(1).at(0), node.rank(0));
  const bool exclusive = node.integer("exclusive", 0) != 0, reverse = node.integer("reverse", 0) != 0;
  const std::int64_t size = dims[axis];
  node.require(is_floating(node.type(0).element), "E-ONX-010", "sums integers of the run");
  std::vector<double> ones;
  for (std::int64_t from = 0; from < size; ++from)
    for (std::int64_t at = 0; at < size; ++at) {
      const std::int64_t before = reverse ? from - at : at - from;
      ones.push_back(before > 0 || (before == 0 && !exclusive) ? 1 : 0);
    }
  const ValueId triangle = to.constant(node.type(0).element, {size, size}, ones);
  to.result(0, to.times_along(node.id(0), dims.size(), axis, triangle));
}

}  // namespace tahoma::workloads::graph
