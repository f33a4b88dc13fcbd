// SPDX-License-Identifier: Apache-2.0
// The lowering of a graph to kernels on one core: tensors in HBM, and the steps that compute each node. Every
// tensor is dense and row-major; a value that only has other dimensions than its source (a reshape) shares
// its tensor.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/graph/operators/node_view.h"
#include "model/system/machine/machine_params.h"
#include "runtime/builder/kernel.h"
#include "runtime/workload/array_work.h"

namespace tahoma::workloads::graph {

using SlotId = std::uint32_t;

// A tensor in HBM.
struct Slot {
  std::string name;
  isa::DType dtype = isa::DType::kFp32;
  Dims dims;
  LazyArray values;                     // of a constant
  bool input = false;                   // of the graph
  std::optional<std::int64_t> rows_of;  // it numbers rows of a tensor that has that many: a control tensor
  std::uint64_t spare = 0;              // elements behind its own that a kernel may read, and does not use
  bool output = false;                  // of the graph
  struct Life {
    std::size_t first, last;  // entries of the plan
  };
  std::optional<Life> life{};  // while lowering: the entries so far that use it
};

// A slot, or what a view of it has as dimensions.
struct TensorRef {
  SlotId slot = 0;
  Dims dims;
};

// What a step needs to emit its kernel.
class Emission {
 public:
  Emission(runtime::Kernel& in, const model::MachineParams& of, std::vector<runtime::HbmView> views)
      : kernel(in), machine(of), views_(std::move(views)) {}
  // The slot as a matrix; rows * columns are its elements, from element `offset`.
  runtime::HbmView matrix(SlotId slot, std::uint64_t rows, std::uint64_t columns,
                          std::uint64_t offset = 0) const;

  runtime::Kernel& kernel;
  const model::MachineParams& machine;

 private:
  std::vector<runtime::HbmView> views_;  // by slot
};

// The engine that does most of a step.
enum class StepEngine : std::uint8_t { kTensor, kVector, kScalar, kDma };
std::string_view name_of(StepEngine engine);

struct Step {
  std::string kernel;  // "gemm", "conv2d", "elementwise", ...
  StepEngine engine = StepEngine::kVector;
  std::string tiles;                     // its sizes, for people
  double flops = 0;                      // useful ones
  double bytes = 0;                      // to and from HBM, each operand once
  bool on_array = false;                 // the FLOPs are those of the tensor engine
  isa::DType dtype = isa::DType::kFp32;  // of its operands
  std::function<void(Emission&)> emit;
};

// In an entry of nodes whose values are exact but for those of one: how far that one's output may be from its
// definition, if the kernel rounds values on the way to this type.
struct NodeSlack {
  std::size_t node = 0;
  std::function<std::vector<double>(const std::function<Array(ValueId)>& value, isa::DType rounded)> of;
};

// A node, or several that were fused, and what they became.
struct NodePlan {
  std::string name, op;
  std::vector<std::size_t> nodes;  // of the graph; the last one's outputs are stored
  std::optional<NodeSlack> slack;
  std::vector<Step> steps;  // none: a view, or known before the run
};

class Lowering {
 public:
  // `floats`: the type of floating-point tensors, if not their own.
  Lowering(const Graph& graph, const model::MachineParams& machine, std::optional<isa::DType> floats)
      : graph_(graph), machine_(machine), floats_(floats), slots_of_(graph.values.size()) {}

  const Graph& graph() const { return graph_; }
  const model::MachineParams& machine() const { return machine_; }
  isa::DType stored(ElementType type) const;

  // Begins the plan of a node; what follows belongs to it.
  void begin(const std::string& name, const std::string& op, std::vector<std::size_t> nodes,
             std::optional<NodeSlack> slack = {});
  void add(Step step);

  // The tensor of a value, which is placed if it is a constant.
  TensorRef tensor(ValueId id);
  const Slot& slot(const TensorRef& tensor) const { return slots_.at(tensor.slot); }
  isa::DType dtype(const TensorRef& tensor) const { return slot(tensor).dtype; }
  double bytes(const TensorRef& tensor) const;

  TensorRef input(ValueId id);
  TensorRef result(ValueId id);                // a new tensor for it
  void view(ValueId id, const TensorRef& of);  // shares the tensor
  void keep(ValueId id);                       // an output of the graph
  TensorRef scratch(const std::string& name, isa::DType dtype, const Dims& dims);
  TensorRef constant(const std::string& name, isa::DType dtype, const Dims& dims, LazyArray values);
  TensorRef filled(const std::string& name, isa::DType dtype, const Dims& dims, double value);
  void spare(const TensorRef& tensor, std::uint64_t elements);  // at least so many
  // The tensor numbers rows of a tensor with that many; E-ONX-010 (of `node`) if it is computed in the run.
  void number_rows(const NodeView& node, const TensorRef& tensor, std::int64_t rows);

  // The tensor of a value if it has been placed.
  const std::optional<TensorRef>& placed(ValueId id) const { return slots_of_.at(id); }
  const std::vector<Slot>& slots() const { return slots_; }
  const std::vector<NodePlan>& plans() const { return plans_; }

 private:
  TensorRef place(ValueId id, Slot slot);
  void use(SlotId slot);  // by the entry that is being lowered

  const Graph& graph_;
  const model::MachineParams& machine_;
  std::optional<isa::DType> floats_;
  std::vector<std::optional<TensorRef>> slots_of_;  // by value
  std::vector<Slot> slots_;
  std::vector<NodePlan> plans_;
};

}  // namespace tahoma::workloads::graph
