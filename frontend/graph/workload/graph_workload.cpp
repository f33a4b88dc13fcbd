// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/workload/graph_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "frontend/graph/model/read_model.h"
#include "frontend/graph/workload/graph_check.h"
#include "frontend/graph/workload/graph_settings.h"
#include "frontend/graph/workload/stored_array.h"
#include "model/base/error.h"
#include "runtime/run/core_name.h"
#include "runtime/run/inputs.h"
#include "workloads/common/row_numbers.h"

namespace tahoma::workloads {

namespace {

using namespace graph;
using runtime::HostTensor, runtime::Machine, runtime::Tensor;

// Not a KernelCase: the file declares the tensors.
class GraphModel final : public runtime::Workload {
 public:
  void declare(base::ParamTree& t) override { settings_.declare(t); }

  void check(const model::MachineParams& machine) const override {
    if (settings_.model().empty())
      throw base::UserError("E-ONX-008", "workload.model", "expected an ONNX file");
    settings_.cores(machine);
  }

  std::unique_ptr<CompiledGraph> compile(const model::MachineParams& machine) const {
    auto graph = std::make_unique<Graph>(read_model(settings_.model()));
    check_inputs(*graph);
    give_inputs(*graph);
    return std::make_unique<CompiledGraph>(std::move(graph), machine, settings_.options(machine));
  }

  void prepare(Machine& machine, std::uint64_t seed) override {
    cores_ = static_cast<std::uint32_t>(settings_.cores(machine.params()));
    compiled_ = compile(machine.params());
    std::map<std::vector<std::int64_t>, std::shared_ptr<const isa::Program>> programs;
    for (std::uint32_t core = 0; core < cores_used(); ++core) {
      place(machine, core);
      std::shared_ptr<const isa::Program>& program = programs[distances(core)];
      if (!program) program = std::make_shared<const isa::Program>(build(machine.params(), core));
      std::vector<std::uint64_t> addresses{placed_[core].front().address};
      for (const SlotId slot : controls()) addresses.push_back(tensor_of(core, slot).address);
      machine.load(core, program, addresses);
    }
    fill(machine, seed);
  }

  runtime::GoldenResult verify(Machine& machine) override {
    runtime::GoldenResult all;
    for (std::uint32_t core = 0; core < cores_used(); ++core)
      all.add(check_nodes(
          *compiled_, [&](SlotId slot) { return machine.bytes(tensor_of(core, slot)); },
          [&](SlotId slot) { return !settings_.reuse() || compiled_->memory().intact[slot]; },
          runtime::core_name(machine.params(), core)));
    return all;
  }

  std::vector<runtime::NamedValues> outputs(Machine& machine) override {
    std::vector<runtime::NamedValues> all;
    for (const ValueId id : compiled_->graph().outputs) {
      const Value& value = compiled_->graph().value(id);
      const TensorRef tensor = *compiled_->tensor(id);
      const isa::DType dtype = compiled_->lowering().dtype(tensor);
      runtime::NamedValues output{value.name, dtype, {value.type.dims.begin(), value.type.dims.end()}, {}};
      if (!output.shape.empty()) output.shape[0] *= cores_used();
      const std::size_t bytes = value.type.elements() * isa::size_of(dtype);
      for (std::uint32_t core = 0; core < cores_used(); ++core) {
        const std::byte* from = machine.bytes(tensor_of(core, tensor.slot));
        output.values.insert(output.values.end(), from, from + bytes);
      }
      all.push_back(std::move(output));
    }
    return all;
  }

  double useful_flops() const override {
    double flops = 0;
    for (const runtime::ArrayWork& work : array_works()) flops += work.flops;
    return flops;
  }
  runtime::ArrayWorks array_works() const override {
    std::map<isa::DType, double> flops;
    if (compiled_)
      for (const NodePlan& plan : compiled_->lowering().plans())
        for (const Step& step : plan.steps)
          if (step.on_array) flops[step.dtype] += step.flops * cores_used();
    runtime::ArrayWorks works;
    for (const auto& [dtype, sum] : flops) works.push_back({dtype, isa::MatmulMode::kDense, sum});
    return works;
  }
  std::vector<runtime::WorkloadFigure> figures(Machine& machine, const base::RunMeasurement& run) override {
    double nodes = 0, bound = 0;
    for (const NodePlan& plan : compiled_->lowering().plans()) {
      if (!plan.steps.empty()) ++nodes;
      for (const Step& step : plan.steps) bound += bound_of(step, machine.params()).ns;
    }
    const double ns = static_cast<double>(run.elapsed.fs) * 1e-6;
    const MemoryPlan& memory = compiled_->memory();
    const auto hbm = static_cast<double>(settings_.reuse() ? memory.peak() : memory.kept + memory.passing);
    return {
        {"graph_nodes", nodes, fmt::format("{:g}", nodes), "nodes of the graph that the machine computes"},
        {"graph_bound_ns", bound,
         fmt::format("{:.4g} us, {:.1f} % of the time", bound / 1000, 100 * bound / ns),
         "sum of the bounds of all nodes: FLOPs, bytes or operations of each, whichever takes longest"},
        {"graph_hbm_bytes", hbm, fmt::format("{:.4g} MB", hbm / 1e6),
         settings_.reuse() ? "tensors of one core; those between nodes share memory"
                           : "tensors of one core, each with memory of its own"}};
  }
  std::uint32_t cores_used() const override { return cores_; }
  std::string describe() const override {
    return fmt::format("graph {}{}", compiled_ ? compiled_->graph().name : settings_.model(),
                       cores_used() > 1 ? fmt::format(" on {} cores", cores_used()) : "");
  }

