// SPDX-License-Identifier: Apache-2.0
// quantize_mx: blocks of 8 partitions by 4 elements of a column to MXFP8 and their scales.
#include <algorithm>
#include <cmath>
#include <limits>

#include "isa/semantics/arithmetic/micro_scales.h"
#include "isa/semantics/arithmetic/partition_row.h"
#include "isa/semantics/semantics_ops.h"
#include "isa/table/table_fields.h"

namespace tahoma::isa {
namespace {

using Values = std::vector<float>;

// The bytes of the scales of a block's columns. The rows of a partition hold all first elements of its quads,
// then all second ones, and so on.
std::vector<std::uint32_t> scales_of(const std::array<Values, kScaleGroup>& rows, std::size_t columns,
                                     DType element) {
  std::vector<std::uint32_t> bytes(columns);
  for (std::size_t m = 0; m < columns; ++m) {
    float largest = 0.0F;
    for (const Values& row : rows)
      for (std::size_t e = m; e < row.size(); e += columns)
        largest = std::isfinite(row[e]) ? std::max(largest, std::abs(row[e]))
                                        : std::numeric_limits<float>::infinity();
    bytes[m] = e8m0_of(largest, element);
  }
  return bytes;
}

}  // namespace

void do_quantize_mx(const Instruction& i, const CoreView& core) {
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0),
                scales = tile_operand(core, i.src1);
  FreeCounts columns = i.shape.count;
  columns[kSliceDim] = 1;
  for (unsigned group = 0; group < i.shape.partitions / kScaleGroup; ++group) {
    std::array<Values, kScaleGroup> rows;
    for (unsigned p = 0; p < kScaleGroup; ++p)
      PartitionRow(src, i.shape.count, group * kScaleGroup + p).load(rows[p]);
    const std::size_t n = rows.front().size() / row_of(MatmulMode::kMx).slices;
    const std::vector<std::uint32_t> bytes = scales_of(rows, n, i.dst.dtype);
    std::vector<std::uint32_t> elements(rows.front().size());
    for (unsigned p = 0; p < kScaleGroup; ++p) {
      for (std::size_t e = 0; e < elements.size(); ++e)
        elements[e] = quantised(rows[p][e], static_cast<std::uint8_t>(bytes[e % n]), i.dst.dtype);
      PartitionRow(dst, i.shape.count, group * kScaleGroup + p).write(elements.data());
    }
    PartitionRow(scales, columns, scale_partition(group)).write(bytes.data());
  }
}

}  // namespace tahoma::isa
