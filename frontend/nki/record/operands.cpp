// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/record/operands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "isa/core/program_error.h"
#include "isa/table/table_fields.h"
#include "model/base/error.h"

namespace tahoma::runtime::nki {

namespace {

using isa::FieldKind;

std::string counts_text(const View& view) { return view.text(); }

// The fields whose operands correspond element by element.
bool element_by_element(const isa::Field& field) {
  return field.elements == 0 && (field.kind == FieldKind::kDst || field.kind == FieldKind::kSrc0 ||
                                 field.kind == FieldKind::kSrc1 || field.kind == FieldKind::kOneRowDst);
}

const isa::Field& field_of(const isa::OpRow& row, FieldKind kind) { return *isa::find_field(row, kind); }

std::uint16_t partition_of(const View& view, std::string_view name) {
  const std::int64_t placed = view.storage->place ? view.storage->place->partition : 0;
  if (view.dims[0].count > 1 && view.dims[0].stride != 1)
    refuse("E-NKI-011",
           fmt::format("operand '{}', {}, takes every {}th partition; engines take neighbouring ones", name,
                       view.text(), view.dims[0].stride));
  return static_cast<std::uint16_t>(placed + view.partition);
}

std::uint32_t byte_of(const View& view) {
  const std::int64_t placed = view.storage->place ? view.storage->place->byte : 0;
  return static_cast<std::uint32_t>(placed + view.offset * view.element->bytes);
}

isa::Space space_of(const View& view) {
  return view.storage->buffer == Buffer::kPsum ? isa::Space::kPsum
         : view.on_chip()                      ? isa::Space::kSbuf
                                               : isa::Space::kHbm;
}

}  // namespace

void check_on_chip(const View& view, const isa::Field& field, const isa::OpRow& row) {
  if (!view.on_chip())
    refuse(
        "E-NKI-011",
        fmt::format("operand '{}' of {}, {}, is in HBM; expected a tensor in SBUF{}: load it with dma_copy",
                    field.name, row.mnemonic, view.text(), (field.spaces & 2) != 0 ? " or PSUM" : ""));
  if (view.elements() == 0)
    refuse("E-NKI-010",
           fmt::format("operand '{}' of {}, {}, has no elements", field.name, row.mnemonic, view.text()));
  if (view.dynamic.kind != Dynamic::Kind::kNone)
    refuse("E-NKI-011",
           fmt::format("operand '{}' of {}, {}, has an offset that is known only while the kernel runs; "
                       "only tensor_copy and transfers take one",
                       field.name, row.mnemonic, view.text()));
}

isa::Tile tile_of(const View& view, const Numbers& strides, std::string_view name,
                  const isa::Limits& limits) {
  isa::Tile tile;
  tile.space = space_of(view);
  tile.dtype = dtype_of(view, limits);
  tile.partition = partition_of(view, name);
  tile.offset = byte_of(view);
  for (std::size_t d = 0; d < strides.size(); ++d) {
    const std::int64_t stride = strides[strides.size() - 1 - d];
    if (stride > INT16_MAX || stride < INT16_MIN)
      refuse("E-NKI-011",
             fmt::format("operand '{}', {}, has a stride of {} elements; an instruction takes {} to {}", name,
                         view.text(), stride, INT16_MIN, INT16_MAX));
    tile.stride[isa::kFreeDims - 1 - d] = static_cast<std::int16_t>(stride);
  }
  return tile;
}

void set_counts(isa::Shape& shape, const Numbers& counts, std::string_view mnemonic) {
  if (counts.size() > isa::kFreeDims)
    refuse("E-NKI-011", fmt::format("{} needs {} free dimensions ({}); an instruction takes {}", mnemonic,
                                    counts.size(), fmt::join(counts, " x "), isa::kFreeDims));
  shape.count = {1, 1, 1, 1};
  for (std::size_t d = 0; d < counts.size(); ++d) {
    const std::int64_t count = counts[counts.size() - 1 - d];
    if (count > UINT16_MAX)
      refuse("E-NKI-011",
             fmt::format("{} on {} free elements of one dimension; an instruction takes at most {}", mnemonic,
                         count, UINT16_MAX));
    shape.count[isa::kFreeDims - 1 - d] = static_cast<std::uint16_t>(count);
  }
}

Numbers strides_of(const Axes& axes) {
  Numbers strides;
  for (const Axis& a : axes) strides.push_back(a.stride);
  return strides;
}
Numbers counts_of(const Axes& axes) {
  Numbers counts;
  for (const Axis& a : axes) counts.push_back(a.count);
  return counts;
}

namespace {

// The entry of one compute instruction in the making.
class Maker {
 public:
  Maker(const isa::Instruction& fields, const std::vector<Trace::Given>& given, const isa::Limits& limits)
      : row_(isa::row_of(fields.op)), given_(given), limits_(limits) {
    entry_.instruction = fields;
    entry_.operands.reserve(given.size());
    strides_.reserve(given.size() + 1);
  }

