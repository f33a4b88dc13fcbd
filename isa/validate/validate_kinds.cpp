// SPDX-License-Identifier: Apache-2.0
// Checks that the operand and the engine support every choice, and that every operand is in a memory and of a
// dtype that they accept. The other rules rely on this.
#include "isa/table/table_rows.h"
#include "isa/validate/validate_rules.h"

namespace tahoma::isa {
namespace {

template <class Enum>
void check_known(const Site& site, const Field& field, Enum value) {
  if (!is_enumerator(value))
    site.fail("E-ISA-005", quoted(field.name) + " has no meaning (" +
                               std::to_string(static_cast<unsigned>(value)) + "); expected 0.." +
                               std::to_string(kEnumeratorCount<Enum> - 1));
}

void check_space(const Site& site, const Field& field, Space space, std::uint8_t spaces) {
  if (!in(space, spaces))
    site.fail("E-ISA-012", quoted(field.name) + " is in " + std::string(shown(space)) + "; expected " +
                               chosen_names<Space>(spaces));
  const std::uint8_t reach = row_of(site.queue).spaces;
  if (space != Space::kHbm && !in(space, reach))
    site.fail("E-ISA-013", quoted(field.name) + " is in " + std::string(name_of(space)) + ", which queue " +
                               std::string(name_of(site.queue)) + " cannot reach; expected " +
                               chosen_names<Space>(reach));
}

void check_dtype(const Site& site, const Field& field, DType dtype) {
  if (!in(dtype, field.dtypes))
    site.fail("E-ISA-014", quoted(field.name) + " is " + std::string(shown(dtype)) + "; expected " +
                               chosen_names<DType>(field.dtypes));
}

template <class Operand>
void check_placed(const Site& site, const Field& field, const Operand& operand) {
  check_space(site, field, operand.space, field.spaces);
  check_dtype(site, field, operand.dtype);
}

// Returns whether the row's choices are not those of its queue's engine: the sequencer's arithmetic, GpSimd's
// reduction across partitions, the DMA engines' folds and what activate2 adds to the scalar engine.
bool has_own_operations(const OpRow& row) {
  return row.op == Opcode::kActivate2 || row.cost == CostClass::kRegister ||
         row.cost == CostClass::kPartitionReduce || row.cost == CostClass::kDoorbell;
}

void check_kind(const Site& site, const Field& field, AluOp op) {
  if (!in(op, field.choices))
    site.fail("E-ISA-005", quoted(field.name) + " is " + std::string(shown(op)) + "; expected " +
                               chosen_names<AluOp>(field.choices));
  const AluOps has = row_of(site.queue).alu_ops;
  if (!has_own_operations(site.row) && !in(op, has))
    site.fail("E-ISA-006", quoted(field.name) + " is " + std::string(name_of(op)) + ", which queue " +
                               std::string(name_of(site.queue)) + " does not have; expected " +
                               chosen_names<AluOp>(has));
}
void check_kind(const Site& site, const Field& field, const Tile& tile) {
  if (!field.optional || !(tile == Tile{})) check_placed(site, field, tile);
}
void check_kind(const Site& site, const Field& field, const Column& column) {
  if (column.present) check_placed(site, field, column);
}
void check_kind(const Site& site, const Field& field, const DmaSide& word) {
  check_placed(site, field, word);
}
void check_kind(const Site& site, const Field& field, const Scalar& scalar) {
  if (scalar.is_tile) check_space(site, field, scalar.space, kOnChip);
}
template <class Value>
void check_kind(const Site& site, const Field& field, const Value& value) {
  if constexpr (std::is_enum_v<Value>) check_known(site, field, value);
}

}  // namespace

void check_kinds(const Site& site) {
  for (const Field& field : site.row.fields)
    std::visit([&](auto slot) { check_kind(site, field, site.instruction.*slot); },
               traits_of(field.kind).slot);
}

}  // namespace tahoma::isa
