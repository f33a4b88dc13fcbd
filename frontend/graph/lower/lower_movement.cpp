// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "frontend/graph/lower/lower_nodes.h"
#include "frontend/graph/lower/strided_copy.h"
#include "frontend/graph/lower/tile_kernel.h"
#include "frontend/graph/operators/elementwise.h"
#include "frontend/graph/operators/movement.h"
#include "workloads/embedding/embedding_kernel.h"

namespace tahoma::workloads::graph {

namespace {

constexpr std::size_t kMostRuns = 64;  // of constant indices that become copies

// All of `piece` to or from the place in `whole` where it begins.
StridedCopy piece_copy(const TensorRef& to, std::int64_t to_offset, const TensorRef& from,
                       std::int64_t from_offset, const Dims& dims) {
  StridedCopy copy{{to.slot, to_offset}, {from.slot, from_offset}, {}};
  const std::vector<std::int64_t> of_to = row_major_strides(to.dims), of_from = row_major_strides(from.dims);
  for (std::size_t d = 0; d < dims.size(); ++d) copy.dims.push_back({dims[d], of_to[d], of_from[d]});
  return copy;
}

void add_fill(Lowering& lowering, const TensorRef& to, double value) {
  const TensorRef constant = lowering.filled("fill", lowering.dtype(to), {1}, value);
  StridedCopy copy{
      {to.slot, 0}, {constant.slot, 0}, {{static_cast<std::int64_t>(elements_of(to.dims)), 1, 0}}};
  add_copies(lowering, {copy});
}

}  // namespace

void lower_elementwise(const NodeView& node, Lowering& lowering) {
  const ElementwiseRow& row = *elementwise_row(node.node().op);
  const ValueId id = node.node().outputs[0];
  const bool casts = row.op == "Cast";
  if (casts &&
      lowering.stored(node.type(0).element) == lowering.stored(lowering.graph().value(id).type.element) &&
      lowering.graph().value(id).type.element != ElementType::kBool)
    return lowering.view(id, lowering.tensor(node.id(0)));
  node.require(row.op != "Div" || is_floating(node.type(0).element), "E-ONX-010",
               "divides integers that are computed in the run");
  std::vector<TensorRef> operands;
  std::vector<std::size_t> number_of;  // tile of an input; SIZE_MAX: a number
  for (std::size_t i = 0; i < (row.op == "Clip" ? 1 : node.inputs()); ++i) {
    const bool is_number = node.scalar(i).has_value();
    number_of.push_back(is_number ? SIZE_MAX : operands.size());
    if (!is_number) operands.push_back(lowering.tensor(node.id(i)));
  }
  if (operands.empty()) {  // all are numbers, which a graph without constant folding may have
    operands.push_back(lowering.tensor(node.id(0)));
    number_of[0] = 0;
  }
  TileCode code(static_cast<std::uint32_t>(operands.size()));
  std::vector<TileOperand> in;
  for (std::size_t i = 0; i < number_of.size(); ++i)
    in.push_back(number_of[i] == SIZE_MAX ? TileOperand::of(*node.scalar(i))
                                          : code.input(static_cast<std::uint32_t>(number_of[i])));
  const std::vector<double> parameters = row.parameters ? row.parameters(node) : std::vector<double>();
  const TileOperand result = code.tile_of(row.code(code, in, parameters.data()));
  const TensorRef out = lowering.result(id);
  add_tile_code(lowering, out, operands, code, result);
}

void lower_view(const NodeView& node, Lowering& lowering) {
  lowering.view(node.node().outputs[0], lowering.tensor(node.id(0)));
  node.require(!node.wants(1), "E-ONX-010", "wants the mask of a dropout");
}

void lower_transpose(const NodeView& node, Lowering& lowering) {
  const TensorRef from = lowering.tensor(node.id(0));
  const std::vector<std::size_t> order = permutation_of(node);
  // A permutation that keeps the order of all dimensions but those of 1 is a view.
  std::vector<std::size_t> kept;
  for (const std::size_t d : order)
    if (from.dims[d] != 1) kept.push_back(d);
  if (std::is_sorted(kept.begin(), kept.end())) return lowering.view(node.node().outputs[0], from);
  add_permute(lowering, lowering.result(node.node().outputs[0]), from, order);
}

void lower_concat(const NodeView& node, Lowering& lowering) {
  const std::size_t axis = node.axis(node.integer("axis", 1), node.rank(0));
  std::vector<TensorRef> pieces;
  for (std::size_t i = 0; i < node.inputs(); ++i) pieces.push_back(lowering.tensor(node.id(i)));
  if (pieces.size() == 1) return lowering.view(node.node().outputs[0], pieces[0]);
  const TensorRef to = lowering.result(node.node().outputs[0]);
  const std::int64_t stride = row_major_strides(to.dims)[axis];
  std::vector<StridedCopy> copies;
  std::int64_t first = 0;
  for (const TensorRef& piece : pieces) {
    copies.push_back(piece_copy(to, first * stride, piece, 0, piece.dims));
    first += piece.dims[axis];
  }
  add_copies(lowering, std::move(copies));
}

void lower_split(const NodeView& node, Lowering& lowering) {
  const std::size_t axis = node.axis(node.integer("axis", 0), node.rank(0));
  const TensorRef from = lowering.tensor(node.id(0));
  const std::int64_t stride = row_major_strides(from.dims)[axis];
  std::vector<StridedCopy> copies;
  std::int64_t first = 0;
  for (const ValueId id : node.node().outputs) {
    const TensorRef to = lowering.result(id);
    copies.push_back(piece_copy(to, 0, from, first * stride, to.dims));
    first += to.dims[axis];
  }
  add_copies(lowering, std::move(copies));
}

void lower_slice(const NodeView& node, Lowering& lowering) {
  const TensorRef from = lowering.tensor(node.id(0)), to = lowering.result(node.node().outputs[0]);
  const std::vector<std::int64_t> of_from = row_major_strides(from.dims);
  StridedCopy copy = piece_copy(to, 0, from, 0, to.dims);
  const std::vector<SliceAxis> axes = slice_of(node);
  for (std::size_t d = 0; d < axes.size(); ++d) {
    copy.from.offset += axes[d].start * of_from[d];
    copy.dims[d].from = axes[d].step * of_from[d];
  }
  add_copies(lowering, {copy});
}

// Every dimension of the source is one of the result, in front of it one that repeats it.
void lower_repeat(const NodeView& node, Lowering& lowering) {
  const TensorRef from = lowering.tensor(node.id(0));
  const Dims& dims = lowering.graph().value(node.node().outputs[0]).type.dims;
  if (elements_of(dims) == elements_of(from.dims)) return lowering.view(node.node().outputs[0], from);
  const TensorRef to = lowering.result(node.node().outputs[0]);
  const std::vector<std::int64_t> of_to = row_major_strides(to.dims), of_from = row_major_strides(from.dims);
  StridedCopy copy{{to.slot, 0}, {from.slot, 0}, {}};
  const std::size_t lead = to.dims.size() - from.dims.size();
  for (std::size_t d = 0; d < to.dims.size(); ++d) {
    const std::int64_t size = d < lead ? 1 : from.dims[d - lead];
    copy.dims.push_back({to.dims[d] / size, of_to[d] * size, 0});
    if (size > 1) copy.dims.push_back({size, of_to[d], of_from[d - lead]});
  }
  add_copies(lowering, {copy});
}

void lower_pad(const NodeView& node, Lowering& lowering) {
  const Padding padding = padding_of(node);
  const TensorRef from = lowering.tensor(node.id(0)), to = lowering.result(node.node().outputs[0]);
  const std::vector<std::int64_t> of_to = row_major_strides(to.dims), of_from = row_major_strides(from.dims);
  std::int64_t to_offset = 0, from_offset = 0;
  Dims dims = from.dims;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    to_offset += std::max<std::int64_t>(0, padding.before[d]) * of_to[d];
    from_offset += std::max<std::int64_t>(0, -padding.before[d]) * of_from[d];
    dims[d] += std::min<std::int64_t>(0, padding.before[d]) + std::min<std::int64_t>(0, padding.after[d]);
    dims[d] = std::max<std::int64_t>(0, dims[d]);
  }
  if (to.dims != dims) add_fill(lowering, to, padding.value);
  add_copies(lowering, {piece_copy(to, to_offset, from, from_offset, dims)});
}

