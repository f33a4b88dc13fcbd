// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/operators/movement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace tahoma::workloads::graph {

namespace {

std::set<std::size_t> axes_of(const NodeView& node, const std::vector<std::int64_t>& numbers,
                              std::int64_t rank) {
  std::set<std::size_t> axes;
  for (const std::int64_t number : numbers) axes.insert(node.axis(number, rank));
  node.require(axes.size() == numbers.size(), "E-ONX-005", "names an axis twice");
  return axes;
}

Dims reshaped(const NodeView& node) {
  const Dims& from = node.dims(0);
  Dims to = node.has_attribute("shape") ? node.list("shape") : node.integers(1);
  const bool zero_is_zero = node.integer("allowzero", 0) != 0;
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::size_t d = 0; d < to.size(); ++d) {
    if (to[d] == 0 && !zero_is_zero) {
      node.require(d < from.size(), "E-ONX-004", fmt::format("keeps dimension {} of {}", d, text_of(from)));
      to[d] = from[d];
    }
    if (to[d] == -1) {
      node.require(open == nullptr, "E-ONX-004", "leaves two dimensions open");
      open = &to[d];
    } else {
      known *= to[d];
    }
  }
  const auto elements = static_cast<std::int64_t>(elements_of(from));
  if (open != nullptr && known > 0 && elements % known == 0) *open = elements / known;
  node.require(std::all_of(to.begin(), to.end(), [](std::int64_t d) { return d >= 0; }) &&
                   elements_of(to) == elements_of(from),
               "E-ONX-004", fmt::format("cannot reshape {} to {}", text_of(from), text_of(to)));
  return to;
}

Dims squeezed(const NodeView& node) {
  const Dims& from = node.dims(0);
  std::set<std::size_t> axes = axes_of(node, node.list_or_input("axes", 1), node.rank(0));
  if (axes.empty())
    for (std::size_t d = 0; d < from.size(); ++d)
      if (from[d] == 1) axes.insert(d);
  Dims to;
  for (std::size_t d = 0; d < from.size(); ++d) {
    node.require(!axes.contains(d) || from[d] == 1, "E-ONX-004",
                 fmt::format("removes dimension {} of {}", d, text_of(from)));
    if (!axes.contains(d)) to.push_back(from[d]);
  }
  return to;
}

Dims unsqueezed(const NodeView& node) {
  const std::vector<std::int64_t> numbers = node.list_or_input("axes", 1);
  const auto rank = node.rank(0) + static_cast<std::int64_t>(numbers.size());
  const std::set<std::size_t> axes = axes_of(node, numbers, rank);
  Dims to;
  auto next = node.dims(0).begin();
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d)
    to.push_back(axes.contains(d) ? 1 : *next++);
  return to;
}

Dims flattened(const NodeView& node) {
  const Dims& from = node.dims(0);
  const std::int64_t number = node.integer("axis", 1), rank = node.rank(0);
  node.require(number >= -rank && number <= rank, "E-ONX-005", fmt::format("has axis {}", number));
  const auto middle = from.begin() + (number < 0 ? number + rank : number);
  return {std::accumulate(from.begin(), middle, std::int64_t{1}, std::multiplies<>()),
          std::accumulate(middle, from.end(), std::int64_t{1}, std::multiplies<>())};
}

}  // namespace

std::vector<TensorType> infer_view(const NodeView& node) {
  const std::string& op = node.node().op;
  const bool trains = op == "Dropout" && node.has(2) && node.constant(2).values.at(0) != 0;
  node.require(!trains, "E-ONX-005", "is in training mode");
  TensorType type = node.type(0);
  if (op == "Reshape") type.dims = reshaped(node);
  if (op == "Flatten") type.dims = flattened(node);
  if (op == "Squeeze") type.dims = squeezed(node);
  if (op == "Unsqueeze") type.dims = unsqueezed(node);
  std::vector<TensorType> types{type};
  if (op == "Dropout") types.push_back({ElementType::kBool, type.dims});
  return types;
}