 private:
  static constexpr const char* kMemory = "memory";  // the argument that all tensors are addressed from

  const std::vector<Slot>& slots() const { return compiled_->lowering().slots(); }
  const Tensor& tensor_of(std::uint32_t core, SlotId slot) const { return placed_[core][slot + 1]; }

  // Tensors that are arguments of their own: they keep their values in timing mode.
  std::vector<SlotId> controls() const {
    std::vector<SlotId> all;
    for (SlotId s = 0; s < slots().size(); ++s)
      if (slots()[s].rows_of) all.push_back(s);
    return all;
  }

  void check_inputs(const Graph& graph) const {
    std::vector<std::string> names;
    for (const GraphInput& input : graph.inputs) names.push_back(graph.value(input.value).name);
    for (const auto& [name, file] : settings_.inputs())
      if (std::find(names.begin(), names.end(), name) == names.end())
        throw base::UserError(
            "E-ONX-008", "workload.inputs",
            fmt::format("the model has no input '{}'{}", name, base::did_you_mean(name, names)));
  }

  // Nodes whose shapes depend on an input take its values from its file.
  void give_inputs(Graph& graph) const {
    for (const auto& [name, file] : settings_.inputs())
      for (const GraphInput& input : graph.inputs) {
        Value& value = graph.value(input.value);
        if (value.name != name) continue;
        value.given = [&graph, id = input.value, file = file] {  // values move when expansions add some
          const Value& of = graph.value(id);
          const isa::DType dtype = element_row(of.type.element).stored;
          const HostTensor tensor =
              runtime::load_input(file, of.name, dtype, {of.type.dims.begin(), of.type.dims.end()});
          return load_array(of.type, dtype, tensor.values.data());
        };
      }
  }

  bool shares(SlotId slot) const {
    return settings_.reuse() && compiled_->memory().block_of[slot].has_value();
  }

  // Kernels may read behind a tensor, where the program may never write.
  void place(Machine& machine, std::uint32_t core) {
    std::vector<Tensor>& placed = placed_.emplace_back();
    placed.push_back(machine.allocate(core, kMemory, isa::DType::kUint8, {64}));
    const MemoryPlan& memory = compiled_->memory();
    std::vector<Tensor> blocks;
    if (settings_.reuse())
      for (const std::uint64_t bytes : memory.blocks)
        blocks.push_back(
            machine.allocate(core, fmt::format("block{}", blocks.size()), isa::DType::kUint8, {bytes}));
    std::vector<std::uint64_t> written = memory.blocks;  // bytes that the shortest tensor of the block has
    for (SlotId s = 0; s < slots().size(); ++s) {
      const Slot& slot = slots()[s];
      const std::uint64_t bytes = elements_of(slot.dims) * isa::size_of(slot.dtype);
      if (shares(s)) {
        const BlockId block = *memory.block_of[s];
        placed.push_back(blocks[block]);
        written[block] = std::min(written[block], bytes);
        continue;
      }
      placed.push_back(machine.allocate(core, slot.name, slot.dtype, {stored_elements(slot)}));
      const bool filled = slot.input || slot.values;
      declare_behind(machine, placed.back(), filled ? 0 : bytes);
    }
    for (std::size_t block = 0; block < blocks.size(); ++block)
      declare_behind(machine, blocks[block], written[block]);
  }

  static void declare_behind(Machine& machine, Tensor tensor, std::uint64_t bytes) {
    tensor.address += bytes;
    tensor.shape = {tensor.elements() - bytes / isa::size_of(tensor.dtype)};
    machine.declare_input(tensor);
  }

  std::vector<std::int64_t> distances(std::uint32_t core) const {
    std::vector<std::int64_t> all;
    for (const Tensor& tensor : placed_[core])
      all.push_back(static_cast<std::int64_t>(tensor.address - placed_[core].front().address));
    return all;
  }

