// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/fuse/chains.h"

#include <algorithm>
#include <map>
#include <set>

#include "frontend/graph/lower/tile_kernel.h"
#include "frontend/graph/operators/elementwise.h"

namespace tahoma::workloads::graph {

namespace {

bool chains(const Graph& graph, const Node& node) {
  const ElementwiseRow* row = node.domain.empty() ? elementwise_row(node.op) : nullptr;
  if (row == nullptr) return false;
  const auto fits = [&](ValueId id) {
    const ElementType type = graph.value(id).type.element;
    return is_floating(type) || type == ElementType::kBool;
  };
  return fits(node.outputs[0]) && std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) {
           return id == kOmitted || (graph.value(id).type.elements() > 0 && fits(id));
         });
}

// Operands of a node on tiles: Clip's limits are parameters.
std::size_t operands_of(const Node& node) { return node.op == "Clip" ? 1 : node.inputs.size(); }

// Values that come from outside and are no numbers.
std::vector<ValueId> outside(const Graph& graph, const std::vector<std::size_t>& nodes) {
  std::set<ValueId> made;
  std::vector<ValueId> all;
  for (const std::size_t n : nodes) {
    const Node& node = graph.nodes[n];
    const NodeView view(graph, node);
    for (std::size_t i = 0; i < operands_of(node); ++i)
      if (!made.contains(node.inputs[i]) && !view.scalar(i) &&
          std::find(all.begin(), all.end(), node.inputs[i]) == all.end())
        all.push_back(node.inputs[i]);
    made.insert(node.outputs[0]);
  }
  return all;
}

void lower_chain(const Graph& graph, const std::vector<std::size_t>& nodes, Lowering& lowering) {
  const std::vector<ValueId> from = outside(graph, nodes);
  std::map<ValueId, TileOperand> values;
  std::vector<TensorRef> operands;
  TileCode code(static_cast<std::uint32_t>(from.size()));
  for (const ValueId id : from) {
    values[id] = code.input(static_cast<std::uint32_t>(operands.size()));
    operands.push_back(lowering.tensor(id));
  }
  TileOperand result;
  for (const std::size_t n : nodes) {
    const Node& node = graph.nodes[n];
    const NodeView view(graph, node);
    const ElementwiseRow& row = *elementwise_row(node.op);
    std::vector<TileOperand> in;
    for (std::size_t i = 0; i < operands_of(node); ++i) {
      const auto made = values.find(node.inputs[i]);
      in.push_back(made != values.end() ? made->second : TileOperand::of(*view.scalar(i)));
    }
    const std::vector<double> parameters = row.parameters ? row.parameters(view) : std::vector<double>();
    result = code.tile_of(row.code(code, in, parameters.data()));
    values[node.outputs[0]] = result;
  }
  add_tile_code(lowering, lowering.result(graph.nodes[nodes.back()].outputs[0]), operands, code, result);
}

}  // namespace

std::vector<PlanEntry> elementwise_chains(const Graph& graph, const Readers& readers,
                                          const std::vector<bool>& taken) {
  constexpr std::size_t kNone = SIZE_MAX;
  std::vector<std::size_t> chain_of(graph.nodes.size(), kNone);
  std::vector<std::vector<std::size_t>> all;  // nodes, last one first
  for (std::size_t n = graph.nodes.size(); n-- > 0;) {
    const Node& node = graph.nodes[n];
    if (taken[n] || !chains(graph, node)) continue;
    const ValueId out = node.outputs[0];
    // The chain of all its readers, if they have one.
    const auto& of_out = readers.of(out);
    std::size_t chain = of_out.empty() || readers.is_output(out) ? kNone : chain_of[of_out.front()];
    if (std::any_of(of_out.begin(), of_out.end(),
                    [&](std::size_t reader) { return chain_of[reader] != chain; }))
      chain = kNone;
    if (chain != kNone) {
      std::vector<std::size_t> longer(all[chain].rbegin(), all[chain].rend());
      longer.insert(longer.begin(), n);
      const bool same =
          graph.value(out).type.dims == graph.value(graph.nodes[all[chain].front()].outputs[0]).type.dims;
      const std::vector<ValueId> from = outside(graph, longer);
      if (!same || longer.size() > kMostChainNodes || from.size() > kMostChainInputs || from.empty())
        chain = kNone;
    }
    if (chain == kNone) {
      chain = all.size();
      all.emplace_back();
    }
    chain_of[n] = chain;
    all[chain].push_back(n);
  }
  std::vector<PlanEntry> entries;
  for (std::vector<std::size_t>& nodes : all) {
    if (nodes.size() < 2) continue;
    std::reverse(nodes.begin(), nodes.end());
    std::string op;
    for (const std::size_t n : nodes) op += (op.empty() ? "" : "+") + graph.nodes[n].op;
    entries.push_back(
        {graph.nodes[nodes.back()].name, op, nodes,
         [graph = &graph, nodes](Lowering& lowering) { lower_chain(*graph, nodes, lowering); }});
  }
  return entries;
}

}  // namespace tahoma::workloads::graph