std::vector<Wanted> define_view(const NodeView& node, const Inputs& in,
                                const std::vector<TensorType>& outputs) {
  std::vector<Wanted> wanted{{{outputs[0], in[0]->values}, {}}};
  if (node.node().op == "Dropout")
    wanted.push_back({{outputs[1], std::vector<double>(outputs[1].elements(), 1)}, {}});
  return wanted;
}

std::vector<std::size_t> permutation_of(const NodeView& node) {
  const auto rank = static_cast<std::size_t>(node.rank(0));
  std::vector<std::size_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  if (!node.has_attribute("perm")) return order;
  const std::vector<std::int64_t> numbers = node.list("perm");
  node.require(numbers.size() == rank && axes_of(node, numbers, node.rank(0)).size() == rank, "E-ONX-005",
               fmt::format("permutes {} of {} dimensions", numbers.size(), rank));
  for (std::size_t d = 0; d < rank; ++d) order[d] = node.axis(numbers[d], node.rank(0));
  return order;
}

std::vector<TensorType> infer_transpose(const NodeView& node) {
  Dims to;
  for (const std::size_t d : permutation_of(node)) to.push_back(node.dims(0)[d]);
  return {{node.type(0).element, to}};
}

std::vector<Wanted> define_transpose(const NodeView& node, const Inputs& in,
                                     const std::vector<TensorType>& outputs) {
  const std::vector<std::size_t> order = permutation_of(node);
  Wanted wanted{{outputs[0], std::vector<double>(outputs[0].elements())}, {}};
  Dims from(order.size());
  for_each_index(outputs[0].dims, [&](const Dims& index, std::size_t number) {
    for (std::size_t d = 0; d < order.size(); ++d) from[order[d]] = index[d];
    wanted.array.values[number] = in[0]->values[offset_of(in[0]->type.dims, from)];
  });
  return {wanted};
}

std::vector<TensorType> infer_concat(const NodeView& node) {
  const std::size_t axis = node.axis(node.integer("axis", 1), node.rank(0));
  TensorType type = node.type(0);
  for (std::size_t i = 1; i < node.inputs(); ++i) {
    Dims other = node.dims(i), mine = type.dims;
    node.require(other.size() == mine.size(), "E-ONX-004", "has inputs of several ranks");
    type.dims[axis] += other[axis];
    other[axis] = mine[axis] = 0;
    node.require(other == mine, "E-ONX-004",
                 fmt::format("has inputs of shapes {} and {}", text_of(node.dims(0)), text_of(node.dims(i))));
  }
  return {type};
}

std::vector<Wanted> define_concat(const NodeView& node, const Inputs& in,
                                  const std::vector<TensorType>& outputs) {
  const std::size_t axis = node.axis(node.integer("axis", 1), node.rank(0));
  Wanted wanted{{outputs[0], std::vector<double>(outputs[0].elements())}, {}};
  std::int64_t first = 0;
  for (const Array* piece : in) {
    for_each_index(piece->type.dims, [&](const Dims& index, std::size_t number) {
      Dims to = index;
      to[axis] += first;
      wanted.array.values[offset_of(outputs[0].dims, to)] = piece->values[number];
    });
    first += piece->type.dims[axis];
  }
  return {wanted};
}

std::vector<TensorType> infer_split(const NodeView& node) {
  const std::size_t axis = node.axis(node.integer("axis", 0), node.rank(0)), parts = node.outputs();
  const std::int64_t size = node.dims(0)[axis],
                     part = (size + static_cast<std::int64_t>(parts) - 1) / static_cast<std::int64_t>(parts);
  std::vector<std::int64_t> sizes = node.list_or_input("split", 1);
  if (sizes.empty())
    for (std::int64_t left = size; sizes.size() < parts; left -= sizes.back())
      sizes.push_back(std::min(part, left));
  node.require(sizes.size() == parts &&
                   std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) == size &&
                   *std::min_element(sizes.begin(), sizes.end()) >= 0,
               "E-ONX-004", fmt::format("splits a dimension of {} into {} parts", size, sizes.size()));
  std::vector<TensorType> types(parts, node.type(0));
  for (std::size_t p = 0; p < parts; ++p) types[p].dims[axis] = sizes[p];
  return types;
}

