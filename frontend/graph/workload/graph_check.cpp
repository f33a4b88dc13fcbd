// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/workload/graph_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

#include "frontend/graph/workload/stored_array.h"
#include "runtime/golden/golden.h"
#include "runtime/golden/golden_rule.h"

namespace tahoma::workloads::graph {

namespace {

using runtime::GoldenResult;

class NodeCheck {
 public:
  NodeCheck(const CompiledGraph& compiled, const SlotBytes& bytes, const std::string& core)
      : compiled_(compiled), bytes_(bytes), core_(core) {}

  GoldenResult check(const NodePlan& plan) {
    const Graph& graph = compiled_.graph();
    std::map<ValueId, Wanted> inside;  // values of earlier nodes of the entry
    GoldenResult all;
    for (const std::size_t n : plan.nodes) {
      const Node& node = graph.nodes[n];
      std::vector<Wanted> wanted = with_errors(node, inside);
      if (plan.slack && n <= plan.slack->node)
        for (Wanted& exact : wanted) exact.slack.clear();
      if (plan.slack && n == plan.slack->node)
        wanted[0].slack = plan.slack->of([&](ValueId id) { return value_inside(id, inside); },
                                         compiled_.lowering().stored(wanted[0].array.type.element));
      for (std::size_t k = 0; k < node.outputs.size(); ++k) {
        if (node.outputs[k] == kOmitted) continue;
        const bool own = !plan.slack || n == plan.nodes.back();  // others have entries of their own
        if (compiled_.tensor(node.outputs[k]) && own)
          all.add(compare(node, node.outputs[k], wanted[k]));
        else
          inside[node.outputs[k]] = plan.slack ? std::move(wanted[k]) : on_chip(std::move(wanted[k]));
      }
    }
    return all;
  }

 private:
  // A value that stays on chip, in fp32: the kernel may compute it by another formula, with two roundings.
  static Wanted on_chip(Wanted value) {
    if (!is_floating(value.array.type.element)) return value;
    value.slack.resize(value.array.values.size(), 0);
    for (std::size_t i = 0; i < value.slack.size(); ++i)
      if (std::isfinite(value.array.values[i]))
        value.slack[i] += 0x1p-23 * std::fabs(value.array.values[i]) + 0x1p-149;
    return value;
  }

  // The outputs of a node, some of whose inputs are known to within their slack: the definition is computed
  // again with all elements of such an input moved by it, up and down.
  std::vector<Wanted> with_errors(const Node& node, const std::map<ValueId, Wanted>& inside) const {
    const Graph& graph = compiled_.graph();
    std::vector<Array> arrays;
    arrays.reserve(node.inputs.size());
    Inputs in;
    for (const ValueId id : node.inputs) {
      if (id != kOmitted) arrays.push_back(value_inside(id, inside));
      in.push_back(id == kOmitted ? nullptr : &arrays.back());
    }
    std::vector<Wanted> wanted = defined(graph, node, in);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const auto made = inside.find(node.inputs[i]);
      if (made == inside.end() || made->second.slack.empty()) continue;
      const Array* exact = in[i];
      std::vector<std::vector<double>> reach(wanted.size());
      for (const double sign : {1.0, -1.0}) {
        Array moved = *exact;
        for (std::size_t e = 0; e < moved.values.size(); ++e) moved.values[e] += sign * made->second.slack[e];
        in[i] = &moved;
        const std::vector<Wanted> other = defined(graph, node, in);
        for (std::size_t k = 0; k < wanted.size(); ++k) widen(reach[k], wanted[k].array, other[k].array);
      }
      in[i] = exact;
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        wanted[k].slack.resize(reach[k].size(), 0);
        for (std::size_t e = 0; e < reach[k].size(); ++e) wanted[k].slack[e] += reach[k][e];
      }
    }
    return wanted;
  }