  isa::Program build(const model::MachineParams& params, std::uint32_t core) const {
    runtime::Kernel kernel("graph", params);
    const runtime::HbmView memory = kernel.argument(kMemory, isa::DType::kUint8, 1, 64);
    const std::vector<std::int64_t> at = distances(core);
    std::vector<runtime::HbmView> views;
    std::map<BlockId, runtime::HbmView> blocks;  // dependencies are those of the block
    for (SlotId s = 0; s < slots().size(); ++s) {
      const Slot& slot = slots()[s];
      const auto columns =
          slot.dims.empty() ? 1 : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(slot.dims.back()));
      const std::uint64_t rows = std::max<std::uint64_t>(1, elements_of(slot.dims) / columns);
      if (shares(s)) {
        const BlockId block = *compiled_->memory().block_of[s];
        if (!blocks.contains(block)) {
          blocks[block] =
              kernel.beside(memory, at[s + 1], isa::DType::kUint8, 1, compiled_->memory().blocks[block]);
          kernel.track_bytes(blocks[block]);
        }
        runtime::HbmView view = blocks[block];
        view.dtype = slot.dtype;
        view.rows = rows;
        view.columns = columns;
        view.row_stride = static_cast<std::int64_t>(columns);
        views.push_back(view);
      } else if (slot.rows_of) {
        views.push_back(kernel.argument(fmt::format("rows{}", s), slot.dtype, rows, columns));
        kernel.control(views.back());
      } else {
        views.push_back(kernel.beside(memory, at[s + 1], slot.dtype, rows, columns));
        kernel.track_bytes(views.back());
      }
    }
    Emission emission(kernel, params, std::move(views));
    for (const NodePlan& plan : compiled_->lowering().plans()) {
      if (plan.steps.empty()) continue;
      kernel.region(plan.name);
      for (const Step& step : plan.steps) {
        const runtime::KernelMemory::Scope scope(kernel);
        step.emit(emission);
      }
    }
    return kernel.finish();
  }

  // In timing mode only control tensors have values.
  void fill(Machine& machine, std::uint64_t seed) const {
    for (SlotId s = 0; s < slots().size(); ++s) {
      const Slot& slot = slots()[s];
      if (!(slot.input || slot.values) || !machine.has_values(tensor_of(0, s))) continue;
      const std::size_t bytes = elements_of(slot.dims) * isa::size_of(slot.dtype);
      std::vector<std::byte> all(slot.values ? bytes : 0);
      if (slot.values)
        store_array(slot.values(), slot.dtype, all.data());
      else
        all = input_values(slot, seed);
      for (std::uint32_t core = 0; core < cores_used(); ++core)
        std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(slot.values ? 0 : core * bytes), bytes,
                    machine.bytes(tensor_of(core, s)));
    }
  }

  // Of all cores.
  std::vector<std::byte> input_values(const Slot& slot, std::uint64_t seed) const {
    std::vector<std::uint64_t> shape(slot.dims.begin(), slot.dims.end());
    if (!shape.empty()) shape[0] *= cores_used();
    const std::map<std::string, std::string> files = settings_.inputs();
    const auto file = files.find(slot.name);
    HostTensor values;
    if (file != files.end()) {
      values = runtime::load_input(file->second, slot.name, slot.dtype, shape);
    } else if (slot.rows_of) {
      values =
          runtime::make_tensor(slot.name, slot.dtype, shape.empty() ? std::vector<std::uint64_t>{1} : shape);
      any_rows_below(static_cast<std::uint64_t>(*slot.rows_of))(values, seed);
    } else {
      values = runtime::generate_input(slot.name, slot.dtype, shape, seed);
    }
    if (slot.rows_of) {
      if (values.shape.empty()) values.shape = {1};
      refuse_rows_beyond(static_cast<std::uint64_t>(*slot.rows_of))(values);
    }
    return std::move(values.values);
  }

  GraphSettings settings_;
  std::uint32_t cores_ = 0;  // from prepare() on
  std::unique_ptr<CompiledGraph> compiled_;
  std::vector<std::vector<Tensor>> placed_;  // by core: the memory argument, then the slots
};

}  // namespace

std::string graph_plan(const runtime::Workload& workload, const model::MachineParams& machine) {
  const auto* model = dynamic_cast<const GraphModel*>(&workload);
  TAHOMA_INVARIANT(model != nullptr, "a plan of a workload that is no graph");
  return plan_text(*model->compile(machine), machine);
}

std::unique_ptr<runtime::Workload> make_graph() { return std::make_unique<GraphModel>(); }

}  // namespace tahoma::workloads
