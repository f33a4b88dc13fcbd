// SPDX-License-Identifier: Apache-2.0
// Checks that a matmul or transpose finds its weights in the array.
#include <algorithm>

#include "isa/validate/validate_rules.h"

namespace tahoma::isa {
namespace {

void check_fits(const Site& site, const ArrayBlock& block, const ArraySize& array) {
  if (block.row + block.rows > array.rows)
    site.fail("E-ISA-017", "occupies " + text_of(block) + "; the array has " + std::to_string(array.rows) +
                               " rows; expected the operand within them");
  if (block.column + block.columns > array.columns)
    site.fail("E-ISA-016", "occupies " + text_of(block) + "; the array has " + std::to_string(array.columns) +
                               " columns; expected the operand within them");
}

// Column tiles follow the alignment of row tiles: multiples of their size.
void check_column_start(const Site& site, const ArrayBlock& block, const ArraySize& array) {
  const unsigned step = tile_of({0, 0, 1, block.columns}, array).columns;
  if (block.column % step != 0)
    site.fail("E-ISA-016", std::to_string(block.columns) + " columns start at " +
                               std::to_string(block.column) + "; expected a multiple of " +
                               std::to_string(step));
}

}  // namespace

WeightTracker::WeightTracker(const Stream& stream) : is_target_(stream.size() + 1) {
  for (const Instruction& i : stream)
    if (find_field(row_of(i.op), FieldKind::kTarget) != nullptr && i.target < is_target_.size())
      is_target_[i.target] = true;
}

void WeightTracker::load(const Site& site, const ArraySize& array) {
  const Standing standing = standing_of(site.instruction, array);
  check_fits(site, standing.block, array);
  check_column_start(site, standing.block, array);
  const ArrayBlock tile = tile_of(standing.block, array);
  loaded_.erase(std::remove_if(loaded_.begin(), loaded_.end(),
                               [&](const Standing& s) { return overlap(tile_of(s.block, array), tile); }),
                loaded_.end());
  loaded_.push_back(standing);
}

void WeightTracker::use(const Site& site, const ArraySize& array) const {
  const Instruction& i = site.instruction;
  const ArrayBlock used = used_block(i, array);
  check_fits(site, used, array);
  const auto found = std::find_if(loaded_.begin(), loaded_.end(), [&](const Standing& s) {
    return overlap(tile_of(s.block, array), tile_of(used, array));
  });
  if (found == loaded_.end()) {
    if (all_known_)
      site.fail("E-ISA-019", "no weights are loaded in " + text_of(used) +
                                 " of the array; expected a load_weights before it");
    return;
  }
  const std::string reason = unusable(i, used, *found);
  if (!reason.empty()) site.fail("E-ISA-019", reason);
  if (i.op == Opcode::kTranspose && !turn_of(found->dtype, i.dst.dtype))
    site.fail("E-ISA-020", "a transpose of " + std::string(name_of(found->dtype)) + " writes " +
                               std::string(name_of(i.dst.dtype)) +
                               "; expected their own dtype (or uint16 for 8-bit types), or " +
                               "fp32 for floats");
}

void WeightTracker::check(const Site& site) {
  if (is_target_[site.index]) {
    loaded_.clear();
    all_known_ = false;
  }
  const ArraySize array{site.limits.array_rows, site.limits.array_columns};
  if (find_field(site.row, FieldKind::kStationary) != nullptr) load(site, array);
  if (find_field(site.row, FieldKind::kMoving) != nullptr) use(site, array);
}

}  // namespace tahoma::isa