  Recorded make() {
    for (const Trace::Given& g : given_) check_on_chip(g.view, field_of(row_, g.field), row_);
    set_partitions();
    set_shape();
    for (const Trace::Given& g : given_) place(g);
    check_packed();
    return std::move(entry_);
  }

 private:
  const View* find(FieldKind kind) const {
    for (const Trace::Given& g : given_)
      if (g.field == kind) return &g.view;
    return nullptr;
  }

  // Packed elements are moved as bits.
  void check_packed() const {
    const isa::Instruction& i = entry_.instruction;
    const bool fills = row_.op == isa::Opcode::kMemset && i.value == 0.0F;
    const bool moves = isa::has_rule(row_, isa::Rule::kSameDType) ||
                       (row_.op == isa::Opcode::kTensorCopy && i.dst.dtype == i.src0.dtype);
    for (const Trace::Given& g : given_)
      if (g.view.element->quad && !fills && !moves)
        refuse("E-NKI-012",
               fmt::format("operand '{}' of {}, {}; elements of {} are copied, set to 0, and multiplied by "
                           "nc_matmul_mx",
                           field_of(row_, g.field).name, row_.mnemonic, g.view.text(), g.view.element->name));
  }

  // The partitions of the shape are those of the source, where there is one; a shuffle's source may be a row.
  void set_partitions() {
    const View* from = find(FieldKind::kSrc0);
    if (row_.op == isa::Opcode::kStreamShuffle || from == nullptr) from = find(FieldKind::kDst);
    if (from == nullptr) from = find(FieldKind::kGatherSource);
    if (from == nullptr) from = &given_.front().view;
    entry_.instruction.shape.partitions = static_cast<std::uint16_t>(from->dims[0].count);
  }

  void set_shape() {
    std::vector<const Trace::Given*> together;
    together.reserve(given_.size());
    for (const Trace::Given& g : given_)
      if (element_by_element(field_of(row_, g.field))) together.push_back(&g);
    if (isa::find_field(row_, FieldKind::kAxes) != nullptr) return set_reduced_shape();
    if (isa::find_field(row_, FieldKind::kTransposedDst) != nullptr)
      return set_shape_alone(*find(FieldKind::kSrc0));
    if (together.empty()) return set_shape_alone(given_.front().view);
    std::vector<Axes> axes;
    axes.reserve(together.size() + 1);
    for (const Trace::Given* g : together) axes.push_back(free_axes(g->view));
    const bool pattern = isa::find_field(row_, FieldKind::kPattern) != nullptr;
    if (pattern) axes.push_back(pattern_axes());
    const auto common = joint(axes);
    if (!common) refuse_shapes(together);
    const Numbers counts = counts_of(common->front());
    set_counts(entry_.instruction.shape, counts, row_.mnemonic);
    for (std::size_t n = 0; n < together.size(); ++n)
      strides_.push_back({together[n]->field, strides_of((*common)[n])});
    if (pattern) set_pattern(strides_of(common->back()));
  }

  void set_shape_alone(const View& view) {
    const Axes axes = free_axes(view);
    set_counts(entry_.instruction.shape, counts_of(axes), row_.mnemonic);
    strides_.push_back({given_of(view), strides_of(axes)});
  }

  FieldKind given_of(const View& view) const {
    for (const Trace::Given& g : given_)
      if (&g.view == &view) return g.field;
    return given_.front().field;
  }