// A constant mask selects the elements, so infinities outside do not matter.
void lower_triangle(const NodeView& node, Lowering& lowering) {
  node.require(node.rank(0) >= 2, "E-ONX-004", "has no matrix");
  const TensorRef in = lowering.tensor(node.id(0));
  const Dims matrix(in.dims.end() - 2, in.dims.end());
  const TensorRef chosen = lowering.constant(node.node().name + ".mask", isa::DType::kUint8, matrix,
                                             [matrix, triangle = triangle_of(node)] {
                                               Array mask{{ElementType::kBool, matrix}, {}};
                                               for (std::int64_t r = 0; r < matrix[0]; ++r)
                                                 for (std::int64_t c = 0; c < matrix[1]; ++c)
                                                   mask.values.push_back(triangle.has(r, c) ? 1 : 0);
                                               return mask;
                                             });
  TileCode code(2);
  const TileOperand result = code.select(code.input(1), code.input(0), TileOperand::of(0));
  add_tile_code(lowering, lowering.result(node.node().outputs[0]), {in, chosen}, code, result);
}

namespace {

// Rows of a table of which each is contiguous, by numbers in HBM.
void add_row_gather(const NodeView& node, Lowering& lowering, const TensorRef& to, const TensorRef& table) {
  const TensorRef numbers = lowering.tensor(node.id(1));
  node.require(lowering.dtype(numbers) == isa::DType::kInt32, "E-ONX-009",
               "has indices that are not integers");
  lowering.number_rows(node, numbers, table.dims[0]);
  const EmbeddingShape shape{elements_of(numbers.dims), static_cast<std::uint64_t>(table.dims[0]),
                             elements_of(table.dims) / static_cast<std::uint64_t>(table.dims[0]),
                             lowering.dtype(table)};
  Step step;
  step.kernel = "embedding";
  step.engine = StepEngine::kDma;
  step.dtype = shape.dtype;
  step.bytes = 2 * lowering.bytes(to) + lowering.bytes(numbers);
  step.tiles = fmt::format("{} rows of {}", shape.ids, shape.columns);
  step.emit = [shape, numbers, table, to](Emission& e) {
    emit_embedding(e.kernel, e.machine, shape,
                   {e.matrix(numbers.slot, shape.ids, 1), e.matrix(table.slot, shape.rows, shape.columns),
                    e.matrix(to.slot, shape.ids, shape.columns)});
  };
  lowering.add(std::move(step));
}

}  // namespace

