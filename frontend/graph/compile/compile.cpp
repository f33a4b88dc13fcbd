// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/compile/compile.h"

#include <fmt/format.h>

#include <algorithm>

namespace tahoma::workloads::graph {

namespace {

// As if the file had been converted: constants are rounded once. Numbers are operands of instructions, in
// fp32.
void convert_constants(Graph& graph, isa::DType floats) {
  const ElementType type = floats == isa::DType::kBf16   ? ElementType::kBfloat16
                           : floats == isa::DType::kFp16 ? ElementType::kFloat16
                                                         : ElementType::kFloat;
  for (Value& value : graph.values)
    if (value.constant && is_floating(value.type.element) && value.type.elements() > 1)
      value.constant = [values = std::move(value.constant), type] {
        Array array = values();
        for (double& element : array.values) element = rounded(element, type);
        return array;
      };
}

std::unique_ptr<Graph> inferred(std::unique_ptr<Graph> graph, const CompileOptions& options) {
  infer_types(*graph, options.sizes);
  if (options.floats) convert_constants(*graph, *options.floats);
  return graph;
}

}  // namespace

CompiledGraph::CompiledGraph(std::unique_ptr<Graph> graph, const model::MachineParams& machine,
                             const CompileOptions& options)
    : graph_(inferred(std::move(graph), options)),
      machine_(machine),
      lowering_(*graph_, machine_, options.floats) {
  for (const GraphInput& input : graph_->inputs) lowering_.input(input.value);
  for (const PlanEntry& entry : plan_entries(*graph_, options.fusion)) {
    lowering_.begin(entry.name, entry.op, entry.nodes, entry.slack);
    entry.lower(lowering_);
  }
  for (const ValueId id : graph_->outputs) lowering_.keep(id);
  memory_ = plan_memory(lowering_);
}

StepBound bound_of(const Step& step, const model::MachineParams& machine) {
  const model::CoreParams& core = machine.chip.core;
  StepBound bound{0, "-"};
  const auto consider = [&](double ns, const std::string& by) {
    if (ns > bound.ns) bound = {ns, by};
  };
  if (step.on_array) {
    const double passes = step.dtype == isa::DType::kFp32 ? 4 : 1;
    consider(step.flops * passes * 1e9 / 2 /
                 static_cast<double>(core.tensor.rows * core.tensor.columns * core.tensor.clock.hz),
             "tensor");
  } else if (step.engine == StepEngine::kVector || step.engine == StepEngine::kScalar) {
    const base::Frequency clock = step.engine == StepEngine::kVector ? core.vector.clock : core.scalar.clock;
    consider(step.flops * 1e9 / static_cast<double>(core.sbuf.partitions * clock.hz),
             std::string(name_of(step.engine)));
  }
  const model::HbmParams& hbm = machine.chip.hbm;
  if (!hbm.bandwidth.ideal)
    consider(step.bytes * 1e9 * static_cast<double>(machine.chip.cores) /
                 static_cast<double>(hbm.stacks * hbm.bandwidth.bytes_per_second),
             "hbm");
  return bound;
}

std::string plan_text(const CompiledGraph& compiled, const model::MachineParams& machine) {
  std::string text = fmt::format("{:40} {:20} {:20} {:8} {:36} {:>10} {:>10} {:>10} {}\n", "node", "operator",
                                 "kernel", "engine", "sizes", "FLOPs", "bytes", "bound", "by");
  double total = 0;
  for (const NodePlan& plan : compiled.lowering().plans()) {
    if (plan.steps.empty())
      text += fmt::format("{:40} {:20} {:20} {:8} {}\n", plan.name, plan.op, "-", "-", "the same memory");
    bool first = true;
    for (const Step& step : plan.steps) {
      const StepBound bound = bound_of(step, machine);
      total += bound.ns;
      text += fmt::format("{:40} {:20} {:20} {:8} {:36} {:>10.4g} {:>10.4g} {:>7.4g} us {}\n",
                          first ? plan.name : "", first ? plan.op : "", step.kernel, name_of(step.engine),
                          step.tiles, step.flops, step.bytes, bound.ns / 1000, bound.by);
      first = false;
    }
  }
  const MemoryPlan& memory = compiled.memory();
  return text +
         fmt::format(
             "sum of the bounds: {:.4g} us\n"
             "HBM of a core: {} bytes of inputs, constants and outputs, {} of other tensors; {} in all if "
             "they share memory\n",
             total / 1000, memory.kept, memory.passing, memory.peak());
}

}  // namespace tahoma::workloads::graph
