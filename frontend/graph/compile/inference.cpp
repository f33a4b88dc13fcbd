// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/compile/inference.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "frontend/graph/expand/expansion.h"
#include "frontend/graph/model/read_model.h"
#include "frontend/graph/table/operator_table.h"
#include "model/base/error.h"

namespace tahoma::workloads::graph {

namespace {

constexpr std::uint64_t kKeptElements = 1 << 20;  // of a computed constant that is computed only once
constexpr std::size_t kNamedNodes = 4;            // of each operator that is missing

using Missing = std::map<std::string, std::vector<std::string>>;  // nodes by operator

void collect_missing(const std::vector<Node>& nodes, Missing& missing) {
  for (const Node& node : nodes) {
    if (operator_row(node) == nullptr)
      missing[node.domain.empty() ? node.op : node.domain + "." + node.op].push_back(node.name);
    for (const auto& [name, attribute] : node.attributes)
      if (attribute.branch) collect_missing(attribute.branch->nodes, missing);
  }
}

void refuse_missing(const Graph& graph) {
  Missing missing;
  collect_missing(graph.nodes, missing);
  if (missing.empty()) return;
  std::string text;
  for (const auto& [op, nodes] : missing) {
    text += fmt::format("{}{} ({} nodes: ", text.empty() ? "" : "; ", op, nodes.size());
    for (std::size_t n = 0; n < std::min(kNamedNodes, nodes.size()); ++n)
      text += fmt::format("{}'{}'", n > 0 ? ", " : "", nodes[n]);
    text += nodes.size() > kNamedNodes ? ", ...)" : ")";
  }
  throw base::UserError("E-ONX-003", graph.name, "operators that are not supported: " + text);
}

void drop_unneeded(Graph& graph) {
  std::vector<bool> needed(graph.values.size(), false);
  for (const ValueId id : graph.outputs) needed[id] = true;
  std::vector<Node> kept;
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    const bool reads = std::any_of(node->outputs.begin(), node->outputs.end(),
                                   [&](ValueId id) { return id != kOmitted && needed[id]; });
    if (!reads) continue;
    for (const ValueId id : node->inputs)
      if (id != kOmitted) needed[id] = true;
    for (ValueId& id : node->outputs)
      if (id != kOmitted && !needed[id]) id = kOmitted;
    kept.push_back(std::move(*node));
  }
  graph.nodes.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

// Inputs that an expansion did not read. Their nodes keep their numbers, which constants refer to.
void empty_unneeded(Graph& graph) {
  std::vector<bool> needed(graph.values.size(), false);
  for (const ValueId id : graph.outputs) needed[id] = true;
  const auto is_needed = [&](ValueId id) { return id != kOmitted && needed[id]; };
  for (auto node = graph.nodes.rbegin(); node != graph.nodes.rend(); ++node) {
    if (std::none_of(node->outputs.begin(), node->outputs.end(), is_needed)) {
      node->inputs.clear();
      std::fill(node->outputs.begin(), node->outputs.end(), kOmitted);
    }
    for (const ValueId id : node->inputs)
      if (id != kOmitted) needed[id] = true;
  }
}

std::int64_t bound(const Graph& graph, const GraphInput& input, std::size_t d, const Sizes& sizes) {
  const NamedDim& dim = input.dims[d];
  const std::string place = fmt::format("input '{}'", graph.value(input.value).name);
  std::int64_t size = dim.size;
  if (const auto named = sizes.named.find(dim.name); !dim.name.empty() && named != sizes.named.end())
    size = named->second;
  if (d == 0 && sizes.batch > 0) size = sizes.batch;
  if (size < 0)
    throw base::UserError("E-ONX-004", place,
                          fmt::format("dimension {}{} has no size; expected {}", d,
                                      dim.name.empty() ? "" : " (" + dim.name + ")",
                                      d == 0             ? "--batch"
                                      : dim.name.empty() ? "a model with sizes"
                                                         : "--dim " + dim.name + "=N"));
  if (d != 0 || sizes.parts == 1) return size;
  if (size % sizes.parts != 0)
    throw base::UserError("E-ONX-004", place,
                          fmt::format("{} rows cannot be divided among {} cores", size, sizes.parts));
  return size / sizes.parts;
}

void bind_inputs(Graph& graph, const Sizes& sizes) {
  std::set<std::string> names;
  for (const GraphInput& input : graph.inputs) {
    TensorType& type = graph.value(input.value).type;
    type.element = input.element;
    for (std::size_t d = 0; d < input.dims.size(); ++d) {
      type.dims.push_back(bound(graph, input, d, sizes));
      names.insert(input.dims[d].name);
    }
    if (sizes.parts > 1 && input.dims.empty())
      throw base::UserError("E-ONX-004", fmt::format("input '{}'", graph.value(input.value).name),
                            "a scalar cannot be divided among cores");
  }
  for (const auto& [name, size] : sizes.named)
    if (!names.contains(name))
      throw base::UserError("E-ONX-008", graph.name,
                            fmt::format("has no dimension '{}'{}", name,
                                        base::did_you_mean(name, {names.begin(), names.end()})));
}

// Output k of a node whose inputs are constants, or do not matter.
LazyArray folded(const Graph& graph, std::size_t node, std::size_t k) {
  return [&graph, node, k, kept = std::make_shared<Array>()] {
    if (!kept->values.empty()) return *kept;
    const Node& of = graph.nodes[node];
    const OperatorRow& row = *operator_row(of);
    std::vector<Array> arrays;
    arrays.reserve(of.inputs.size());
    Inputs in;
    for (const ValueId id : of.inputs) {
      const bool known = id != kOmitted && graph.value(id).constant && !row.of_shapes;
      if (known) arrays.push_back(graph.value(id).constant());
      in.push_back(known ? &arrays.back() : nullptr);
    }
    Array array = std::move(defined(graph, of, in).at(k).array);
    for (double& value : array.values) value = rounded(value, array.type.element);
    if (array.values.size() <= kKeptElements) *kept = array;
    return array;
  };
}

void infer_node(Graph& graph, std::size_t n) {
  const Node& node = graph.nodes[n];
  const NodeView view(graph, node);
  const OperatorRow& row = *operator_row(node);
  view.require(!view.has_attribute("broadcast"), "E-ONX-005", "broadcasts as before opset 7");
  const std::vector<TensorType> types = row.infer(view);
  const bool known = row.of_shapes || std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
                       return id == kOmitted || graph.value(id).constant;
                     });
  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    if (node.outputs[k] == kOmitted) continue;
    view.require(k < types.size(), "E-ONX-005",
                 fmt::format("has {} outputs; {} are supported", node.outputs.size(), types.size()));
    view.require(
        types[k].elements() <= kMostElements, "E-ONX-007",
        fmt::format("has an output of shape {}; expected at most 2^36 elements", text_of(types[k].dims)));
    Value& value = graph.value(node.outputs[k]);
    value.type = types[k];
    if (known) value.constant = folded(graph, n, k);
  }
  view.require(known || row.lower != nullptr, "E-ONX-010", "depends on values of the run");
}

}  // namespace

std::vector<Wanted> defined(const Graph& graph, const Node& node, const Inputs& in) {
  const NodeView view(graph, node);
  const OperatorRow& row = *operator_row(node);
  return row.define(view, in, row.infer(view));
}

void infer_types(Graph& graph, const Sizes& sizes) {
  drop_unneeded(graph);
  refuse_missing(graph);
  bind_inputs(graph, sizes);
  std::vector<Node> waiting(std::make_move_iterator(graph.nodes.rbegin()),
                            std::make_move_iterator(graph.nodes.rend()));  // the next one is the last
  graph.nodes.clear();
  while (!waiting.empty()) {
    Node node = std::move(waiting.back());
    waiting.pop_back();
    if (const OperatorExpansion expand = operator_row(node)->expand) {
      Expansion expansion(graph, node);
      expand(expansion);
      std::vector<Node> parts = expansion.take();
      waiting.insert(waiting.end(), std::make_move_iterator(parts.rbegin()),
                     std::make_move_iterator(parts.rend()));
      if (!parts.empty()) continue;
    }
    graph.nodes.push_back(std::move(node));
    infer_node(graph, graph.nodes.size() - 1);
  }
  empty_unneeded(graph);
}

}  // namespace tahoma::workloads::graph