  static void widen(std::vector<double>& reach, const Array& exact, const Array& moved) {
    reach.resize(exact.values.size(), 0);
    for (std::size_t e = 0; e < reach.size(); ++e) {
      const double distance = std::fabs(moved.values[e] - exact.values[e]);
      if (std::isfinite(distance)) reach[e] = std::max(reach[e], distance);
    }
  }

  Array value_inside(ValueId id, const std::map<ValueId, Wanted>& inside) const {
    const auto made = inside.find(id);
    return made != inside.end() ? made->second.array : value_of(id);
  }

  Array value_of(ValueId id) const {
    const Value& value = compiled_.graph().value(id);
    if (value.constant) return value.constant();
    const TensorRef tensor = *compiled_.tensor(id);
    return load_array(value.type, compiled_.lowering().dtype(tensor), bytes_(tensor.slot));
  }

  GoldenResult compare(const Node& node, ValueId id, const Wanted& wanted) const {
    const Value& value = compiled_.graph().value(id);
    const TensorRef tensor = *compiled_.tensor(id);
    const isa::DType dtype = compiled_.lowering().dtype(tensor);
    const Dims dims = value.type.dims.empty() ? Dims{1} : value.type.dims;
    runtime::HostTensor got = runtime::make_tensor(fmt::format("{} of {}", value.name, text_of(node)), dtype,
                                                   {dims.begin(), dims.end()});
    if (got.elements() == 0) return {};
    std::memcpy(got.values.data(), bytes_(tensor.slot), got.values.size());
    const runtime::MadeBy made_by = [&](std::uint64_t, std::uint64_t) { return core_; };
    if (!isa::is_float(dtype)) {
      runtime::HostTensor want = got;
      store_array(wanted.array, dtype, want.values.data());
      return runtime::check_moved(want, got, made_by);
    }
    const std::size_t columns = got.columns();
    const auto row_of = [&](const std::vector<double>& all, std::uint64_t row) {
      if (all.empty()) return std::vector<double>(columns, 0);
      const auto first = all.begin() + static_cast<std::ptrdiff_t>(row * columns);
      return std::vector<double>(first, first + static_cast<std::ptrdiff_t>(columns));
    };
    GoldenResult result = runtime::check_rows(
        got,
        [&](std::uint64_t row) {
          return runtime::WantedRow{row_of(wanted.array.values, row), row_of(wanted.slack, row), {}};
        },
        runtime::unit_roundoff(dtype),
        "each node from the machine's inputs to it: rounding of its sums and its output", made_by);
    // Masks are infinite by definition; a result that is not finite and should be is a mismatch.
    if (result.mismatches == 0) {
      result.not_finite = 0;
      result.first_not_finite.clear();
    }
    return result;
  }

  const CompiledGraph& compiled_;
  const SlotBytes& bytes_;
  const std::string& core_;
};

// All stored values that the check of an entry reads are left in memory.
bool is_intact(const CompiledGraph& compiled, const NodePlan& plan,
               const std::function<bool(SlotId)>& intact) {
  const auto left = [&](ValueId id) {
    return id == kOmitted || compiled.graph().value(id).constant || !compiled.tensor(id) ||
           intact(compiled.tensor(id)->slot);
  };
  return std::all_of(plan.nodes.begin(), plan.nodes.end(), [&](std::size_t n) {
    const Node& node = compiled.graph().nodes[n];
    return std::all_of(node.inputs.begin(), node.inputs.end(), left) &&
           std::all_of(node.outputs.begin(), node.outputs.end(), left);
  });
}

}  // namespace

GoldenResult check_nodes(const CompiledGraph& compiled, const SlotBytes& bytes,
                         const std::function<bool(SlotId)>& intact, const std::string& core) {
  GoldenResult all;
  NodeCheck check(compiled, bytes, core);
  for (const NodePlan& plan : compiled.lowering().plans())
    if (!plan.steps.empty() && is_intact(compiled, plan, intact)) all.add(check.check(plan));
  return all;
}

}  // namespace tahoma::workloads::graph
