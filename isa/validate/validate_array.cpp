// SPDX-License-Identifier: Apache-2.0
// Checks the tensor engine's use of the array: rows, columns and modes.
#include "isa/table/table_rows.h"
#include "isa/validate/validate_rules.h"

namespace tahoma::isa {
namespace {

void check_range(const Site& site, const char* code, const std::string& what, std::uint64_t value,
                 std::uint64_t most) {
  if (value == 0 || value > most)
    site.fail(code, what + " is " + std::to_string(value) + "; expected 1.." + std::to_string(most));
}

void check_slices(const Site& site, const ModeRow& mode) {
  const Instruction& i = site.instruction;
  const std::string name(name_of(i.mode));
  const bool weights = i.op == Opcode::kLoadWeights;
  const bool sliced = weights ? i.mode == MatmulMode::kDoubleRow : mode.slices > 1;
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

}  // namespace

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
  check_range(site, "E-ISA-018", "moving columns (free elements)", moving_columns(i),
              site.limits.moving_columns);
  check_range(site, "E-ISA-016", "columns", i.columns, site.limits.array_columns);
  if (i.op == Opcode::kTranspose && size_of(i.dst.dtype) == 1)
    site.fail("E-ISA-020", "a transpose writes " + std::string(name_of(i.dst.dtype)) +
                               "; expected 16 or 32 bits: the tensor engine writes no bytes to psum");
}

}  // namespace tahoma::isa
