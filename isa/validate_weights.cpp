// SPDX-License-Identifier: Apache-2.0
// Which weights a matmul or transpose will find in the array.
#include "isa/validate_rules.h"

namespace tahoma::isa {

WeightTracker::WeightTracker(const std::vector<Instruction>& stream) : is_target_(stream.size() + 1) {
  for (const Instruction& i : stream)
    if (find_field(row_of(i.op), FieldKind::kTarget) != nullptr && i.target < is_target_.size())
      is_target_[i.target] = true;
}

void WeightTracker::check(const Site& site) {
  const Instruction& i = site.instruction;
  if (is_target_[site.index]) known_ = false;
  if (find_field(site.row, FieldKind::kStationary) != nullptr) {
    unsigned columns = 1;
    for (const auto count : i.shape.count) columns *= count;
    loaded_ = Loaded{i.shape.partitions, columns, i.src0.dtype};
    known_ = true;
  }
  if (!known_ || find_field(site.row, FieldKind::kMoving) == nullptr) return;
  if (!loaded_) site.fail("E-ISA-019", "no weights are loaded; expected a load_weights before it");
  if (loaded_->rows != i.shape.partitions || loaded_->columns != i.columns)
    site.fail("E-ISA-019", "uses weights of " + std::to_string(i.shape.partitions) + " rows and " +
                               std::to_string(i.columns) + " columns; loaded are " +
                               std::to_string(loaded_->rows) + " and " + std::to_string(loaded_->columns));
  if ((loaded_->dtype == DType::kFp32) != (i.src0.dtype == DType::kFp32))
    site.fail("E-ISA-019", "moves " + std::string(name_of(i.src0.dtype)) + " past weights of " +
                               std::string(name_of(loaded_->dtype)) +
                               "; expected fp32 with fp32 or 16-bit with 16-bit");
}

}  // namespace tahoma::isa
