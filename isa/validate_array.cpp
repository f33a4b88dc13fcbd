// SPDX-License-Identifier: Apache-2.0
// The tensor engine: rows, columns and modes of the array, and which weights a matmul or transpose will find.
#include <algorithm>

#include "isa/table_rows.h"
#include "isa/validate_rules.h"

namespace tahoma::isa {
namespace {

void check_range(const Site& site, const char* code, const std::string& what, std::uint64_t value,
                 std::uint64_t most) {
  if (value == 0 || value > most)
    site.fail(code, what + " is " + std::to_string(value) + "; expected 1.." + std::to_string(most));
}

void check_reach(const Site& site, const char* code, const char* what, std::uint64_t first,
                 std::uint64_t count, std::uint64_t end) {
  if (first + count > end)
    site.fail(code, std::string(what) + " " + std::to_string(first) + ".." +
                        std::to_string(first + count - 1) + " of the array; expected below " +
                        std::to_string(end));
}

void check_stationary(const Site& site) {
  const Instruction& i = site.instruction;
  const std::uint64_t columns = stationary_columns(i);
  check_range(site, "E-ISA-016", "columns (free elements)", columns, site.limits.array_columns);
  const std::string rule =
      partition_start_rule(i.column, static_cast<unsigned>(columns), site.limits.partitions);
  if (!rule.empty()) site.fail("E-ISA-008", "operand 'column': as " + rule);
  check_reach(site, "E-ISA-016", "columns", i.column, columns, site.limits.array_columns);
}

void check_moving(const Site& site) {
  const Instruction& i = site.instruction;
  check_range(site, "E-ISA-018", "moving columns (free elements)", moving_columns(i),
              site.limits.moving_columns);
  check_range(site, "E-ISA-016", "columns", i.columns, site.limits.array_columns);
  check_reach(site, "E-ISA-016", "columns", i.dst.partition, i.columns, site.limits.array_columns);
  if (i.op == Opcode::kTranspose && size_of(i.dst.dtype) == 1)
    site.fail("E-ISA-020", "a transpose writes " + std::string(name_of(i.dst.dtype)) +
                               "; expected 16 or 32 bits: the tensor engine writes no bytes to psum");
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

// fp32 that is 0 or 1 is loaded as any fp32 is.
MatmulMode form_of(MatmulMode mode) {
  const bool onezero = mode == MatmulMode::kOneZeroStationary || mode == MatmulMode::kOneZeroMoving;
  return onezero ? MatmulMode::kDense : mode;
}

constexpr DTypes kWide = bits<DTypes>(DType::kFp32, DType::kTf32);

}  // namespace

void check_array(const Site& site) {
  const bool stationary = find_field(site.row, FieldKind::kStationary) != nullptr;
  const bool moving = find_field(site.row, FieldKind::kMoving) != nullptr;
  if (!stationary && !moving) return;
  const Instruction& i = site.instruction;
  check_range(site, "E-ISA-017", "rows (partitions of the shape)", i.shape.partitions,
              site.limits.array_rows);
  check_reach(site, "E-ISA-017", "rows", i.src0.partition, i.shape.partitions, site.limits.array_rows);
  if (i.shape.count[0] != 1)
    site.fail("E-ISA-007", "shape has four free dimensions; expected at most three for the tensor engine");
  check_mode(site);
  if (stationary)
    check_stationary(site);
  else
    check_moving(site);
}

WeightTracker::WeightTracker(const std::vector<Instruction>& stream) : is_target_(stream.size() + 1) {
  for (const Instruction& i : stream)
    if (find_field(row_of(i.op), FieldKind::kTarget) != nullptr && i.target < is_target_.size())
      is_target_[i.target] = true;
}

void WeightTracker::check(const Site& site) {
  if (is_target_[site.index]) {
    known_ = false;
    loaded_.clear();
  }
  const Instruction& i = site.instruction;
  if (find_field(site.row, FieldKind::kStationary) != nullptr)
    load({i.src0.partition, i.shape.partitions, i.column, static_cast<unsigned>(stationary_columns(i)),
          i.src0.dtype, form_of(i.mode)},
         site.limits.partitions / 4);
  if (find_field(site.row, FieldKind::kMoving) != nullptr) use(site);
}

bool WeightTracker::overlap(const Weights& a, const Weights& b, unsigned tile) {
  const auto end = [&](unsigned first, unsigned count) {
    return tile == 0 ? first + count : first + (count + tile - 1) / tile * tile;
  };
  return a.row < end(b.row, b.rows) && b.row < end(a.row, a.rows) && a.column < end(b.column, b.columns) &&
         b.column < end(a.column, a.columns);
}

// A load takes whole tiles of a quarter of the array; what stands in others stays.
void WeightTracker::load(const Weights& weights, unsigned tile) {
  std::erase_if(loaded_, [&](const Weights& w) { return overlap(w, weights, tile); });
  loaded_.push_back(weights);
}

void WeightTracker::use(const Site& site) const {
  const Instruction& i = site.instruction;
  const Weights wanted{i.src0.partition, i.shape.partitions, i.dst.partition,
                       i.columns,        i.src0.dtype,       form_of(i.mode)};
  const auto shown_as = [](const Weights& w) {
    return std::to_string(w.rows) + " rows from " + std::to_string(w.row) + " and " +
           std::to_string(w.columns) + " columns from " + std::to_string(w.column) + " in " +
           std::string(name_of(w.mode));
  };
  const auto there = std::find_if(loaded_.begin(), loaded_.end(), [&](const Weights& w) {
    return overlap(w, wanted, site.limits.partitions / 4);
  });
  if (there == loaded_.end()) {
    if (!known_) return;
    site.fail("E-ISA-019", loaded_.empty() ? "no weights are loaded; expected a load_weights before it"
                                           : "uses " + shown_as(wanted) + "; no weights are loaded there");
  }
  if (!there->same_place(wanted))
    site.fail("E-ISA-019", "uses weights of " + shown_as(wanted) + "; loaded are " + shown_as(*there));
  if (i.op == Opcode::kTranspose)
    check_turned(site, there->dtype);
  else
    check_multiplied(site, there->dtype);
}

void WeightTracker::check_multiplied(const Site& site, DType weights) {
  const DType moving = site.instruction.src0.dtype;
  if (!is_float(weights))
    site.fail("E-ISA-019", "multiplies weights of " + std::string(name_of(weights)) + "; expected floats");
  if (in(weights, kWide) != in(moving, kWide))
    site.fail("E-ISA-019", "moves " + std::string(name_of(moving)) + " past weights of " +
                               std::string(name_of(weights)) +
                               "; expected fp32 or tf32 with such, or 8 and 16 bits with 8 and 16 bits");
}

void WeightTracker::check_turned(const Site& site, DType weights) {
  const DType dst = site.instruction.dst.dtype;
  const DType own = size_of(weights) == 1 ? DType::kUint16 : weights;
  if (dst == own || (dst == DType::kFp32 && is_float(weights))) return;
  site.fail("E-ISA-020", "turns weights of " + std::string(name_of(weights)) + " into " +
                             std::string(name_of(dst)) + "; expected " + std::string(name_of(own)) +
                             (is_float(weights) && own != DType::kFp32 ? " or fp32" : ""));
}

}  // namespace tahoma::isa
