// SPDX-License-Identifier: Apache-2.0
// The plan of a graph: every node that is not known before the run becomes steps.
#pragma once

#include <memory>
#include <optional>

#include "frontend/graph/compile/inference.h"
#include "frontend/graph/compile/tensor_memory.h"
#include "frontend/graph/fuse/fusion.h"
#include "frontend/graph/lower/graph_lowering.h"

namespace tahoma::workloads::graph {

struct CompileOptions {
  Sizes sizes;
  std::optional<isa::DType> floats;  // of all floating-point tensors; none: their own
  Fusion fusion = Fusion::kOn;
};

class CompiledGraph {
 public:
  // Throws the errors of inference and lowering.
  CompiledGraph(std::unique_ptr<Graph> graph, const model::MachineParams& machine,
                const CompileOptions& options);
  CompiledGraph(const CompiledGraph&) = delete;
  CompiledGraph& operator=(const CompiledGraph&) = delete;

  const Graph& graph() const { return *graph_; }
  const Lowering& lowering() const { return lowering_; }
  const MemoryPlan& memory() const { return memory_; }
  // The tensor of a value after the plan is made; none if it was never placed.
  const std::optional<TensorRef>& tensor(ValueId id) const { return lowering_.placed(id); }

 private:
  std::unique_ptr<Graph> graph_;
  model::MachineParams machine_;
  Lowering lowering_;
  MemoryPlan memory_;
};

// The lower bound of a step on one core, and what it is bound by: the tensor engine for its FLOPs, the core's
// part of HBM for its bytes, or 128 lanes of the named engine for its operations.
struct StepBound {
  double ns = 0;
  std::string by;
};
StepBound bound_of(const Step& step, const model::MachineParams& machine);

// The plan as a table: node, operator, kernel, engine, sizes, FLOPs, bytes, bound; then the memory.
std::string plan_text(const CompiledGraph& compiled, const model::MachineParams& machine);

}  // namespace tahoma::workloads::graph
