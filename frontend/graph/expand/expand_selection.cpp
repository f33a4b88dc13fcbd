// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "frontend/graph/expand/expansion.h"

namespace tahoma::workloads::graph {

namespace {

constexpr std::int64_t kMostPasses = 512;  // of TopK
constexpr auto kIndex = ElementType::kInt32;

// 0, 1, 2, ... along an axis.
ValueId count_up(Expansion& to, std::size_t rank, std::size_t axis, std::int64_t size) {
  Dims dims(rank, 1);
  dims[axis] = size;
  std::vector<double> numbers(static_cast<std::size_t>(size));
  std::iota(numbers.begin(), numbers.end(), 0);
  return to.constant(kIndex, dims, numbers);
}

struct Extreme {
  ValueId value, index;  // both keep the axis
};
// The largest or smallest element along an axis, and its first or last index.
Extreme extreme(Expansion& to, ValueId x, const Dims& dims, std::size_t axis, bool largest, bool last) {
  const auto d = static_cast<std::int64_t>(axis);
  const ValueId value = to.reduce(largest ? "ReduceMax" : "ReduceMin", x, {d});
  const ValueId here = to.add("Equal", {x, value});
  const double beyond = last ? -1 : static_cast<double>(dims[axis]);
  const ValueId numbers =
      to.add("Where", {here, count_up(to, dims.size(), axis, dims[axis]), to.number(beyond, kIndex)});
  return {value, to.reduce(last ? "ReduceMax" : "ReduceMin", numbers, {d})};
}

Dims without(Dims dims, std::size_t axis) {
  dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(axis));
  return dims;
}

// For each element of the indices along an axis, the number of the element of the data.
std::vector<std::int64_t> element_numbers(const NodeView& node, const Dims& dims, std::size_t axis) {
  const Array indices = node.constant(1);
  const std::vector<std::int64_t> strides = row_major_strides(dims), picked = indices.integers();
  const Dims& shape = indices.type.dims;
  node.require(shape.size() == dims.size(), "E-ONX-004",
               fmt::format("has data of shape {} and indices of shape {}", text_of(dims), text_of(shape)));
  const std::vector<std::int64_t> steps = row_major_strides(shape);
  std::vector<std::int64_t> numbers;
  for (std::size_t n = 0; n < picked.size(); ++n) {
    std::int64_t number = 0;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      std::int64_t at = static_cast<std::int64_t>(n) / steps[d] % shape[d];
      if (d == axis) at = picked[n] < 0 ? picked[n] + dims[d] : picked[n];
      node.require(at >= 0 && at < dims[d], "E-ONX-004",
                   fmt::format("has the index {} of {}", picked[n], dims[d]));
      number += at * strides[d];
    }
    numbers.push_back(number);
  }
  return numbers;
}

// For each index tuple, the number of the row of the data, whose first `depth` dimensions are numbered.
std::vector<std::int64_t> row_numbers(const NodeView& node, const Dims& dims, std::size_t depth,
                                      std::size_t batch) {
  const Array indices = node.constant(1);
  const std::vector<std::int64_t> picked = indices.integers();
  const std::vector<std::int64_t> strides =
      row_major_strides({dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(batch + depth)});
  const std::size_t tuples = picked.size() / depth;
  std::size_t batches = 1;
  for (std::size_t d = 0; d < batch; ++d) batches *= static_cast<std::size_t>(dims[d]);
  std::vector<std::int64_t> rows;
  for (std::size_t t = 0; t < tuples; ++t) {
    std::int64_t row = batch > 0 ? static_cast<std::int64_t>(t / (tuples / batches)) * strides[batch - 1] : 0;
    for (std::size_t d = 0; d < depth; ++d) {
      const std::int64_t given = picked[t * depth + d], size = dims[batch + d],
                         at = given < 0 ? given + size : given;
      node.require(at >= 0 && at < size, "E-ONX-004", fmt::format("has the index {} of {}", given, size));
      row += at * strides[batch + d];
    }
    rows.push_back(row);
  }
  return rows;
}