  // `axes` of the fields counts dimensions of the source's view; it becomes a number of dimensions of the
  // shape.
  void set_reduced_shape() {
    const View& src = *find(FieldKind::kSrc0);
    const View& dst = *find(FieldKind::kReducedDst);
    const std::size_t kept =
        src.dims.size() - std::min<std::size_t>(entry_.instruction.axes, src.dims.size() - 1);
    View outer = src, inner = src;
    outer.dims.resize(std::max<std::size_t>(kept, 1));
    inner.dims.erase(inner.dims.begin() + 1, inner.dims.begin() + static_cast<std::ptrdiff_t>(kept));
    const std::vector<Axes> pair{free_axes(outer), free_axes(dst)};
    const auto common = joint(pair);
    if (!common)
      refuse("E-NKI-011",
             fmt::format("tensor_reduce of {} into {}: without the {} reduced dimensions the source has "
                         "another shape",
                         src.text(), dst.text(), entry_.instruction.axes));
    Axes all = common->front();
    Axes reduced = free_axes(inner);
    if (reduced.empty()) reduced.push_back({1, 1, false});
    all.append(reduced.begin(), reduced.end());
    entry_.instruction.axes = static_cast<std::uint8_t>(reduced.size());
    set_counts(entry_.instruction.shape, counts_of(all), row_.mnemonic);
    strides_.push_back({FieldKind::kSrc0, strides_of(all)});
    Numbers to = strides_of(common->back());
    to.resize(to.size() + reduced.size(), 0);
    strides_.push_back({FieldKind::kReducedDst, to});
  }

  Axes pattern_axes() const {
    Axes axes;
    for (const Axis& a : pattern_) axes.push_back(a);
    return axes;
  }
  void set_pattern(const Numbers& steps) {
    entry_.instruction.pattern = {};
    for (std::size_t d = 0; d < steps.size(); ++d) {
      const std::int64_t step = steps[steps.size() - 1 - d];
      if (step > INT16_MAX || step < INT16_MIN)
        refuse("E-NKI-011", fmt::format("{} with a step of {}; expected {} to {}", row_.mnemonic, step,
                                        INT16_MIN, INT16_MAX));
      entry_.instruction.pattern[isa::kFreeDims - 1 - d] = static_cast<std::int16_t>(step);
    }
  }

 public:
  void pattern(const Axes& axes) { pattern_ = axes; }

 private:
  [[noreturn]] void refuse_shapes(const std::vector<const Trace::Given*>& together) const {
    std::string all;
    for (const Trace::Given* g : together)
      all += fmt::format("{}'{}' {}", all.empty() ? "" : ", ", field_of(row_, g->field).name,
                         counts_text(g->view));
    refuse("E-NKI-011", fmt::format("{}: the operands have different shapes: {}", row_.mnemonic, all));
  }

  void place(const Trace::Given& g) {
    const isa::Field& field = field_of(row_, g.field);
    const isa::Shape expected = isa::operand_shape(field, entry_.instruction);
    const bool row_alone = row_.op == isa::Opcode::kStreamShuffle && g.field == FieldKind::kSrc0;
    if (g.view.dims[0].count != expected.partitions && !row_alone)
      refuse("E-NKI-011",
             fmt::format("operand '{}' of {}, {}, has {} partitions; expected {}", field.name, row_.mnemonic,
                         g.view.text(), g.view.dims[0].count, expected.partitions));
    std::visit([&](auto slot) { fill(entry_.instruction.*slot, g, field, expected); },
               isa::traits_of(g.field).slot);
    entry_.operands.push_back({g.field, g.view.storage->id});
  }

