// SPDX-License-Identifier: Apache-2.0
#include "report/checkpoint/destination.h"

#include <algorithm>

#include "isa/table/table.h"
#include "isa/table/table_fields.h"

namespace tahoma::runtime {

namespace {

isa::Pattern pattern_of(const isa::Tile& tile, const isa::Shape& shape) {
  isa::Pattern p;
  p.space = tile.space;
  p.partition = tile.partition;
  p.partitions = shape.partitions;
  p.offset = tile.offset;
  p.element = static_cast<std::uint32_t>(isa::size_of(tile.dtype));
  for (std::size_t d = 0; d < isa::kFreeDims; ++d) {
    p.count[d] = shape.count[d];
    p.stride[d] = std::int64_t{tile.stride[d]} * p.element;
  }
  return p;
}

Box transfer_box(const isa::Descriptor& d, const base::ResultActivity& resolved) {
  return {isa::destination_access(d, resolved.address).pattern,
          d.dst.dtype,
          resolved.scatters,
          {resolved.rows.begin(), resolved.rows.end()}};
}

// Collects the memory that the fields of an instruction write.
class Written {
 public:
  Written(const isa::Instruction& i, const base::ResultActivity& resolved) : i_(i), resolved_(resolved) {}

  void add(const isa::Field& field) {
    const isa::FieldTraits& traits = isa::traits_of(field.kind);
    if (traits.role != isa::Role::kWrite) return;
    field_ = &field;
    std::visit([&](auto slot) { operand(i_.*slot); }, traits.slot);
  }
  std::vector<Destination> list;

 private:
  void operand(const isa::Tile& tile) {
    if (field_->optional && tile == isa::Tile{}) return;
    isa::Pattern p = pattern_of(tile, isa::operand_shape(*field_, i_));
    // Registers offset `dst` only.
    if (&tile == &i_.dst) p.offset += static_cast<std::uint64_t>(resolved_.moved);
    list.push_back({field_->name, {p, tile.dtype, false, {}}});
  }
  void operand(const isa::Column& column) {
    if (!column.present) return;
    const isa::Tile tile{column.space, column.dtype, column.partition, column.offset, {0, 0, 0, 1}};
    list.push_back(
        {field_->name, {pattern_of(tile, isa::operand_shape(*field_, i_)), column.dtype, false, {}}});
  }
  void operand(const isa::DmaSide& word) {
    isa::Pattern p = isa::word_access(word, resolved_.address, true).pattern;
    if (word.space != isa::Space::kHbm) p.offset += static_cast<std::uint64_t>(resolved_.moved);
    list.push_back({field_->name, {p, word.dtype, false, {}}});
  }
  template <class Other>
  void operand(const Other&) {}

  const isa::Instruction& i_;
  const base::ResultActivity& resolved_;
  const isa::Field* field_ = nullptr;
};

}  // namespace

std::vector<Destination> destinations_of(const isa::Program& program, const isa::Instruction& i,
                                         const base::ResultActivity& resolved) {
  const isa::OpRow& row = isa::row_of(i.op);
  if (row.cost == isa::CostClass::kDoorbell)
    return {{"dst", transfer_box(program.descriptors[i.descriptor], resolved)}};
  Written written(i, resolved);
  for (const isa::Field& field : row.fields) written.add(field);
  return std::move(written.list);
}

}  // namespace tahoma::runtime
