// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "frontend/graph/expand/expansion.h"

namespace tahoma::workloads::graph {

namespace {

constexpr std::int64_t kMostCopies = 200'000;  // nodes that a loop becomes

const Branch& branch_of(const NodeView& node, const char* name) {
  const auto at = node.node().attributes.find(name);
  node.require(at != node.node().attributes.end() && at->second.branch, "E-ONX-005",
               fmt::format("has no graph '{}'", name));
  return *at->second.branch;
}

// The condition that the body of a loop returns is the one that it got, or a constant that is true.
bool goes_on(const Expansion& to, const Branch& body) {
  ValueId id = body.outputs.at(0);
  for (auto node = body.nodes.rbegin(); node != body.nodes.rend(); ++node) {
    if (std::find(node->outputs.begin(), node->outputs.end(), id) == node->outputs.end()) continue;
    if (node->op == "Constant" && node->attributes.contains("value"))
      return node->attributes.at("value").tensor().values.at(0) != 0;
    if ((node->op != "Identity" && node->op != "Cast") || node->inputs.empty()) return false;
    id = node->inputs[0];
  }
  return id == body.inputs.at(1) || to.holds(id);
}

}  // namespace

void expand_if(Expansion& to) {
  const NodeView& node = to.node();
  node.require(node.is_constant(0), "E-ONX-010", "chooses by a value of the run");
  const bool condition = node.constant(0).values.at(0) != 0;
  const std::vector<ValueId> outputs =
      to.inlined(branch_of(node, condition ? "then_branch" : "else_branch"), {});
  node.require(outputs.size() >= node.outputs(), "E-ONX-005",
               fmt::format("has {} outputs and a graph with {}", node.outputs(), outputs.size()));
  for (std::size_t k = 0; k < node.outputs(); ++k) to.result(k, outputs[k]);
}

void expand_loop(Expansion& to) {
  const NodeView& node = to.node();
  const Branch& body = branch_of(node, "body");
  node.require(body.inputs.size() >= 2 && body.outputs.size() >= body.inputs.size() - 1 &&
                   node.inputs() >= body.inputs.size(),
               "E-ONX-005", "has a body with too few inputs or outputs");
  const std::size_t carried = body.inputs.size() - 2, scanned = body.outputs.size() - 1 - carried;
  node.require(node.is_constant(0) && goes_on(to, body), "E-ONX-010", "ends by a value of the run");
  std::int64_t passes = node.constant(0).integer(0);
  if (node.has(1)) {
    node.require(node.is_constant(1), "E-ONX-010", "begins by a value of the run");
    if (node.constant(1).values.at(0) == 0) passes = 0;
  }
  node.require(
      passes <= kMostCopies / std::max<std::int64_t>(1, static_cast<std::int64_t>(body.nodes.size())),
      "E-ONX-007", fmt::format("makes {} passes over {} nodes", passes, body.nodes.size()));
  node.require(passes > 0 || scanned == 0, "E-ONX-010", "makes no pass and collects values");
  std::vector<ValueId> state;
  for (std::size_t i = 0; i < carried; ++i) state.push_back(node.id(2 + i));
  std::vector<std::vector<ValueId>> rows(scanned);
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    std::vector<ValueId> arguments{to.number(static_cast<double>(pass), ElementType::kInt64),
                                   to.number(1, ElementType::kBool)};
    arguments.insert(arguments.end(), state.begin(), state.end());
    const std::vector<ValueId> outputs = to.inlined(body, arguments);
    for (std::size_t i = 0; i < carried; ++i) state[i] = outputs[1 + i];
    for (std::size_t i = 0; i < scanned; ++i)
      rows[i].push_back(to.add("Unsqueeze", {outputs[1 + carried + i], to.integers({0})}));
  }
  for (std::size_t i = 0; i < carried; ++i) to.result(i, state[i]);
  for (std::size_t i = 0; i < scanned; ++i)
    if (node.wants(carried + i))
      to.result(carried + i, to.add("Concat", rows[i], {{"axis", attribute_of(std::int64_t{0})}}));
}

}  // namespace tahoma::workloads::graph
