// SPDX-License-Identifier: Apache-2.0
// A graph of operators: values, and the nodes that compute them, in an order of execution. An operator that
// the table (frontend/graph/operators/) does not have, or a value without a shape, may occur only between
// reading and inference.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/graph/model/array.h"

namespace tahoma::workloads::graph {

struct Branch;

struct Attribute {
  std::int64_t i = 0;
  double f = 0;
  std::string s;
  std::vector<std::int64_t> ints;
  std::vector<double> floats;
  LazyArray tensor;
  std::function<TensorType()> tensor_type;  // without its values; set with `tensor`
  std::shared_ptr<const Branch> branch;
};

using ValueId = std::uint32_t;
inline constexpr ValueId kOmitted = UINT32_MAX;  // an optional input or output

struct Node {
  std::string name, op, domain;
  std::vector<ValueId> inputs, outputs;
  std::map<std::string, Attribute> attributes;
};

// A graph inside a node: of If, Loop. Its values are among those of the whole graph, those of other graphs
// that it reads are also inputs of the node, behind the operator's own.
struct Branch {
  std::vector<ValueId> inputs, outputs;
  std::vector<Node> nodes;  // in an order of execution
};

// A size that is a number or a name; neither: unknown.
struct NamedDim {
  std::int64_t size = -1;
  std::string name;
};

struct Value {
  std::string name;
  TensorType type;     // inferred
  LazyArray constant;  // set: an initialiser, or computed from constants only
  LazyArray given;     // of an input whose values the case names: sizes may depend on them
};

struct GraphInput {
  ValueId value = 0;
  ElementType element = ElementType::kUndefined;
  std::vector<NamedDim> dims;
};

struct Graph {
  std::string name;  // of the file
  std::int64_t opset = 0;
  std::vector<Node> nodes;
  std::vector<Value> values;
  std::vector<GraphInput> inputs;
  std::vector<ValueId> outputs;

  Value& value(ValueId id) { return values.at(id); }
  const Value& value(ValueId id) const { return values.at(id); }
};

// "node 'fc/Gemm' (Gemm)" for messages.
std::string text_of(const Node& node);

}  // namespace tahoma::workloads::graph