  void fill(isa::Tile& tile, const Trace::Given& g, const isa::Field& field, const isa::Shape& expected) {
    const auto known =
        std::find_if(strides_.begin(), strides_.end(), [&](const auto& s) { return s.first == g.field; });
    if (known != strides_.end()) {
      tile = tile_of(g.view, known->second, field.name, limits_);
      return;
    }
    const Numbers counts(expected.count.begin(), expected.count.end());
    const auto strides = strides_for(free_axes(g.view), counts);
    if (!strides)
      refuse("E-NKI-011",
             fmt::format("operand '{}' of {}, {}, has {} elements in each partition; expected {}", field.name,
                         row_.mnemonic, g.view.text(), g.view.elements() / g.view.dims[0].count,
                         isa::free_elements(expected)));
    tile = tile_of(g.view, *strides, field.name, limits_);
  }
  void fill(isa::Scalar& scalar, const Trace::Given& g, const isa::Field& field, const isa::Shape&) {
    if (g.view.elements() != g.view.dims[0].count)
      refuse("E-NKI-011",
             fmt::format("operand '{}' of {}, {}; expected a number or a column of one element for each "
                         "partition",
                         field.name, row_.mnemonic, g.view.text()));
    if (dtype_of(g.view, limits_) != isa::DType::kFp32)
      refuse("E-NKI-011", fmt::format("operand '{}' of {}, {}; expected float32", field.name, row_.mnemonic,
                                      g.view.text()));
    scalar = {true, 0.0F, space_of(g.view), partition_of(g.view, field.name), byte_of(g.view)};
  }
  void fill(isa::Column& column, const Trace::Given& g, const isa::Field& field, const isa::Shape& expected) {
    const auto elements = static_cast<std::int64_t>(isa::free_elements(expected));
    const Axes axes = free_axes(g.view);
    if (g.view.elements() != elements * g.view.dims[0].count || axes.size() > 1 ||
        (!axes.empty() && axes[0].stride != 1))
      refuse("E-NKI-011",
             fmt::format("operand '{}' of {}, {}; expected {} neighbouring elements in each partition",
                         field.name, row_.mnemonic, g.view.text(), elements));
    column = {true, space_of(g.view), dtype_of(g.view, limits_), partition_of(g.view, field.name),
              byte_of(g.view)};
  }
  template <class Other>
  void fill(Other&, const Trace::Given&, const isa::Field&, const isa::Shape&) {}