std::vector<Wanted> define_split(const NodeView& node, const Inputs& in,
                                 const std::vector<TensorType>& outputs) {
  const std::size_t axis = node.axis(node.integer("axis", 0), node.rank(0));
  std::vector<Wanted> all;
  std::int64_t first = 0;
  for (const TensorType& type : outputs) {
    Wanted wanted{{type, std::vector<double>(type.elements())}, {}};
    for_each_index(type.dims, [&](const Dims& index, std::size_t number) {
      Dims from = index;
      from[axis] += first;
      wanted.array.values[number] = in[0]->values[offset_of(in[0]->type.dims, from)];
    });
    first += type.dims[axis];
    all.push_back(std::move(wanted));
  }
  return all;
}

std::vector<SliceAxis> slice_of(const NodeView& node) {
  const Dims& dims = node.dims(0);
  const std::vector<std::int64_t> starts = node.list_or_input("starts", 1),
                                  ends = node.list_or_input("ends", 2);
  std::vector<std::int64_t> all(starts.size());
  std::iota(all.begin(), all.end(), 0);
  const std::vector<std::int64_t> axes = node.list_or_input("axes", 3, all),
                                  steps = node.has(4) ? node.integers(4)
                                                      : std::vector<std::int64_t>(starts.size(), 1);
  node.require(ends.size() == starts.size() && axes.size() == starts.size() && steps.size() == starts.size(),
               "E-ONX-005", "has starts, ends, axes and steps of several lengths");
  std::vector<SliceAxis> slices;
  for (const std::int64_t dim : dims) slices.push_back({0, 1, dim});
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t d = node.axis(axes[i], node.rank(0));
    const std::int64_t size = dims[d], step = steps[i];
    node.require(step != 0 && step > INT32_MIN && step < INT32_MAX, "E-ONX-005",
                 fmt::format("has a step of {}", step));
    const auto placed = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
      return std::clamp(at < 0 ? at + size : at, low, high);
    };
    const std::int64_t start = placed(starts[i], 0, step > 0 ? size : size - 1),
                       end = placed(ends[i], step > 0 ? 0 : -1, size);
    const std::int64_t count = step > 0 ? (end - start + step - 1) / step : (start - end - step - 1) / -step;
    slices[d] = {start, step, std::max<std::int64_t>(0, count)};
  }
  return slices;
}

std::vector<TensorType> infer_slice(const NodeView& node) {
  Dims to;
  for (const SliceAxis& axis : slice_of(node)) to.push_back(axis.count);
  return {{node.type(0).element, to}};
}

std::vector<Wanted> define_slice(const NodeView& node, const Inputs& in,
                                 const std::vector<TensorType>& outputs) {
  const std::vector<SliceAxis> axes = slice_of(node);
  Wanted wanted{{outputs[0], std::vector<double>(outputs[0].elements())}, {}};
  for_each_index(outputs[0].dims, [&](const Dims& index, std::size_t number) {
    Dims from = index;
    for (std::size_t d = 0; d < from.size(); ++d) from[d] = axes[d].start + index[d] * axes[d].step;
    wanted.array.values[number] = in[0]->values[offset_of(in[0]->type.dims, from)];
  });
  return {wanted};
}

std::vector<TensorType> infer_repeat(const NodeView& node) {
  const std::vector<std::int64_t> given = node.integers(1);
  if (node.node().op == "Expand") return {{node.type(0).element, broadcast(node, node.dims(0), given)}};
  Dims to = node.dims(0);
  node.require(given.size() == to.size(), "E-ONX-004",
               fmt::format("repeats {} dimensions of {}", given.size(), text_of(to)));
  for (std::size_t d = 0; d < to.size(); ++d) to[d] *= given[d];
  return {{node.type(0).element, to}};
}

