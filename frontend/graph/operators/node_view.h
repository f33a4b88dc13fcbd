// SPDX-License-Identifier: Apache-2.0
// A node with the types of its operands, their values where they are known before the run, and its
// attributes. Errors name the node.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/graph/model/graph.h"

namespace tahoma::workloads::graph {

class NodeView {
 public:
  NodeView(const Graph& graph, const Node& node) : graph_(graph), node_(node) {}

  const Node& node() const { return node_; }
  std::int64_t opset() const { return graph_.opset; }
  std::size_t inputs() const { return node_.inputs.size(); }
  std::size_t outputs() const { return node_.outputs.size(); }
  bool has(std::size_t input) const;
  bool wants(std::size_t output) const;  // a later node or the graph may read it
  ValueId id(std::size_t input) const;   // E-ONX-005 if it is missing
  const TensorType& type(std::size_t input) const;
  const Dims& dims(std::size_t input) const { return type(input).dims; }
  std::int64_t rank(std::size_t input) const { return static_cast<std::int64_t>(dims(input).size()); }

  bool is_constant(std::size_t input) const;
  bool is_known(std::size_t input) const;  // constant() has values for it
  // The values of a constant, or of an input that the case gives; E-ONX-010 if they are known only in the
  // run.
  Array constant(std::size_t input) const;
  std::vector<std::int64_t> integers(std::size_t input) const { return constant(input).integers(); }
  std::optional<double> scalar(std::size_t input) const;  // of a constant with one element

  bool has_attribute(const std::string& name) const { return node_.attributes.contains(name); }
  std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
  double number(const std::string& name, double otherwise) const;
  std::string word(const std::string& name, const std::string& otherwise) const;
  // The attribute, or `otherwise` if it is absent, is this word.
  bool is(const std::string& name, std::string_view otherwise, std::string_view word) const;
  std::vector<std::int64_t> list(const std::string& name, std::vector<std::int64_t> otherwise = {}) const;
  // An attribute in old opsets, an input in later ones; `otherwise` if neither is there.
  std::vector<std::int64_t> list_or_input(const std::string& name, std::size_t input,
                                          std::vector<std::int64_t> otherwise = {}) const;

  // An axis from its number, which may count from the end; E-ONX-005 outside the rank.
  std::size_t axis(std::int64_t number, std::int64_t rank) const;

  // E-ONX-004 a shape, 005 an attribute, 010 what the lowering cannot do.
  [[noreturn]] void refuse(const char* code, const std::string& text) const;
  void require(bool condition, const char* code, const std::string& text) const {
    if (!condition) refuse(code, text);
  }

 private:
  const Graph& graph_;
  const Node& node_;
};

// Dimensions of operands that are broadcast against each other; E-ONX-004.
Dims broadcast(const NodeView& node, const Dims& a, const Dims& b);

}  // namespace tahoma::workloads::graph
