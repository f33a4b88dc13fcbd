// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/record/quads.h"

#include <fmt/format.h>

#include "frontend/nki/record/operands.h"
#include "isa/table/table_fields.h"

namespace tahoma::runtime::nki {

namespace {

using isa::FieldKind;

constexpr std::int64_t kQuad = 4;
constexpr std::size_t kColumnDims = 2;  // of an operand: a third dimension has the quads

std::int64_t free_elements(const View& view) { return view.elements() / view.dims[0].count; }

void check_quads(const View& view, std::string_view instruction, std::string_view name) {
  if (!view.element->quad)
    refuse("E-NKI-012", fmt::format("{}: {} {}; expected elements of float8_e4m3fn_x4, float8_e5m2_x4 or "
                                    "float4_e2m1fn_x4",
                                    instruction, name, view.text()));
}

void check_scales(const ScaledView& operand, std::string_view instruction, std::string_view name,
                  const isa::Limits& limits) {
  if (dtype_of(operand.scales, limits) != isa::DType::kUint8)
    refuse("E-NKI-012", fmt::format("{}: the scales of {}, {}; expected uint8 or float8_e8m0fnu", instruction,
                                    name, operand.scales.text()));
  const auto partitions = static_cast<unsigned>(operand.quads.dims[0].count);
  const std::int64_t needed = isa::scale_partitions(partitions);
  if (operand.scales.dims[0].count < needed || free_elements(operand.scales) != free_elements(operand.quads))
    refuse("E-NKI-011",
           fmt::format(
               "{}: the scales of {}, {}, have another shape than {}; expected at least {} partitions, 4 of "
               "each 32, and {} elements in each",
               instruction, name, operand.scales.text(), operand.quads.text(), needed,
               free_elements(operand.quads)));
}

// The axes of operands that correspond column by column; at most two.
std::vector<Axes> columns_of(const std::vector<const View*>& views, std::string_view instruction) {
  std::vector<Axes> axes;
  for (const View* view : views) axes.push_back(free_axes(*view));
  const auto common = joint(axes);
  if (!common || common->front().size() > kColumnDims) {
    std::string all;
    for (const View* view : views) all += (all.empty() ? "" : ", ") + view->text();
    refuse("E-NKI-011",
           fmt::format("{}: {} have no common columns of at most two dimensions", instruction, all));
  }
  return *common;
}

// The counts of an instruction on quads: 4, then its columns.
void set_shape(isa::Instruction& instruction, std::int64_t partitions, const Axes& columns,
               std::string_view name) {
  instruction.shape.partitions = static_cast<std::uint16_t>(partitions);
  Numbers counts = counts_of(columns);
  counts.insert(counts.begin(), kColumnDims - counts.size(), 1);
  counts.insert(counts.begin(), kQuad);
  set_counts(instruction.shape, counts, name);
}

// A tile of the columns; with `quads`, their four elements come in a dimension of their own.
isa::Tile column_tile(const View& view, const Axes& columns, std::string_view name,
                      const isa::Limits& limits) {
  return tile_of(view, strides_of(columns), name, limits);
}
isa::Tile quad_tile(const View& view, const Axes& columns, std::string_view name, const isa::Limits& limits) {
  const bool packed = view.element->quad == isa::kMxFp4;  // a quad is one element
  Numbers strides = strides_of(columns);
  if (!packed)
    for (std::int64_t& stride : strides) stride *= kQuad;
  strides.insert(strides.begin(), kColumnDims - strides.size(), 0);
  strides.insert(strides.begin(), packed ? 0 : 1);
  isa::Tile tile = tile_of(view, strides, name, limits);
  tile.dtype = *view.element->quad;
  return tile;
}

void check_on_chip(std::initializer_list<std::pair<const View*, FieldKind>> operands, isa::Opcode op) {
  const isa::OpRow& row = isa::row_of(op);
  for (const auto& [view, kind] : operands) nki::check_on_chip(*view, *isa::find_field(row, kind), row);
}

}  // namespace

Recorded matmul_mx_entry(const View& dst, const ScaledView& stationary, const ScaledView& moving,
                         const isa::Limits& limits) {
  constexpr std::string_view kName = "nc_matmul_mx";
  check_on_chip({{&stationary.quads, FieldKind::kStationary}, {&stationary.scales, FieldKind::kScales}},
                isa::Opcode::kLoadWeightsMx);
  check_on_chip({{&moving.quads, FieldKind::kMoving},
                 {&moving.scales, FieldKind::kScales},
                 {&dst, FieldKind::kMatrixDst}},
                isa::Opcode::kMatmulMx);
  check_quads(stationary.quads, kName, "stationary");
  check_quads(moving.quads, kName, "moving");
  check_scales(stationary, kName, "stationary", limits);
  check_scales(moving, kName, "moving", limits);
  const std::int64_t k = moving.quads.dims[0].count;
  if (stationary.quads.dims[0].count != k)
    refuse("E-NKI-011",
           fmt::format("{}: stationary {} and moving {} have different partitions, the contraction", kName,
                       stationary.quads.text(), moving.quads.text()));
  const std::int64_t columns = free_elements(stationary.quads), n = free_elements(moving.quads);
  if (columns % 2 != 0)
    refuse("E-NKI-011", fmt::format("{}: stationary {} has {} columns; expected an even number", kName,
                                    stationary.quads.text(), columns));
  if (dst.dims[0].count != columns || dst.elements() != columns * n)
    refuse("E-NKI-011", fmt::format("{}: dst {} is not [columns of stationary, columns of moving] = [{}, {}]",
                                    kName, dst.text(), columns, n));
  Recorded entry;
  isa::Instruction weights;
  weights.op = isa::Opcode::kLoadWeightsMx;
  const std::vector<Axes> loaded = columns_of({&stationary.quads, &stationary.scales}, kName);
  set_shape(weights, k, loaded[0], kName);
  weights.src0 = quad_tile(stationary.quads, loaded[0], "stationary", limits);
  weights.src1 = column_tile(stationary.scales, loaded[1], "stationary_scale", limits);
  isa::Instruction& work = entry.instruction;
  work.op = isa::Opcode::kMatmulMx;
  work.columns = static_cast<std::uint16_t>(columns);
  const std::vector<Axes> moved = columns_of({&moving.quads, &moving.scales, &dst}, kName);
  set_shape(work, k, moved[0], kName);
  work.src0 = quad_tile(moving.quads, moved[0], "moving", limits);
  work.src1 = column_tile(moving.scales, moved[1], "moving_scale", limits);
  work.dst = column_tile(dst, moved[2], "dst", limits);
  if (work.dst.partition % limits.array_columns != 0)
    refuse("E-NKI-011",
           fmt::format("{}: dst {} starts at partition {}; expected 0: MX has no tiles of columns", kName,
                       dst.text(), work.dst.partition));
  entry.weights = std::make_shared<const isa::Instruction>(weights);
  entry.engine = isa::Queue::kTensor;
  entry.operands = {{FieldKind::kStationary, stationary.quads.storage->id, true},
                    {FieldKind::kScales, stationary.scales.storage->id, true},
                    {FieldKind::kMoving, moving.quads.storage->id},
                    {FieldKind::kScales, moving.scales.storage->id},
                    {FieldKind::kMatrixDst, dst.storage->id}};
  return entry;
}

Recorded quantize_mx_entry(const ScaledView& dst, const View& src, const isa::Limits& limits) {
  constexpr std::string_view kName = "quantize_mx";
  check_on_chip(
      {{&dst.quads, FieldKind::kDst}, {&dst.scales, FieldKind::kScalesDst}, {&src, FieldKind::kSrc0}},
      isa::Opcode::kQuantizeMx);
  check_quads(dst.quads, kName, "dst");
  if (dst.quads.element->quad == isa::kMxFp4)
    refuse("E-NKI-012", fmt::format("{}: dst {}; the vector engine quantises to float8_e4m3fn_x4 and "
                                    "float8_e5m2_x4",
                                    kName, dst.quads.text()));
  check_scales(dst, kName, "dst", limits);
  const std::int64_t n = free_elements(dst.quads);
  if (src.dims[0].count != dst.quads.dims[0].count || free_elements(src) != kQuad * n)
    refuse("E-NKI-011", fmt::format("{}: src {} has not four elements for each of dst {}", kName, src.text(),
                                    dst.quads.text()));
  // The quads of the source: its columns are the starts of each four neighbours.
  View starts = src;
  Dim& last = starts.dims.back();
  if (last.count % kQuad != 0)
    refuse("E-NKI-011",
           fmt::format("{}: the last dimension of src {}; expected a multiple of 4", kName, src.text()));
  const std::int64_t step = last.stride;
  last = {step * kQuad, last.count / kQuad};
  const std::vector<Axes> columns = columns_of({&dst.quads, &dst.scales, &starts}, kName);
  Recorded entry;
  isa::Instruction& work = entry.instruction;
  work.op = isa::Opcode::kQuantizeMx;
  set_shape(work, src.dims[0].count, columns[0], kName);
  work.dst = quad_tile(dst.quads, columns[0], "dst", limits);
  work.src1 = column_tile(dst.scales, columns[1], "dst_scale", limits);
  Numbers strides = strides_of(columns[2]);
  strides.insert(strides.begin(), kColumnDims - strides.size(), 0);
  strides.insert(strides.begin(), step);
  work.src0 = tile_of(src, strides, "src", limits);
  entry.operands = {{FieldKind::kDst, dst.quads.storage->id},
                    {FieldKind::kScalesDst, dst.scales.storage->id},
                    {FieldKind::kSrc0, src.storage->id}};
  return entry;
}

}  // namespace tahoma::runtime::nki