std::vector<Wanted> define_repeat(const NodeView&, const Inputs& in, const std::vector<TensorType>& outputs) {
  const Dims& dims = in[0]->type.dims;
  Wanted wanted{{outputs[0], std::vector<double>(outputs[0].elements())}, {}};
  for_each_index(outputs[0].dims, [&](const Dims& index, std::size_t number) {
    Dims from(dims.size());
    for (std::size_t d = 0; d < dims.size(); ++d) from[d] = index[index.size() - dims.size() + d] % dims[d];
    wanted.array.values[number] = in[0]->values[offset_of(dims, from)];
  });
  return {wanted};
}

Padding padding_of(const NodeView& node) {
  const std::vector<std::int64_t> pads = node.list_or_input("pads", 1);
  const auto rank = static_cast<std::size_t>(node.rank(0));
  std::vector<std::int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  if (node.has(3)) axes = node.integers(3);
  node.require(pads.size() == 2 * axes.size(), "E-ONX-005", fmt::format("has {} paddings", pads.size()));
  Padding padding{std::vector<std::int64_t>(rank), std::vector<std::int64_t>(rank), node.number("value", 0)};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t d = node.axis(axes[i], node.rank(0));
    padding.before[d] = pads[i];
    padding.after[d] = pads[i + axes.size()];
  }
  if (node.has(2)) {
    const std::optional<double> value = node.scalar(2);
    node.require(value.has_value(), "E-ONX-010", "pads with a value that is not a constant");
    padding.value = *value;
  }
  return padding;
}

std::vector<TensorType> infer_pad(const NodeView& node) {
  const Padding padding = padding_of(node);
  TensorType type = node.type(0);
  for (std::size_t d = 0; d < type.dims.size(); ++d) type.dims[d] += padding.before[d] + padding.after[d];
  node.require(std::all_of(type.dims.begin(), type.dims.end(), [](std::int64_t d) { return d >= 0; }),
               "E-ONX-004", fmt::format("pads to {}", text_of(type.dims)));
  return {type};
}

std::vector<Wanted> define_pad(const NodeView& node, const Inputs& in,
                               const std::vector<TensorType>& outputs) {
  const Padding padding = padding_of(node);
  Wanted wanted{{outputs[0], std::vector<double>(outputs[0].elements(), padding.value)}, {}};
  for_each_index(outputs[0].dims, [&](const Dims& index, std::size_t number) {
    Dims from = index;
    bool inside = true;
    for (std::size_t d = 0; d < from.size(); ++d) {
      from[d] -= padding.before[d];
      inside = inside && from[d] >= 0 && from[d] < in[0]->type.dims[d];
    }
    if (inside) wanted.array.values[number] = in[0]->values[offset_of(in[0]->type.dims, from)];
  });
  return {wanted};
}

std::vector<TensorType> infer_gather(const NodeView& node) {
  const std::size_t axis = node.axis(node.integer("axis", 0), node.rank(0));
  const Dims& from = node.dims(0);
  Dims to(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(axis));
  to.insert(to.end(), node.dims(1).begin(), node.dims(1).end());
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(axis) + 1, from.end());
  return {{node.type(0).element, to}};
}

std::vector<Wanted> define_gather(const NodeView& node, const Inputs& in,
                                  const std::vector<TensorType>& outputs) {
  const Dims &from = in[0]->type.dims, &rows = in[1]->type.dims;
  const std::size_t axis = node.axis(node.integer("axis", 0), node.rank(0));
  Wanted wanted{{outputs[0], std::vector<double>(outputs[0].elements())}, {}};
  for_each_index(outputs[0].dims, [&](const Dims& index, std::size_t number) {
    const auto middle = index.begin() + static_cast<std::ptrdiff_t>(axis);
    const Dims of_row(middle, middle + static_cast<std::ptrdiff_t>(rows.size()));
    std::int64_t row = in[1]->integer(offset_of(rows, of_row));
    if (row < 0) row += from[axis];
    node.require(row >= 0 && row < from[axis], "E-ONX-010",
                 fmt::format("has index {} of a dimension of {}", row, from[axis]));
    Dims at(index.begin(), middle);
    at.push_back(row);
    at.insert(at.end(), middle + static_cast<std::ptrdiff_t>(rows.size()), index.end());
    wanted.array.values[number] = in[0]->values[offset_of(from, at)];
  });
  return {wanted};
}

