// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/operators/node_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::workloads::graph {

bool NodeView::has(std::size_t input) const {
  return input < node_.inputs.size() && node_.inputs[input] != kOmitted;
}

bool NodeView::wants(std::size_t output) const {
  return output < node_.outputs.size() && node_.outputs[output] != kOmitted;
}

ValueId NodeView::id(std::size_t input) const {
  require(has(input), "E-ONX-005", fmt::format("has no input {}", input));
  return node_.inputs[input];
}

const TensorType& NodeView::type(std::size_t input) const { return graph_.value(id(input)).type; }

bool NodeView::is_constant(std::size_t input) const {
  return has(input) && graph_.value(node_.inputs[input]).constant != nullptr;
}

bool NodeView::is_known(std::size_t input) const {
  return is_constant(input) || (has(input) && graph_.value(node_.inputs[input]).given);
}

Array NodeView::constant(std::size_t input) const {
  const Value& value = graph_.value(id(input));
  require(value.constant || value.given, "E-ONX-010",
          fmt::format("needs the values of '{}' before the run; expected a constant or the file of an input",
                      value.name));
  return value.constant ? value.constant() : value.given();
}

std::optional<double> NodeView::scalar(std::size_t input) const {
  if (!is_constant(input) || type(input).elements() != 1) return {};
  return constant(input).values.front();
}

std::int64_t NodeView::integer(const std::string& name, std::int64_t otherwise) const {
  const auto at = node_.attributes.find(name);
  return at == node_.attributes.end() ? otherwise : at->second.i;
}

double NodeView::number(const std::string& name, double otherwise) const {
  const auto at = node_.attributes.find(name);
  return at == node_.attributes.end() ? otherwise : at->second.f;
}

std::string NodeView::word(const std::string& name, const std::string& otherwise) const {
  const auto at = node_.attributes.find(name);
  return at == node_.attributes.end() ? otherwise : at->second.s;
}

bool NodeView::is(const std::string& name, std::string_view otherwise, std::string_view word) const {
  const auto at = node_.attributes.find(name);
  return (at == node_.attributes.end() ? otherwise : std::string_view(at->second.s)) == word;
}

std::vector<std::int64_t> NodeView::list(const std::string& name, std::vector<std::int64_t> otherwise) const {
  const auto at = node_.attributes.find(name);
  return at == node_.attributes.end() ? std::move(otherwise) : at->second.ints;
}

std::vector<std::int64_t> NodeView::list_or_input(const std::string& name, std::size_t input,
                                                  std::vector<std::int64_t> otherwise) const {
  if (has_attribute(name)) return list(name);
  return has(input) ? integers(input) : std::move(otherwise);
}

std::size_t NodeView::axis(std::int64_t number, std::int64_t rank) const {
  require(number >= -rank && number < rank, "E-ONX-005",
          fmt::format("has axis {} of a tensor of rank {}", number, rank));
  return static_cast<std::size_t>(number < 0 ? number + rank : number);
}

void NodeView::refuse(const char* code, const std::string& text) const {
  throw base::UserError(code, text_of(node_), text);
}

Dims broadcast(const NodeView& node, const Dims& a, const Dims& b) {
  Dims all(std::max(a.size(), b.size()), 1);
  for (std::size_t d = 0; d < all.size(); ++d) {
    const std::int64_t x = d < a.size() ? a[a.size() - 1 - d] : 1, y = d < b.size() ? b[b.size() - 1 - d] : 1;
    node.require(
        x == y || x == 1 || y == 1, "E-ONX-004",
        fmt::format("has inputs of shapes {} and {}, which cannot be broadcast", text_of(a), text_of(b)));
    all[all.size() - 1 - d] = x == 1 ? y : x;
  }
  return all;
}

}  // namespace tahoma::workloads::graph
