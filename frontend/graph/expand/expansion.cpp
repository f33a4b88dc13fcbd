// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/expand/expansion.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "model/base/error.h"

namespace tahoma::workloads::graph {

Attribute attribute_of(std::int64_t value) {
  Attribute attribute;
  attribute.i = value;
  return attribute;
}
Attribute attribute_of(double value) {
  Attribute attribute;
  attribute.f = value;
  return attribute;
}
Attribute attribute_of(std::string value) {
  Attribute attribute;
  attribute.s = std::move(value);
  return attribute;
}
Attribute attribute_of(std::vector<std::int64_t> values) {
  Attribute attribute;
  attribute.ints = std::move(values);
  return attribute;
}

ValueId Expansion::add(const std::string& op, std::vector<ValueId> inputs, Attributes attributes) {
  Node node;
  node.name = fmt::format("{}/{}{}", node_.name, op, nodes_.size());
  node.op = op;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  const auto id = static_cast<ValueId>(graph_.values.size());
  graph_.values.push_back({node.name, {}, {}, {}});
  node.outputs = {id};
  nodes_.push_back(std::move(node));
  return id;
}

std::vector<ValueId> Expansion::split(ValueId value, std::int64_t axis, std::vector<std::int64_t> sizes) {
  std::vector<ValueId> parts{add("Split", {value, integers(sizes)}, {{"axis", attribute_of(axis)}})};
  for (std::size_t p = 1; p < sizes.size(); ++p) {
    parts.push_back(static_cast<ValueId>(graph_.values.size()));
    graph_.values.push_back({fmt::format("{}.{}", nodes_.back().name, p), {}, {}, {}});
    nodes_.back().outputs.push_back(parts.back());
  }
  return parts;
}

ValueId Expansion::constant(ElementType element, Dims dims, std::vector<double> values) {
  TAHOMA_INVARIANT(elements_of(dims) == values.size(), "a constant has other dimensions than values");
  Array array{{element, std::move(dims)}, std::move(values)};
  const TensorType type = array.type;
  return constant(type, [array = std::move(array)] { return array; });
}

ValueId Expansion::constant(TensorType type, LazyArray values) {
  const auto id = static_cast<ValueId>(graph_.values.size());
  graph_.values.push_back(
      {fmt::format("{}/constant{}", node_.name, id), std::move(type), std::move(values), {}});
  return id;
}

ValueId Expansion::integers(std::vector<std::int64_t> values) {
  return constant(ElementType::kInt64, {static_cast<std::int64_t>(values.size())},
                  {values.begin(), values.end()});
}

ValueId Expansion::cast(ValueId value, ElementType to) {
  return add("Cast", {value}, {{"to", attribute_of(static_cast<std::int64_t>(to))}});
}

ValueId Expansion::reshape(ValueId value, const Dims& dims) {
  return add("Reshape", {value, integers(dims)}, {{"allowzero", attribute_of(std::int64_t{1})}});
}

ValueId Expansion::transpose(ValueId value, const std::vector<std::int64_t>& order) {
  if (std::is_sorted(order.begin(), order.end())) return value;
  return add("Transpose", {value}, {{"perm", attribute_of(order)}});
}

ValueId Expansion::times_along(ValueId value, std::size_t rank, std::size_t axis, ValueId matrix) {
  std::vector<std::int64_t> swap(rank);
  std::iota(swap.begin(), swap.end(), 0);
  std::swap(swap[axis], swap.back());
  return transpose(add("MatMul", {transpose(value, swap), matrix}), swap);
}

ValueId Expansion::reduce(const std::string& op, ValueId value, std::vector<std::int64_t> axes, bool keeps) {
  if (axes.empty()) return value;
  return add(op, {value, integers(std::move(axes))}, {{"keepdims", attribute_of(std::int64_t{keeps})}});
}

ValueId Expansion::concat(std::vector<ValueId> values, std::int64_t axis) {
  if (values.size() == 1) return values[0];
  return add("Concat", std::move(values), {{"axis", attribute_of(axis)}});
}

namespace {

using Renaming = std::map<ValueId, ValueId>;

ValueId renamed(ValueId id, const Renaming& ids) {
  const auto at = ids.find(id);
  return at == ids.end() ? id : at->second;
}

// A branch inside a branch that is copied.
std::shared_ptr<const Branch> renamed(const Branch& branch, const Renaming& ids) {
  auto copy = std::make_shared<Branch>(branch);
  for (Node& node : copy->nodes) {
    for (ValueId& id : node.inputs) id = renamed(id, ids);
    for (auto& [name, attribute] : node.attributes)
      if (attribute.branch) attribute.branch = renamed(*attribute.branch, ids);
  }
  for (ValueId& id : copy->outputs) id = renamed(id, ids);
  return copy;
}

}  // namespace

std::vector<ValueId> Expansion::inlined(const Branch& branch, const std::vector<ValueId>& arguments) {
  view_.require(
      branch.inputs.size() == arguments.size(), "E-ONX-005",
      fmt::format("has a graph with {} inputs; expected {}", branch.inputs.size(), arguments.size()));
  Renaming ids;
  for (std::size_t i = 0; i < arguments.size(); ++i) ids[branch.inputs[i]] = arguments[i];
  const std::string prefix = fmt::format("{}/{}/", node_.name, copies_++);
  for (Node node : branch.nodes) {
    node.name = prefix + node.name;
    for (ValueId& id : node.inputs) id = renamed(id, ids);
    for (auto& [name, attribute] : node.attributes)
      if (attribute.branch) attribute.branch = renamed(*attribute.branch, ids);
    for (ValueId& id : node.outputs) {
      if (id == kOmitted) continue;
      const auto fresh = static_cast<ValueId>(graph_.values.size());
      graph_.values.push_back({prefix + graph_.value(id).name, {}, {}, {}});
      ids[id] = fresh;
      id = fresh;
    }
    nodes_.push_back(std::move(node));
  }
  std::vector<ValueId> outputs;
  for (const ValueId id : branch.outputs) outputs.push_back(renamed(id, ids));
  return outputs;
}

void Expansion::result(std::size_t output, ValueId value) {
  if (!view_.wants(output)) return;
  const ValueId id = node_.outputs[output];
  const auto makes = [&](const Node& node) {
    return std::find(node.outputs.begin(), node.outputs.end(), value) != node.outputs.end();
  };
  const auto named = results_.find(value);
  if (named != results_.end() || std::none_of(nodes_.begin(), nodes_.end(), makes)) {
    add("Identity", {named != results_.end() ? named->second : value});
    nodes_.back().outputs = {id};
    return;
  }
  for (Node& node : nodes_) {
    std::replace(node.outputs.begin(), node.outputs.end(), value, id);
    std::replace(node.inputs.begin(), node.inputs.end(), value, id);
    for (auto& [name, attribute] : node.attributes)
      if (attribute.branch) attribute.branch = renamed(*attribute.branch, {{value, id}});
  }
  results_[value] = id;
}

}  // namespace tahoma::workloads::graph