std::vector<TensorType> infer_known(const NodeView& node) {
  const std::string& op = node.node().op;
  if (op == "Shape") {
    std::int64_t start = node.integer("start", 0), end = node.integer("end", node.rank(0));
    const auto placed = [&](std::int64_t at) {
      return std::clamp<std::int64_t>(at < 0 ? at + node.rank(0) : at, 0, node.rank(0));
    };
    start = placed(start);
    end = placed(end);
    return {{ElementType::kInt64, {std::max<std::int64_t>(0, end - start)}}};
  }
  if (op == "Size") return {{ElementType::kInt64, {}}};
  if (op == "ConstantOfShape") {
    const auto value = node.node().attributes.find("value");
    const bool given = value != node.node().attributes.end() && value->second.tensor;
    return {{given ? value->second.tensor_type().element : ElementType::kFloat, node.integers(0)}};
  }
  if (op == "Range") {
    double p[3];
    for (std::size_t i = 0; i < 3; ++i) p[i] = node.constant(i).values.at(0);
    node.require(p[2] != 0, "E-ONX-005", "has a step of 0");
    return {{node.type(0).element,
             {std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil((p[1] - p[0]) / p[2])))}}};
  }
  // Constant
  const auto& attributes = node.node().attributes;
  const auto at = [&](const char* name) { return attributes.find(name); };
  if (const auto a = at("value"); a != attributes.end() && a->second.tensor) return {a->second.tensor_type()};
  if (at("value_float") != attributes.end()) return {{ElementType::kFloat, {}}};
  if (at("value_int") != attributes.end()) return {{ElementType::kInt64, {}}};
  if (const auto a = at("value_floats"); a != attributes.end())
    return {{ElementType::kFloat, {static_cast<std::int64_t>(a->second.floats.size())}}};
  if (const auto a = at("value_ints"); a != attributes.end())
    return {{ElementType::kInt64, {static_cast<std::int64_t>(a->second.ints.size())}}};
  node.refuse("E-ONX-009", "has no dense tensor of numbers");
}

std::vector<Wanted> define_known(const NodeView& node, const Inputs& in,
                                 const std::vector<TensorType>& outputs) {
  const std::string& op = node.node().op;
  Wanted wanted{{outputs[0], std::vector<double>(outputs[0].elements())}, {}};
  std::vector<double>& values = wanted.array.values;
  if (op == "Shape") {
    const std::int64_t rank = node.rank(0), start = node.integer("start", 0);
    const std::int64_t first = std::clamp<std::int64_t>(start < 0 ? start + rank : start, 0, rank);
    for (std::size_t d = 0; d < values.size(); ++d)
      values[d] = static_cast<double>(node.dims(0)[static_cast<std::size_t>(first) + d]);
  } else if (op == "Size") {
    values[0] = static_cast<double>(node.type(0).elements());
  } else if (op == "ConstantOfShape") {
    const auto value = node.node().attributes.find("value");
    if (value != node.node().attributes.end() && value->second.tensor)
      std::fill(values.begin(), values.end(), value->second.tensor().values.at(0));
  } else if (op == "Range") {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = in[0]->values[0] + static_cast<double>(i) * in[2]->values[0];
  } else {
    for (const auto& [name, attribute] : node.node().attributes) {
      if (name == "value") values = attribute.tensor().values;
      if (name == "value_float") values = {attribute.f};
      if (name == "value_int") values = {static_cast<double>(attribute.i)};
      if (name == "value_floats") values = attribute.floats;
      if (name == "value_ints") values.assign(attribute.ints.begin(), attribute.ints.end());
    }
  }
  return {wanted};
}

}  // namespace tahoma::workloads::graph
