// SPDX-License-Identifier: Apache-2.0
#include "frontend/graph/lower/graph_lowering.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::workloads::graph {

runtime::HbmView Emission::matrix(SlotId slot, std::uint64_t rows, std::uint64_t columns,
                                  std::uint64_t offset) const {
  runtime::HbmView view = views_.at(slot);
  view.rows = rows;
  view.columns = columns;
  view.row_stride = static_cast<std::int64_t>(columns);
  view.offset = offset * isa::size_of(view.dtype);
  return view;
}

std::string_view name_of(StepEngine engine) {
  constexpr std::string_view kNames[] = {"tensor", "vector", "scalar", "dma"};
  return kNames[static_cast<std::size_t>(engine)];
}

isa::DType Lowering::stored(ElementType type) const {
  return floats_ && is_floating(type) ? *floats_ : element_row(type).stored;
}

void Lowering::begin(const std::string& name, const std::string& op, std::vector<std::size_t> nodes,
                     std::optional<NodeSlack> slack) {
  plans_.push_back({name, op, std::move(nodes), std::move(slack), {}});
}

void Lowering::add(Step step) { plans_.back().steps.push_back(std::move(step)); }

TensorRef Lowering::place(ValueId id, Slot slot) {
  const TensorRef tensor{static_cast<SlotId>(slots_.size()), slot.dims};
  slots_.push_back(std::move(slot));
  slots_of_.at(id) = tensor;
  use(tensor.slot);
  return tensor;
}

void Lowering::use(SlotId slot) {
  if (plans_.empty()) return;
  const std::size_t entry = plans_.size() - 1;
  std::optional<Slot::Life>& life = slots_.at(slot).life;
  life = Slot::Life{life ? life->first : entry, entry};
}

TensorRef Lowering::tensor(ValueId id) {
  if (slots_of_.at(id)) {
    use(slots_of_[id]->slot);
    return *slots_of_[id];
  }
  const Value& value = graph_.value(id);
  TAHOMA_INVARIANT(value.constant != nullptr, "a node reads '" + value.name + "' before it is computed");
  return place(id, {value.name, stored(value.type.element), value.type.dims, value.constant, {}, {}, 0});
}

double Lowering::bytes(const TensorRef& tensor) const {
  return static_cast<double>(elements_of(tensor.dims) * isa::size_of(dtype(tensor)));
}

TensorRef Lowering::input(ValueId id) {
  const Value& value = graph_.value(id);
  return place(id, {value.name, stored(value.type.element), value.type.dims, {}, true, {}, 0});
}

TensorRef Lowering::result(ValueId id) {
  const Value& value = graph_.value(id);
  return place(id, {value.name, stored(value.type.element), value.type.dims, {}, {}, {}, 0});
}

void Lowering::view(ValueId id, const TensorRef& of) {
  slots_of_.at(id) = TensorRef{of.slot, graph_.value(id).type.dims};
}

void Lowering::keep(ValueId id) { slots_.at(tensor(id).slot).output = true; }

TensorRef Lowering::scratch(const std::string& name, isa::DType dtype, const Dims& dims) {
  return constant(name, dtype, dims, {});
}

TensorRef Lowering::constant(const std::string& name, isa::DType dtype, const Dims& dims, LazyArray values) {
  slots_.push_back({name, dtype, dims, std::move(values), {}, {}, 0});
  use(static_cast<SlotId>(slots_.size() - 1));
  return {static_cast<SlotId>(slots_.size() - 1), dims};
}

TensorRef Lowering::filled(const std::string& name, isa::DType dtype, const Dims& dims, double value) {
  return constant(name, dtype, dims, [dims, value] {
    return Array{{ElementType::kFloat, dims}, std::vector<double>(elements_of(dims), value)};
  });
}

void Lowering::spare(const TensorRef& tensor, std::uint64_t elements) {
  std::uint64_t& spare = slots_.at(tensor.slot).spare;
  spare = std::max(spare, elements);
}

void Lowering::number_rows(const NodeView& node, const TensorRef& tensor, std::int64_t rows) {
  Slot& slot = slots_.at(tensor.slot);
  node.require(slot.input || slot.values, "E-ONX-010",
               fmt::format("selects by '{}', which is computed in the run; expected an input or a constant",
                           slot.name));
  slot.rows_of = slot.rows_of ? std::min(*slot.rows_of, rows) : rows;
}

}  // namespace tahoma::workloads::graph
