// SPDX-License-Identifier: Apache-2.0
// Checks the tensor engine's use of the array: rows, columns and modes.
#include <algorithm>

#include "isa/table/table_rows.h"
#include "isa/validate/validate_rules.h"

namespace tahoma::isa {
namespace {

void check_range(const Site& site, const char* code, std::string_view what, std::uint64_t value,
                 std::uint64_t most) {
  if (value == 0 || value > most)
    site.fail(code,
              std::string(what) + " is " + std::to_string(value) + "; expected 1.." + std::to_string(most));
}

void check_slices(const Site& site, const ModeRow& mode) {
  const Instruction& i = site.instruction;
  const std::string name(name_of(i.mode));
  const bool weights = i.op == Opcode::kLoadWeights;
  const bool sliced = weights ? weights_per_cell(i.mode) > 1 : mode.slices > 1;
  if (sliced && i.shape.count[kSliceDim] != mode.slices)
    site.fail("E-ISA-039", name + " takes " + std::to_string(mode.slices) +
                               " slices in the outermost of three free dimensions; the shape has " +
                               std::to_string(i.shape.count[kSliceDim]));
  if (i.mode != MatmulMode::kDense && !in(i.src0.dtype, mode.dtypes))
    site.fail("E-ISA-039", name + " of " + std::string(shown(i.src0.dtype)) + "; expected " +
                               chosen_names<DType>(mode.dtypes));
  if (i.mode == MatmulMode::kDoubleRow && (weights ? i.column : i.dst.partition) != 0)
    site.fail("E-ISA-039", "double_row cannot be combined with column tiles; expected column 0");
}

void check_mode(const Site& site) {
  const Instruction& i = site.instruction;
  if (find_field(site.row, FieldKind::kMode) == nullptr) return;
  const ModeRow& mode = row_of(i.mode);
  if (i.mode == MatmulMode::kMx)
    site.fail("E-ISA-039", "mx is the mode of load_weights_mx and matmul_mx; expected another");
  check_slices(site, mode);
  if (i.op != Opcode::kLoadWeights) return;
  const std::string name(name_of(i.mode));
  const bool tagged = !(i.src1 == Tile{});
  if (tagged != (mode.kept > 0))
    site.fail("E-ISA-035", mode.kept > 0 ? name + " needs its tags" : name + " has no tags; expected none");
  if (mode.kept > 0 && i.shape.partitions % mode.kept != 0)
    site.fail("E-ISA-039", name + " keeps " + std::to_string(mode.kept) + " weights of a group; " +
                               std::to_string(i.shape.partitions) + " rows are not a multiple");
}

// NeuronCore-v4 writes rows of several banks, and twice as many columns of bf16. A moving operand of MX has
// the columns of one bank (nki.isa 2.32: 512 of fp32, 1,024 of bf16).
std::uint64_t most_moving(const Site& site) {
  const Instruction& i = site.instruction;
  const std::uint64_t most = site.limits.moving_columns;
  if (mode_of(i) == MatmulMode::kMx)
    return std::min<std::uint64_t>(2 * most, site.limits.psum_bank_bytes / size_of(i.dst.dtype));
  return i.op == Opcode::kMatmul && i.dst.dtype == DType::kBf16 ? 2 * most : most;
}

}  // namespace

void check_quads(const Site& site) {
  if (find_field(site.row, FieldKind::kScales) == nullptr &&
      find_field(site.row, FieldKind::kScalesDst) == nullptr)
    return;
  const Instruction& i = site.instruction;
  const unsigned quad = row_of(MatmulMode::kMx).slices;
  if (i.shape.count[0] != 1 || i.shape.count[kSliceDim] != quad)
    site.fail("E-ISA-039", "MX operands have quads of " + std::to_string(quad) +
                               " elements in the outermost of three free dimensions; the shape has " +
                               std::to_string(i.shape.count[kSliceDim]));
  const bool moves = find_field(site.row, FieldKind::kScalesDst) == nullptr;  // dst is no operand of MX
  const bool packed = moves && i.src0.dtype == kMxFp4;
  if (i.src0.stride[kSliceDim] != (packed ? 0 : 1) || (!moves && i.dst.stride[kSliceDim] != 1))
    site.fail("E-ISA-039",
              std::string(packed ? "a quad of MXFP4 is one element; expected a stride of 0"
                                 : "the elements of a quad are not adjacent; expected a stride of 1") +
                  " in the outermost of three free dimensions");
  const unsigned start = i.src0.partition, scales = i.src1.partition;
  if (scales < start || scales - start > unsigned{kQuadrant} - kScaleRows ||
      (scales - start) % kScaleRows != 0)
    site.fail("E-ISA-008", "operand 'scales' starts at partition " + std::to_string(scales) +
                               "; expected that of src, " + std::to_string(start) + ", or a multiple of " +
                               std::to_string(kScaleRows) + " partitions behind it in the same " +
                               std::to_string(unsigned{kQuadrant}));
}

void check_array(const Site& site) {
  const bool stationary = find_field(site.row, FieldKind::kStationary) != nullptr;
  const bool moving = find_field(site.row, FieldKind::kMoving) != nullptr;
  if (!stationary && !moving) return;
  const Instruction& i = site.instruction;
  check_range(site, "E-ISA-017", "rows (partitions of the shape)", i.shape.partitions,
              site.limits.array_rows);
  if (i.shape.count[0] != 1)
    site.fail("E-ISA-007", "shape has four free dimensions; expected at most three for the tensor engine");
  check_mode(site);
  if (stationary)
    return check_range(site, "E-ISA-016", "columns (free elements)", stationary_columns(i),
                       site.limits.array_columns);
  check_range(site, "E-ISA-018", "moving columns (free elements)", moving_columns(i), most_moving(site));
  check_range(site, "E-ISA-016", "columns", i.columns, site.limits.array_columns);
}

}  // namespace tahoma::isa
