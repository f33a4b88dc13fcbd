// SPDX-License-Identifier: Apache-2.0
// Shapes, tiles, scalars and choices of one instruction.
#include <algorithm>

#include "isa/validate_rules.h"

namespace tahoma::isa {
namespace {

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
  const unsigned span = has_rule(site.row, Rule::kWholeQuadrants)
                            ? (area.partitions + kQuadrant - 1) / kQuadrant * kQuadrant
                            : area.partitions;
  const std::string rule = partition_start_rule(area.partition, span, limits.partitions);
  if (!rule.empty()) site.fail("E-ISA-008", quoted(area.name) + ": " + rule);
  const std::int64_t size = area.space == Space::kPsum ? limits.psum_bytes : limits.sbuf_bytes;
  const std::string covers =
      quoted(area.name) + " covers bytes " + std::to_string(area.first) + ".." + std::to_string(area.last);
  if (area.first < 0 || area.last >= size)
    site.fail("E-ISA-010", covers + " of a partition; " + std::string(name_of(area.space)) + " has 0.." +
                               std::to_string(size - 1));
  const std::int64_t usable = size - (area.space == Space::kSbuf ? limits.sbuf_reserved : 0);
  if (area.last >= usable)
    site.fail("E-ISA-036", covers + " of a partition; the runtime keeps " + std::to_string(usable) + ".." +
                               std::to_string(size - 1) + " of sbuf for itself");
}

void check_dtype(const Site& site, const Field& field, DType dtype) {
  if (!in(dtype, field.dtypes))
    site.fail("E-ISA-014", quoted(field.name) + " is " + std::string(shown(dtype)) + "; expected " +
                               chosen_names<DType>(field.dtypes));
}

void check_aligned(const Site& site, const Field& field, std::uint64_t offset, DType dtype) {
  if (offset % size_of(dtype) != 0)
    site.fail("E-ISA-011", quoted(field.name) + " starts at byte " + std::to_string(offset) +
                               "; expected a multiple of " + std::to_string(size_of(dtype)) + " for " +
                               std::string(name_of(dtype)));
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

void check_tile(const Site& site, const Field& field, const Tile& tile) {
  check_space(site, field.name, tile.space, field.spaces);
  check_dtype(site, field, tile.dtype);
  const Shape shape = operand_shape(field, site.instruction);
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
  check_aligned(site, field, tile.offset, tile.dtype);
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
  if (site.row.cost == CostClass::kRegister) return;  // the sequencer's own arithmetic
  const AluOps has = row_of(site.queue).alu_ops;
  if (!in(op, has))
    site.fail("E-ISA-006", quoted(field.name) + " is " + std::string(name_of(op)) + ", which queue " +
                               std::string(name_of(site.queue)) + " does not have; expected " +
                               chosen_names<AluOp>(has));
}

void check_column(const Site& site, const Field& field, const Column& column) {
  if (!column.present) {
    if (!field.optional) site.fail("E-ISA-035", quoted(field.name) + " is missing");
    return;
  }
  check_space(site, field.name, column.space, field.spaces);
  check_dtype(site, field, column.dtype);
  check_aligned(site, field, column.offset, column.dtype);
  const Shape shape = operand_shape(field, site.instruction);
  const auto bytes = static_cast<std::int64_t>(free_elements(shape) * size_of(column.dtype));
  check_area(site, {field.name, column.space, column.partition, shape.partitions, column.offset,
                    column.offset + bytes - 1});
}

void check_word(const Site& site, const Field& field, const DmaSide& word) {
  if (word.stride != decltype(word.stride){} || word.across != 0)
    site.fail("E-ISA-031", quoted(field.name) + " is one element; expected no strides");
  if (!in(word.space, field.spaces))
    site.fail("E-ISA-012", quoted(field.name) + " is in " + std::string(shown(word.space)) + "; expected " +
                               chosen_names<Space>(field.spaces));
  check_dtype(site, field, word.dtype);
  check_aligned(site, field, word.offset, word.dtype);
  if (word.space == Space::kHbm) {
    if (word.arg >= site.program.args.size())
      site.fail("E-ISA-024", quoted(field.name) + " is argument " + std::to_string(word.arg) +
                                 "; the program has " + std::to_string(site.program.args.size()));
    if (word.partition != 0 || word.offset >> 40 != 0)
      site.fail("E-ISA-031", quoted(field.name) + " in HBM has a partition or an offset beyond 2^40");
    return;
  }
  if (word.arg != kNone) site.fail("E-ISA-031", quoted(field.name) + " on chip names an argument; expected none");
  const auto first = static_cast<std::int64_t>(word.offset);
  const Area area{field.name, word.space, 0, 1, first, first + static_cast<std::int64_t>(size_of(word.dtype)) - 1};
  check_area(site, area);
  if (word.partition >= site.limits.partitions)
    site.fail("E-ISA-009", quoted(field.name) + " is in partition " + std::to_string(word.partition) +
                               "; expected below " + std::to_string(site.limits.partitions));
}

template <class Enum>
void check_known(const Site& site, const Field& field, Enum value) {
  if (!is_enumerator(value))
    site.fail("E-ISA-005", quoted(field.name) + " has no meaning (" +
                               std::to_string(static_cast<unsigned>(value)) + "); expected 0.." +
                               std::to_string(kEnumeratorCount<Enum> - 1));
}

template <class Value>
void check_choice(const Site& site, const Field& field, const Value& value) {
  if constexpr (std::is_enum_v<Value> && !std::is_same_v<Value, AluOp>) check_known(site, field, value);
}

void check_range(const Site& site, const char* code, const std::string& what, std::uint64_t value,
                 std::uint64_t most) {
  if (value == 0 || value > most)
    site.fail(code, what + " is " + std::to_string(value) + "; expected 1.." + std::to_string(most));
}

void check_axes(const Site& site, const Field& field) {
  if (field.kind == FieldKind::kAxes) check_range(site, "E-ISA-021", "axes", site.instruction.axes, kFreeDims);
}

// The array's own limits, by the role of the operand.
void check_array(const Site& site, const Field& field) {
  const Instruction& i = site.instruction;
  const Limits& limits = site.limits;
  if (field.kind == FieldKind::kColumns)
    check_range(site, "E-ISA-016", "columns", i.columns, limits.array_columns);
  const bool matrix = field.kind == FieldKind::kStationary || field.kind == FieldKind::kMoving;
  if (!matrix) return check_axes(site, field);
  check_range(site, "E-ISA-017", "rows (partitions of the shape)", i.shape.partitions, limits.array_rows);
  if (i.shape.count[0] != 1)
    site.fail("E-ISA-007", "shape has four free dimensions; expected at most three for the tensor engine");
  if (field.kind == FieldKind::kStationary)
    check_range(site, "E-ISA-016", "columns (free elements)", stationary_columns(i), limits.array_columns);
  else
    check_range(site, "E-ISA-018", "moving columns (free elements)", moving_columns(i), limits.moving_columns);
}

}  // namespace

std::string quoted(std::string_view name) { return "operand '" + std::string(name) + "'"; }

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
  check_row_rules(site);
  for (const Field& field : site.row.fields) {
    const FieldTraits& traits = traits_of(field.kind);
    if (const auto* tile = std::get_if<Member<Tile>>(&traits.slot))
      if (!field.optional || !(i.**tile == Tile{})) check_tile(site, field, i.**tile);
    if (const auto* scalar = std::get_if<Member<Scalar>>(&traits.slot)) check_column(site, field, i.**scalar);
    if (const auto* op = std::get_if<Member<AluOp>>(&traits.slot)) check_alu(site, field, i.**op);
    if (const auto* column = std::get_if<Member<Column>>(&traits.slot))
      check_column(site, field, i.**column);
    if (const auto* word = std::get_if<Member<DmaSide>>(&traits.slot)) check_word(site, field, i.**word);
    std::visit([&](auto slot) { check_choice(site, field, i.*slot); }, traits.slot);
  }
}

}  // namespace tahoma::isa
