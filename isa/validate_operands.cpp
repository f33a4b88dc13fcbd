// SPDX-License-Identifier: Apache-2.0
// Shapes, tiles, scalars and choices of one instruction.
#include <algorithm>

#include "isa/validate_rules.h"

namespace tahoma::isa {
namespace {

std::string quoted(std::string_view name) { return "operand '" + std::string(name) + "'"; }

template <class Enum>
std::string chosen_names(std::uint8_t mask) {
  std::string text;
  for (std::size_t i = 0; i < kEnumeratorCount<Enum>; ++i)
    if ((mask >> i) & 1) text += (text.empty() ? "" : ", ") + std::string(name_of(static_cast<Enum>(i)));
  return text;
}

template <class Enum>
bool in(Enum value, std::uint8_t mask) {
  return is_enumerator(value) && ((mask >> static_cast<unsigned>(value)) & 1) != 0;
}

std::uint64_t free_elements(const Shape& shape) {
  std::uint64_t n = 1;
  for (const auto count : shape.count) n *= count;
  return n;
}

void check_shape(const Site& site) {
  const Shape& shape = site.instruction.shape;
  if (shape.partitions == 0 || shape.partitions > site.limits.partitions)
    site.fail("E-ISA-007", "shape has " + std::to_string(shape.partitions) + " partitions; expected 1.." +
                               std::to_string(site.limits.partitions));
  if (std::any_of(shape.count.begin(), shape.count.end(), [](std::uint16_t c) { return c == 0; }))
    site.fail("E-ISA-007", "shape has a free count of 0; expected at least 1");
  if (std::uint64_t{shape.count[0]} * shape.count[1] > kMostFreeElements ||
      free_elements(shape) > kMostFreeElements)
    site.fail("E-ISA-007", "shape has " + std::to_string(free_elements(shape)) +
                               " free elements; expected at most " + std::to_string(kMostFreeElements));
}

// Where an operand lies in an on-chip memory.
struct Area {
  std::string_view name;
  Space space;
  unsigned partition, partitions;
  std::int64_t first, last;  // bytes inside each partition, both included
};

void check_area(const Site& site, const Area& area) {
  const Limits& limits = site.limits;
  if (area.partition + area.partitions > limits.partitions)
    site.fail("E-ISA-009", quoted(area.name) + " reaches partition " +
                               std::to_string(area.partition + area.partitions - 1) + "; expected below " +
                               std::to_string(limits.partitions));
  const std::string rule = partition_start_rule(area.partition, area.partitions, limits.partitions);
  if (!rule.empty()) site.fail("E-ISA-008", quoted(area.name) + ": " + rule);
  const std::int64_t size = area.space == Space::kPsum ? limits.psum_bytes : limits.sbuf_bytes;
  if (area.first < 0 || area.last >= size)
    site.fail("E-ISA-010", quoted(area.name) + " covers bytes " + std::to_string(area.first) + ".." +
                               std::to_string(area.last) + " of a partition; " +
                               std::string(name_of(area.space)) + " has 0.." + std::to_string(size - 1));
}

void check_space(const Site& site, std::string_view name, Space space, std::uint8_t spaces) {
  if (!in(space, spaces))
    site.fail("E-ISA-012", quoted(name) + " is in " + std::string(name_of(space)) + "; expected " +
                               chosen_names<Space>(spaces));
  const std::uint8_t reach = row_of(site.queue).spaces;
  if (!in(space, reach))
    site.fail("E-ISA-013", quoted(name) + " is in " + std::string(name_of(space)) + ", which queue " +
                               std::string(name_of(site.queue)) + " cannot reach; expected " +
                               chosen_names<Space>(reach));
}

// The part of the instruction's shape that one tile covers.
Shape shape_of(const Field& field, const Instruction& i) {
  Shape shape = i.shape;
  if (field.kind == FieldKind::kMatrixDst || field.kind == FieldKind::kTransposeDst)
    shape.partitions = i.columns;
  if (field.kind == FieldKind::kReduceResult) shape.count.fill(1);
  if (field.kind == FieldKind::kReducedDst)
    for (std::size_t d = 0; d < kFreeDims; ++d)
      if (d + i.axes >= kFreeDims) shape.count[d] = 1;
  return shape;
}

void check_tile(const Site& site, const Field& field, const Tile& tile) {
  check_space(site, field.name, tile.space, field.spaces);
  if (!in(tile.dtype, field.dtypes))
    site.fail("E-ISA-014", quoted(field.name) + " is " + std::string(shown(tile.dtype)) + "; expected " +
                               chosen_names<DType>(field.dtypes));
  const Shape shape = shape_of(field, site.instruction);
  std::array<std::uint64_t, kFreeDims> count{};
  std::array<std::int64_t, kFreeDims> stride{};
  std::copy(shape.count.begin(), shape.count.end(), count.begin());
  std::copy(tile.stride.begin(), tile.stride.end(), stride.begin());
  const Extent extent = extent_of({count, stride});
  const auto size = static_cast<std::int64_t>(size_of(tile.dtype));
  const Area area{field.name,
                  tile.space,
                  tile.partition,
                  shape.partitions,
                  tile.offset + extent.first * size,
                  tile.offset + extent.last * size + size - 1};
  check_area(site, area);
  if (tile.offset % size != 0)
    site.fail("E-ISA-011", quoted(field.name) + " starts at byte " + std::to_string(tile.offset) +
                               "; expected a multiple of " + std::to_string(size) + " for " +
                               std::string(name_of(tile.dtype)));
  const bool in_one_bank = field.kind == FieldKind::kMatrixDst || field.kind == FieldKind::kTransposeDst;
  const std::int64_t bank = site.limits.psum_bank_bytes;
  if (in_one_bank && area.first / bank != area.last / bank)
    site.fail("E-ISA-015", quoted(field.name) + " covers bytes " + std::to_string(area.first) + ".." +
                               std::to_string(area.last) + "; expected them inside one PSUM bank of " +
                               std::to_string(bank) + " bytes");
}

void check_column(const Site& site, const Field& field, const Scalar& scalar) {
  if (!scalar.is_tile) return;
  check_space(site, field.name, scalar.space, 0b011);
  constexpr std::int64_t kSize = sizeof(float);
  if (scalar.offset % kSize != 0)
    site.fail("E-ISA-011", quoted(field.name) + " starts at byte " + std::to_string(scalar.offset) +
                               "; expected a multiple of 4 for an fp32 column");
  check_area(site, {field.name, scalar.space, scalar.partition, site.instruction.shape.partitions,
                    scalar.offset, scalar.offset + kSize - 1});
}

void check_alu(const Site& site, const Field& field, AluOp op) {
  if (!in(op, field.choices))
    site.fail("E-ISA-005", quoted(field.name) + " is " + std::string(name_of(op)) + "; expected " +
                               chosen_names<AluOp>(field.choices));
  const std::uint8_t has = row_of(site.queue).alu_ops;
  if (!in(op, has))
    site.fail("E-ISA-006", quoted(field.name) + " is " + std::string(name_of(op)) + ", which queue " +
                               std::string(name_of(site.queue)) + " does not have; expected " +
                               chosen_names<AluOp>(has));
}

template <class Enum>
void check_known(const Site& site, const Field& field, Enum value) {
  if (!is_enumerator(value))
    site.fail("E-ISA-005", quoted(field.name) + " has no meaning (" +
                               std::to_string(static_cast<unsigned>(value)) + "); expected 0.." +
                               std::to_string(kEnumeratorCount<Enum> - 1));
}

void check_range(const Site& site, const char* code, const std::string& what, std::uint64_t value,
                 std::uint64_t most) {
  if (value == 0 || value > most)
    site.fail(code, what + " is " + std::to_string(value) + "; expected 1.." + std::to_string(most));
}

// The array's own limits, by the role of the operand.
void check_array(const Site& site, const Field& field) {
  const Instruction& i = site.instruction;
  const Limits& limits = site.limits;
  if (field.kind == FieldKind::kColumns)
    check_range(site, "E-ISA-016", "columns", i.columns, limits.array_columns);
  if (field.kind == FieldKind::kStationary) {
    check_range(site, "E-ISA-017", "rows (partitions of the shape)", i.shape.partitions, limits.array_rows);
    check_range(site, "E-ISA-016", "columns (free elements)", free_elements(i.shape), limits.array_columns);
  }
  if (field.kind == FieldKind::kMoving) {
    check_range(site, "E-ISA-017", "rows (partitions of the shape)", i.shape.partitions, limits.array_rows);
    check_range(site, "E-ISA-018", "moving columns (free elements)", free_elements(i.shape),
                limits.moving_columns);
  }
  if (field.kind == FieldKind::kTransposeDst && i.dst.dtype != i.src0.dtype && i.dst.dtype != DType::kFp32)
    site.fail("E-ISA-020", "a transpose of " + std::string(shown(i.src0.dtype)) + " writes " +
                               std::string(shown(i.dst.dtype)) + "; expected the dtype of src or fp32");
  if (field.kind == FieldKind::kAxes) check_range(site, "E-ISA-021", "axes", i.axes, kFreeDims);
}

}  // namespace

Extent extent_of(const Walk& walk) {
  Extent extent;
  for (std::size_t d = 0; d < walk.count.size(); ++d) {
    const std::int64_t reach = static_cast<std::int64_t>(walk.count[d] - 1) * walk.stride[d];
    (reach < 0 ? extent.first : extent.last) += reach;
  }
  return extent;
}

std::string partition_start_rule(unsigned first, unsigned count, unsigned partitions) {
  const unsigned step = count > partitions / 2   ? partitions
                        : count > partitions / 4 ? std::max(1U, partitions / 2)
                                                 : std::max(1U, partitions / 4);
  if (first % step == 0) return "";
  return std::to_string(count) + " partitions start at " + std::to_string(first) + "; expected " +
         (step == partitions ? "0" : "a multiple of " + std::to_string(step));
}

void check_operands(const Site& site) {
  const Instruction& i = site.instruction;
  if (find_field(site.row, FieldKind::kShape) != nullptr) check_shape(site);
  for (const Field& field : site.row.fields) check_array(site, field);
  for (const Field& field : site.row.fields) {
    const FieldTraits& traits = traits_of(field.kind);
    if (const auto* tile = std::get_if<Member<Tile>>(&traits.slot)) check_tile(site, field, i.**tile);
    if (const auto* scalar = std::get_if<Member<Scalar>>(&traits.slot)) check_column(site, field, i.**scalar);
    if (const auto* op = std::get_if<Member<AluOp>>(&traits.slot)) check_alu(site, field, i.**op);
    if (const auto* function = std::get_if<Member<ActFn>>(&traits.slot))
      check_known(site, field, i.**function);
    if (const auto* compare = std::get_if<Member<CompareOp>>(&traits.slot))
      check_known(site, field, i.**compare);
  }
}

}  // namespace tahoma::isa
