// SPDX-License-Identifier: Apache-2.0
#include "runtime/builder/kernel_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/base/error.h"
#include "runtime/builder/access_region.h"

namespace tahoma::runtime {

isa::Scalar scalar_of(const ScalarOperand& operand) {
  isa::Scalar scalar;
  scalar.imm = operand.imm;
  if (operand.column == nullptr) return scalar;
  scalar = {true, 0.0F, operand.column->tile.space, operand.column->tile.partition,
            operand.column->tile.offset};
  return scalar;
}

KernelRecord::KernelRecord(std::string name, const model::MachineParams& params,
                           std::shared_ptr<OperationKinds> kinds)
    : machine(params) {
  if (kinds) ops = Operations(std::move(kinds));
  program.name = std::move(name);
  writes_.resize(isa::kArguments);
}

void KernelRecord::refuse(const std::string& code, const std::string& text) const {
  throw base::UserError(code, fmt::format("kernel '{}', operation {}", program.name, ops.size()), text,
                        base::ExitStatus::kProgram);
}

void KernelRecord::require(bool condition, const char* text) const {
  if (!condition) refuse("E-RUN-021", text);
}

void KernelRecord::require_same(const TileView& a, const TileView& b, const char* what) const {
  if (a.shape == b.shape) return;
  refuse("E-RUN-021",
         fmt::format("{}: shapes differ, {} partitions x {} and {} partitions x {}", what, a.shape.partitions,
                     free_elements(a.shape), b.shape.partitions, free_elements(b.shape)));
}

std::uint8_t KernelRecord::new_argument(const std::string& name, std::uint64_t row_bytes) {
  if (program.args.size() >= isa::kArguments)
    refuse("E-RUN-023",
           fmt::format("argument '{}' exceeds the limit of {} arguments", name, isa::kArguments));
  program.args.push_back(name);
  const auto arg = static_cast<std::uint8_t>(program.args.size() - 1);
  pitch_[arg] = row_bytes;
  return arg;
}

std::uint32_t KernelRecord::new_buffers(unsigned count) {
  const auto first = static_cast<std::uint32_t>(writes_.size());
  writes_.resize(writes_.size() + count);
  return first;
}

Region KernelRecord::region_of(const TileView& view) const {
  isa::Pattern pattern;
  pattern.space = view.tile.space;
  pattern.partition = view.tile.partition;
  pattern.partitions = view.shape.partitions;
  pattern.offset = view.tile.offset;
  pattern.element = static_cast<std::uint32_t>(isa::size_of(view.tile.dtype));
  for (std::size_t d = 0; d < isa::kFreeDims; ++d) {
    pattern.count[d] = view.shape.count[d];
    pattern.stride[d] = std::int64_t{view.tile.stride[d]} * pattern.element;
  }
  return runtime::region_of(pattern);
}

namespace {

// In bytes: the lowest one, how far the highest row is above the lowest, and what a row takes.
struct Extent {
  std::uint64_t begin, reach, width;
};

// Calls visit(bytes) for the stride of each dimension with more than one row.
template <class Visit>
Extent extent_of(const HbmView& view, Visit&& visit) {
  const std::uint64_t size = isa::size_of(view.dtype);
  std::int64_t low = 0, high = 0;  // from the first element
  const auto extend = [&](std::uint64_t count, std::int64_t stride) {
    if (count <= 1) return;
    const std::int64_t bytes = stride * static_cast<std::int64_t>(size);
    (bytes < 0 ? low : high) += static_cast<std::int64_t>(count - 1) * bytes;
    visit(bytes);
  };
  extend(view.rows, view.row_stride);
  for (const HbmView::Repeat& repeat : view.repeats) extend(repeat.count, repeat.stride);
  return {view.offset - static_cast<std::uint64_t>(-low), static_cast<std::uint64_t>(high - low),
          ((view.columns - 1) * static_cast<std::uint64_t>(view.column_stride) + 1) * size};
}

}  // namespace

// The bytes from the first to the last element. Equal gaps between equal runs do not count as part of it.
Region KernelRecord::bytes_of(const HbmView& view) {
  std::vector<std::uint64_t> steps;
  const auto [begin, reach, width] = extent_of(view, [&](std::int64_t bytes) {
    if (bytes != 0) steps.push_back(static_cast<std::uint64_t>(bytes < 0 ? -bytes : bytes));
  });
  Region region{view.buffer, 0, 1, begin, reach + width};
  const auto step = std::min_element(steps.begin(), steps.end());
  if (step != steps.end() && width < *step &&
      std::all_of(steps.begin(), steps.end(), [&](std::uint64_t other) { return other % *step == 0; })) {
    region.step = *step;
    region.width = width;
  }
  return region;
}

// The region is rows of the tensor by bytes in a row. If the stride of a window is several rows, the rows in
// between count as part of it. A window that does not consist of parts of rows is treated as whole rows.
Region KernelRecord::region_of(const HbmView& view) const {
  const std::uint64_t row_bytes = pitch_.at(view.buffer);
  if (row_bytes == kNoRows) return bytes_of(view);
  bool whole_rows_apart = true;
  const auto [begin, reach, width] = extent_of(view, [&](std::int64_t bytes) {
    whole_rows_apart = whole_rows_apart && bytes % static_cast<std::int64_t>(row_bytes) == 0;
  });
  const std::uint64_t column = begin % row_bytes;
  const auto first = static_cast<std::uint32_t>(begin / row_bytes);
  if (whole_rows_apart && column + width <= row_bytes)
    return {view.buffer, first, static_cast<std::uint32_t>(reach / row_bytes + 1), column, width};
  const std::uint64_t end = begin + reach + width;
  return {view.buffer, first, static_cast<std::uint32_t>((end - 1) / row_bytes - first + 1), 0, row_bytes};
}

Op& KernelRecord::append(isa::Opcode opcode, isa::Queue queue) {
  Op& op = ops.append();
  op.queue = queue;
  op.instruction.op = opcode;
  return op;
}

void KernelRecord::reads(Op& op, const isa::Scalar& scalar, const TileView* column) {
  if (!scalar.is_tile) return;
  require(column->tile.dtype == isa::DType::kFp32 && free_elements(column->shape) == 1,
          "a per-partition operand must be a [P,1] column of fp32");
  require(column->shape.partitions == op.instruction.shape.partitions,
          "a per-partition operand must have as many partitions as the tile");
  op.touch(region_of(*column), false);
}

void KernelRecord::writes_to(Op& op, const TileView& view) {
  op.touch(region_of(view), true);
  ++writes_.at(view.buffer);
}

}  // namespace tahoma::runtime
