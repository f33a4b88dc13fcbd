// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/support/random/random_program.h"

namespace tahoma::tests {

using namespace isa;  // nearly every name of this generator is from isa

namespace {

constexpr unsigned kGroup = 16;  // partitions of one GpSimd processor

}  // namespace

// Between `least` and `most` elements, in up to four dimensions.
Shape ProgramGenerator::shape(std::uint64_t least, std::uint64_t most, unsigned most_partitions) {
  Shape s;
  s.partitions = static_cast<std::uint8_t>(between(1, most_partitions));
  std::uint64_t left = most;
  for (std::size_t d = kFreeDims; d-- > 0;) {
    if (chance(40)) continue;
    s.count[d] = static_cast<std::uint16_t>(between(1, std::min<std::uint64_t>(left, 65535)));
    left /= s.count[d];
  }
  if (free_elements(s) < least) s.count = {1, 1, 1, static_cast<std::uint16_t>(between(least, most))};
  return s;
}

void ProgramGenerator::sizes(Context& c) {
  const auto has = [&](FieldKind kind) { return find_field(c.row, kind) != nullptr; };
  if (has(FieldKind::kAxes)) c.i.axes = static_cast<std::uint8_t>(between(1, kFreeDims));
  if (has(FieldKind::kStationary)) return load_sizes(c);
  if (has(FieldKind::kMoving)) return use_sizes(c);
  if (!has(FieldKind::kShape)) return;
  const ShapeRule& rule = c.row.shape;
  const std::uint64_t usual = std::max<std::uint64_t>(rule.least_elements, chance(90) ? 1000 : 65535);
  const std::uint64_t most = std::min<std::uint64_t>(rule.most_elements, usual);
  c.i.shape = shape(rule.least_elements, most, std::min<unsigned>(rule.most_partitions, 128));
  if (rule.element_multiple > 1)
    c.i.shape.count = {1, 1, 1, static_cast<std::uint16_t>(rule.element_multiple * between(1, 100))};
  if (rule.partition_multiple > 1)
    c.i.shape.partitions =
        static_cast<std::uint8_t>(rule.partition_multiple * between(1, 128 / rule.partition_multiple));
  if (c.i.op == Opcode::kSendRecv && c.queue == Queue::kGpSimd && free_elements(c.i.shape) <= 256)
    c.i.gpsimd_dma = chance(50);
  gather_sizes(c);
}

void ProgramGenerator::gather_sizes(Context& c) {
  Instruction& i = c.i;
  const std::uint64_t n = free_elements(i.shape);
  if (i.op == Opcode::kNGather) i.extent = static_cast<std::uint32_t>(between(1, 20000));
  if (i.op == Opcode::kLocalGather) {
    i.per_index = static_cast<std::uint8_t>(1U << below(6));
    i.extent = static_cast<std::uint32_t>(between(i.per_index, 20000));
    const std::uint64_t most = std::min<std::uint64_t>(kGroup * n, 20000 / i.per_index);
    i.valid = static_cast<std::uint32_t>(between(1, most));
  }
  if (i.op == Opcode::kGatherColumns || i.op == Opcode::kScatterColumns) {
    i.extent = static_cast<std::uint32_t>(between(1, 4000));
    i.valid = static_cast<std::uint32_t>(between(1, std::min<std::uint64_t>(kGroup * n, 4000)));
  }
  if (i.op == Opcode::kTopk) {
    i.extent = static_cast<std::uint32_t>(between(8, std::min<std::uint64_t>(kGroup * n, 65535)));
    i.valid = static_cast<std::uint32_t>(between(1, std::min<std::uint64_t>(i.extent, 32767)));
  }
}

void ProgramGenerator::load_sizes(Context& c) {
  Instruction& i = c.i;
  i.mode = chance(50) ? MatmulMode::kDense
                      : static_cast<MatmulMode>(below(kEnumeratorCount<MatmulMode> - 1));  // all but kMx
  const ModeRow& mode = row_of(i.mode);
  i.shape = shape(1, i.mode == MatmulMode::kDoubleRow ? 64 : 128, 128);
  i.shape.count[3] = static_cast<std::uint16_t>(free_elements(i.shape));
  i.shape.count[0] = i.shape.count[1] = i.shape.count[2] = 1;
  if (i.mode == MatmulMode::kDoubleRow) i.shape.count[kSliceDim] = 2;
  if (mode.kept > 0) i.shape.partitions = static_cast<std::uint8_t>(mode.kept * between(1, 128 / mode.kept));
  const auto columns = static_cast<unsigned>(stationary_columns(i));
  if (i.mode != MatmulMode::kDoubleRow) i.column = static_cast<std::uint8_t>(partition_start(c.row, columns));
  weights_ = {i.shape, 0, i.column, DType::kFp32, i.mode};
}

void ProgramGenerator::use_sizes(Context& c) {
  Instruction& i = c.i;
  const bool turn = i.op == Opcode::kTranspose;
  i.mode = turn ? MatmulMode::kDense : weights_->mode;
  const unsigned slices = row_of(i.mode).slices;
  i.shape = shape(1, turn ? 128 : 512, 1);
  i.shape.count = {1, static_cast<std::uint16_t>(slices), 1,
                   static_cast<std::uint16_t>(std::min<std::uint64_t>(free_elements(i.shape), 512))};
  i.shape.partitions = weights_->shape.partitions;
  i.columns = static_cast<std::uint8_t>(free_elements(weights_->shape) /
                                        (weights_->mode == MatmulMode::kDoubleRow ? 2 : 1));
}

}  // namespace tahoma::tests