void lower_gather(const NodeView& node, Lowering& lowering) {
  const std::size_t axis = node.axis(node.integer("axis", 0), node.rank(0));
  const TensorRef from = lowering.tensor(node.id(0));
  const ValueId id = node.node().outputs[0];
  const std::size_t rows = node.type(1).elements();
  if (axis == 0 && (!node.is_constant(1) || rows > kMostRuns) && rows > 0)
    return add_row_gather(node, lowering, lowering.result(id), from);
  const std::vector<std::int64_t> numbers = node.integers(1);  // E-ONX-010 if computed in the run
  const TensorRef to = lowering.result(id);
  const std::int64_t stride = row_major_strides(from.dims)[axis];
  // As [outer, rows, inner].
  const TensorRef flat{to.slot,
                       {static_cast<std::int64_t>(elements_of(
                            Dims(from.dims.begin(), from.dims.begin() + static_cast<std::ptrdiff_t>(axis)))),
                        static_cast<std::int64_t>(rows), stride}};
  const TensorRef source{from.slot, {flat.dims[0], from.dims[axis], stride}};
  std::vector<StridedCopy> copies;
  for (std::size_t i = 0; i < numbers.size();) {
    const auto at = [&](std::size_t n) { return numbers[n] < 0 ? numbers[n] + from.dims[axis] : numbers[n]; };
    node.require(at(i) >= 0 && at(i) < from.dims[axis], "E-ONX-005", fmt::format("has index {}", numbers[i]));
    std::size_t count = 1;
    while (i + count < numbers.size() && at(i + count) == at(i) + static_cast<std::int64_t>(count)) ++count;
    copies.push_back(piece_copy(flat, static_cast<std::int64_t>(i) * stride, source, at(i) * stride,
                                {flat.dims[0], static_cast<std::int64_t>(count), stride}));
    i += count;
  }
  add_copies(lowering, std::move(copies));
}

}  // namespace tahoma::workloads::graph