  const isa::OpRow& row_;
  const std::vector<Trace::Given>& given_;
  const isa::Limits& limits_;
  Recorded entry_;
  Axes pattern_;
  std::vector<std::pair<FieldKind, Numbers>> strides_;
};

}  // namespace

isa::DType dtype_of(const View& view, const isa::Limits& limits) {
  const auto dtype = view.element->on(limits.core);
  if (!dtype)
    refuse("E-NKI-012", fmt::format("{}: {} is a type of Trainium3; {} does not compute with it", view.text(),
                                    view.element->name, isa::full_name_of(limits.core)));
  return *dtype;
}

std::optional<Numbers> strides_for(const Axes& axes, const Numbers& counts) {
  Axes left = axes;
  Numbers strides(counts.size(), 0);
  for (std::size_t d = counts.size(); d-- > 0;) {
    const std::int64_t count = counts[d];
    if (count == 1) continue;
    if (left.empty() || left.back().count % count != 0) return std::nullopt;
    strides[d] = left.back().stride;
    left.back().stride *= count;
    left.back().count /= count;
    if (left.back().count == 1) left.pop_back();
  }
  if (!left.empty()) return std::nullopt;
  return strides;
}

Recorded compute_entry(const isa::Instruction& fields, const std::vector<Trace::Given>& given,
                       const Axes& pattern, const isa::Limits& limits) {
  Maker maker(fields, given, limits);
  maker.pattern(pattern);
  return maker.make();
}

Recorded matmul_entry(const View& dst, const View& stationary, const View& moving, isa::MatmulMode mode,
                      bool transpose, const isa::Limits& limits) {
  const char* const name = transpose ? "nc_transpose" : "nc_matmul";
  const isa::OpRow& row = isa::row_of(transpose ? isa::Opcode::kTranspose : isa::Opcode::kMatmul);
  const isa::OpRow& load = isa::row_of(isa::Opcode::kLoadWeights);
  check_on_chip(stationary, field_of(load, FieldKind::kStationary), load);
  check_on_chip(moving, field_of(row, FieldKind::kMoving), row);
  const FieldKind dst_kind = transpose ? FieldKind::kTransposeDst : FieldKind::kMatrixDst;
  check_on_chip(dst, field_of(row, dst_kind), row);
  if (stationary.dims[0].count != moving.dims[0].count)
    refuse("E-NKI-011",
           fmt::format("{}: stationary {} and moving {} have different partitions, the contraction", name,
                       stationary.text(), moving.text()));
  const std::int64_t slices = isa::row_of(mode).slices;
  const std::int64_t k = moving.dims[0].count, columns = stationary.elements() / k / slices,
                     n = moving.elements() / k / slices;
  if (dst.dims[0].count != columns || dst.elements() != columns * n)
    refuse("E-NKI-011", fmt::format("{}: dst {} is not [columns of stationary, columns of moving] = [{}, {}]",
                                    name, dst.text(), columns, n));
  Recorded entry;
  isa::Instruction weights;
  weights.op = isa::Opcode::kLoadWeights;
  weights.mode = mode;
  weights.shape.partitions = static_cast<std::uint16_t>(k);
  const auto fit = [&](const View& view, Numbers counts, std::string_view what) {
    const auto strides = strides_for(free_axes(view), counts);
    if (!strides)
      refuse("E-NKI-011", fmt::format("{}: {} {} cannot be taken as {} elements in each partition", name,
                                      what, view.text(), fmt::join(counts, " x ")));
    return *strides;
  };
  const auto with_slices = [&](const View& view, std::int64_t per_slice) {
    if (slices == 1) return counts_of(free_axes(view));
    return Numbers{slices, 1, per_slice};
  };
  const Numbers in_weights = with_slices(stationary, columns), in_moving = with_slices(moving, n);
  set_counts(weights.shape, in_weights, name);
  weights.src0 = tile_of(stationary, fit(stationary, in_weights, "stationary"), "stationary", limits);
  isa::Instruction& work = entry.instruction;
  work.op = row.op;
  work.mode = mode;
  work.columns = static_cast<std::uint16_t>(columns);
  // The destination and the moving operand correspond column by column.
  Numbers moving_counts = in_moving, moving_strides, dst_strides;
  if (slices == 1) {
    const std::vector<Axes> pair{free_axes(moving), free_axes(dst)};
    const auto common = joint(pair);
    if (!common)
      refuse("E-NKI-011",
             fmt::format("{}: moving {} and dst {} have different shapes", name, moving.text(), dst.text()));
    moving_counts = counts_of(common->front());
    moving_strides = strides_of(common->front());
    dst_strides = strides_of(common->back());
  } else {
    moving_strides = fit(moving, in_moving, "moving");
    dst_strides = fit(dst, {1, 1, n}, "dst");
  }
  work.shape.partitions = static_cast<std::uint16_t>(k);
  set_counts(work.shape, moving_counts, name);
  work.src0 = tile_of(moving, moving_strides, "moving", limits);
  work.dst = tile_of(dst, dst_strides, "dst", limits);
  weights.column = static_cast<std::uint16_t>(work.dst.partition % limits.array_columns);
  entry.weights = std::make_shared<const isa::Instruction>(weights);
  entry.engine = isa::Queue::kTensor;
  entry.operands = {{FieldKind::kStationary, stationary.storage->id, true},
                    {FieldKind::kMoving, moving.storage->id},
                    {dst_kind, dst.storage->id}};
  return entry;
}

void check_entry(const Recorded& entry, const isa::Limits& limits) {
  static const isa::Program kNoProgram;
  const isa::OpRow& row = isa::row_of(entry.instruction.op);
  const auto check = [&](isa::Queue queue) {
    if (entry.weights) isa::validate_instruction(*entry.weights, isa::Queue::kTensor, kNoProgram, limits);
    isa::validate_instruction(entry.instruction, queue, kNoProgram, limits);
  };
  std::optional<isa::ProgramError> first;
  for (std::size_t q = 0; q < isa::kQueueCount; ++q) {
    const auto queue = static_cast<isa::Queue>(q);
    if (entry.engine ? *entry.engine != queue : ((row.queues >> q) & 1) == 0) continue;
    try {
      return check(queue);
    } catch (const isa::ProgramError& e) {
      if (!first) first = e;
    }
  }
  throw base::UserError(first->code, "", fmt::format("{}: {}", row.mnemonic, first->message),
                        base::ExitStatus::kProgram);
}

}  // namespace tahoma::runtime::nki