std::int64_t product(const Dims& dims, std::size_t first, std::size_t end) {
  return std::accumulate(dims.begin() + static_cast<std::ptrdiff_t>(first),
                         dims.begin() + static_cast<std::ptrdiff_t>(end), std::int64_t{1},
                         std::multiplies<>());
}

// The rows of a matrix with these numbers.
ValueId picked_rows(Expansion& to, ValueId value, std::int64_t rows, std::int64_t columns,
                    const std::vector<std::int64_t>& numbers) {
  return to.add("Gather", {to.reshape(value, {rows, columns}), to.integers(numbers)},
                {{"axis", attribute_of(std::int64_t{0})}});
}

}  // namespace

void expand_extreme_index(Expansion& to) {
  const NodeView& node = to.node();
  const Dims dims = to.dims(0);
  const std::size_t axis = node.axis(node.integer("axis", 0), node.rank(0));
  const Extreme found = extreme(to, node.id(0), dims, axis, node.node().op == "ArgMax",
                                node.integer("select_last_index", 0) != 0);
  const ValueId index = to.cast(found.index, ElementType::kInt64);
  to.result(0, node.integer("keepdims", 1) != 0 ? index : to.reshape(index, without(dims, axis)));
}

void expand_top(Expansion& to) {
  const NodeView& node = to.node();
  const Dims dims = to.dims(0);
  const std::size_t axis = node.axis(node.integer("axis", -1), node.rank(0));
  const std::int64_t k = node.has(1) ? node.integers(1).at(0) : node.integer("k", 1);
  node.require(k >= 1 && k <= dims[axis], "E-ONX-004",
               fmt::format("asks for {} of {} elements", k, dims[axis]));
  node.require(k <= kMostPasses, "E-ONX-010",
               fmt::format("asks for {} elements; at most {} are supported", k, kMostPasses));
  const bool largest = node.integer("largest", 1) != 0;
  const ElementType element = node.type(0).element;
  node.require(is_floating(element), "E-ONX-010", "sorts integers of the run");
  const double removed =
      largest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  const ValueId numbers = count_up(to, dims.size(), axis, dims[axis]);
  ValueId x = node.id(0);
  std::vector<ValueId> values, indices;
  for (std::int64_t pass = 0; pass < k; ++pass) {
    const Extreme found = extreme(to, x, dims, axis, largest, false);
    values.push_back(found.value);
    indices.push_back(found.index);
    if (pass + 1 < k)
      x = to.add("Where", {to.add("Equal", {numbers, found.index}), to.number(removed, element), x});
  }
  const Attributes together{{"axis", attribute_of(static_cast<std::int64_t>(axis))}};
  if (node.wants(0)) to.result(0, to.add("Concat", values, together));
  if (node.wants(1)) to.result(1, to.cast(to.add("Concat", indices, together), ElementType::kInt64));
}

void expand_one_hot(Expansion& to) {
  const NodeView& node = to.node();
  const std::int64_t depth = node.integers(1).at(0), rank = node.rank(0) + 1;
  node.require(depth >= 1, "E-ONX-004", fmt::format("has depth {}", depth));
  const std::size_t axis = node.axis(node.integer("axis", -1), rank);
  Dims dims = to.dims(0);
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  const ElementType element = node.type(2).element;
  const ValueId off_on = node.id(2);
  const ValueId given = to.reshape(to.cast(node.id(0), kIndex), dims);
  const ValueId negative = to.add("Less", {given, to.number(0, kIndex)});
  const ValueId index = to.add(
      "Where", {negative, to.add("Add", {given, to.number(static_cast<double>(depth), kIndex)}), given});
  const ValueId here = to.add("Equal", {index, count_up(to, dims.size(), axis, depth)});
  const std::vector<ValueId> choice = to.split(off_on, 0, {1, 1});
  to.result(0, to.cast(to.add("Where", {here, choice[1], choice[0]}), element));
}

void expand_hardmax(Expansion& to) {
  const NodeView& node = to.node();
  const Dims given = to.dims(0);
  Dims dims = given;
  std::size_t axis = node.axis(node.integer("axis", node.opset() < 13 ? 1 : -1), node.rank(0));
  ValueId x = node.id(0);
  if (node.opset() < 13) {  // of a matrix
    dims = {product(given, 0, axis), product(given, axis, given.size())};
    axis = 1;
    x = to.reshape(x, dims);
  }
  const ElementType element = node.type(0).element;
  const Extreme found = extreme(to, x, dims, axis, true, false);
  const ValueId one =
      to.cast(to.add("Equal", {count_up(to, dims.size(), axis, dims[axis]), found.index}), element);
  to.result(0, dims == given ? one : to.reshape(one, given));
}

void expand_gather_elements(Expansion& to) {
  const NodeView& node = to.node();
  const Dims dims = to.dims(0), shape = to.dims(1);
  const std::size_t axis = node.axis(node.integer("axis", 0), node.rank(0));
  const std::vector<std::int64_t> numbers = element_numbers(node, dims, axis);
  to.result(0,
            to.reshape(picked_rows(to, node.id(0), static_cast<std::int64_t>(elements_of(dims)), 1, numbers),
                       shape));
}

void expand_gather_nd(Expansion& to) {
  const NodeView& node = to.node();
  const Dims dims = to.dims(0), shape = to.dims(1);
  const auto batch = static_cast<std::size_t>(node.integer("batch_dims", 0));
  const auto depth = static_cast<std::size_t>(shape.empty() ? 0 : shape.back());
  node.require(depth >= 1 && batch < shape.size() && batch + depth <= dims.size(), "E-ONX-004",
               fmt::format("has data of shape {} and indices of shape {}", text_of(dims), text_of(shape)));
  const std::vector<std::int64_t> rows = row_numbers(node, dims, depth, batch);
  Dims out(shape.begin(), shape.end() - 1);
  out.insert(out.end(), dims.begin() + static_cast<std::ptrdiff_t>(batch + depth), dims.end());
  to.result(0, to.reshape(picked_rows(to, node.id(0), product(dims, 0, batch + depth),
                                      product(dims, batch + depth, dims.size()), rows),
                          out));
}

// Rows of the data that an update has come from it, by a gather; the others stay.
void expand_scatter(Expansion& to) {
  const NodeView& node = to.node();
  const bool replaces = node.is("reduction", "none", "none"), adds = node.is("reduction", "none", "add");
  node.require(replaces || adds, "E-ONX-010",
               fmt::format("scatters with reduction '{}'", node.word("reduction", "")));
  const Dims dims = to.dims(0), shape = to.dims(1);
  const bool by_element = node.node().op != "ScatterND";
  const std::size_t depth =
      by_element ? dims.size() : static_cast<std::size_t>(shape.empty() ? 0 : shape.back());
  node.require(depth >= 1 && depth <= dims.size(), "E-ONX-004",
               fmt::format("has data of shape {} and indices of shape {}", text_of(dims), text_of(shape)));
  const std::vector<std::int64_t> targets =
      by_element ? element_numbers(node, dims, node.axis(node.integer("axis", 0), node.rank(0)))
                 : row_numbers(node, dims, depth, 0);
  const std::int64_t rows = product(dims, 0, depth), columns = product(dims, depth, dims.size());
  std::vector<std::int64_t> source(static_cast<std::size_t>(rows), 0);
  std::vector<double> replaced(source.size(), 0);
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const auto row = static_cast<std::size_t>(targets[t]);
    node.require(replaces || replaced[row] == 0, "E-ONX-010", "adds to an element twice");
    source[row] = static_cast<std::int64_t>(t);
    replaced[row] = 1;
  }
  const ValueId data = to.reshape(node.id(0), {rows, columns});
  ValueId updates = picked_rows(to, node.id(2), static_cast<std::int64_t>(targets.size()), columns, source);
  if (adds) updates = to.add("Add", {data, updates});
  const ValueId which = to.constant(ElementType::kBool, {rows, 1}, replaced);
  to.result(0, to.reshape(to.add("Where", {which, updates, data}), dims));
}

}  // namespace tahoma::workloads::graph
