// SPDX-License-Identifier: Apache-2.0
// Checks the shape of one instruction and the positions of its operands.
#include <algorithm>

#include "isa/validate/validate_rules.h"

namespace tahoma::isa {
namespace {

void check_shape(const Site& site) {
  const Shape& shape = site.instruction.shape;
  if (shape.partitions == 0 || shape.partitions > site.limits.partitions)
    site.fail("E-ISA-007", "shape has " + std::to_string(shape.partitions) + " partitions; expected 1.." +
                               std::to_string(site.limits.partitions));
  if (std::any_of(shape.count.begin(), shape.count.end(), [](std::uint16_t c) { return c == 0; }))
    site.fail("E-ISA-007", "shape has a free count of 0; expected at least 1");
  if (free_elements(shape) > kMostFreeElements)
    site.fail("E-ISA-007", "shape has " + std::to_string(free_elements(shape)) +
                               " free elements; expected at most " + std::to_string(kMostFreeElements));
}

void check_aligned(const Site& site, const Field& field, std::uint64_t offset, DType dtype) {
  if (offset % size_of(dtype) != 0)
    site.fail("E-ISA-011", quoted(field.name) + " starts at byte " + std::to_string(offset) +
                               "; expected a multiple of " + std::to_string(size_of(dtype)) + " for " +
                               std::string(name_of(dtype)));
}

void check_bank(const Site& site, const Field& field, const Area& area) {
  const bool in_one_bank = field.kind == FieldKind::kMatrixDst || field.kind == FieldKind::kTransposeDst;
  const std::int64_t bank = site.limits.psum_bank_bytes;
  if (in_one_bank && site.limits.core < CoreVersion::kV4 && area.first / bank != area.last / bank)
    site.fail("E-ISA-015", quoted(field.name) + " covers bytes " + std::to_string(area.first) + ".." +
                               std::to_string(area.last) + "; expected them inside one PSUM bank of " +
                               std::to_string(bank) + " bytes");
}

void check_place(const Site& site, const Field& field, const Tile& tile) {
  if (field.optional && tile == Tile{}) return;
  const Shape shape = operand_shape(field, site.instruction);
  const bool sums_in_bf16 = field.kind == FieldKind::kMatrixDst && tile.dtype == DType::kBf16;
  const std::uint64_t most = site.limits.psum_bytes / (sums_in_bf16 ? size_of(tile.dtype) : sizeof(float));
  if (tile.space == Space::kPsum && free_elements(shape) > most)
    site.fail("E-ISA-007", quoted(field.name) + " has " + std::to_string(free_elements(shape)) +
                               " free elements; expected at most " + std::to_string(most) + " in psum");
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
  const bool scales = field.kind == FieldKind::kScales || field.kind == FieldKind::kScalesDst;
  scales ? check_bytes(site, area) : check_area(site, area);  // check_quads() has the rule of scales
  check_aligned(site, field, tile.offset, tile.dtype);
  check_bank(site, field, area);
}

void check_place(const Site& site, const Field& field, const Scalar& scalar) {
  if (!scalar.is_tile) return;
  constexpr std::int64_t kSize = sizeof(float);
  check_aligned(site, field, scalar.offset, DType::kFp32);
  check_area(site, {field.name, scalar.space, scalar.partition, site.instruction.shape.partitions,
                    scalar.offset, scalar.offset + kSize - 1});
}

// Row numbers of a transfer cover one partition per row: see check_indirect().
void check_place(const Site& site, const Field& field, const Column& column) {
  if (!column.present) {
    if (!field.optional) site.fail("E-ISA-035", quoted(field.name) + " is missing");
    return;
  }
  check_aligned(site, field, column.offset, column.dtype);
  if (field.kind == FieldKind::kRowNumbers) return;
  const Shape shape = operand_shape(field, site.instruction);
  const auto bytes = static_cast<std::int64_t>(free_elements(shape) * size_of(column.dtype));
  check_area(site, {field.name, column.space, column.partition, shape.partitions, column.offset,
                    column.offset + bytes - 1});
}

void check_hbm_word(const Site& site, const Field& field, const DmaSide& word) {
  if (word.arg >= site.program.args.size())
    site.fail("E-ISA-024", quoted(field.name) + " is argument " + std::to_string(word.arg) +
                               "; the program has " + std::to_string(site.program.args.size()));
  if (word.partition != 0 || !reaches(word.offset))
    site.fail("E-ISA-031", quoted(field.name) + " in HBM has a partition or an offset beyond 2^48");
}

void check_place(const Site& site, const Field& field, const DmaSide& word) {
  if (word.stride != decltype(word.stride){} || word.across != 0)
    site.fail("E-ISA-031", quoted(field.name) + " is one element; expected no strides");
  check_aligned(site, field, word.offset, word.dtype);
  if (word.space == Space::kHbm) return check_hbm_word(site, field, word);
  if (word.arg != kNone)
    site.fail("E-ISA-031", quoted(field.name) + " on chip names an argument; expected none");
  const auto first = static_cast<std::int64_t>(word.offset);
  check_bytes(site, {field.name, word.space, word.partition, 1, first,
                     first + static_cast<std::int64_t>(size_of(word.dtype)) - 1});
}

template <class Value>
void check_place(const Site&, const Field&, const Value&) {}

}  // namespace

std::string quoted(std::string_view name) { return "operand '" + std::string(name) + "'"; }

Extent extent_of(const AccessPattern& pattern) {
  Extent extent;
  for (std::size_t d = 0; d < pattern.count.size(); ++d) {
    const std::int64_t reach = static_cast<std::int64_t>(pattern.count[d] - 1) * pattern.stride[d];
    (reach < 0 ? extent.first : extent.last) += reach;
  }
  return extent;
}

std::string partition_start_rule(unsigned first, unsigned count, unsigned partitions) {
  unsigned n = 0;
  while (tile_size(n, partitions) < count && tile_size(n, partitions) < partitions) ++n;
  const unsigned step = tile_size(n, partitions);
  if (first % step == 0) return "";
  return std::to_string(count) + " partitions start at " + std::to_string(first) + "; expected " +
         (step == partitions ? "0" : "a multiple of " + std::to_string(step));
}

void check_bytes(const Site& site, const Area& area) {
  const Limits& limits = site.limits;
  if (area.partition + area.partitions > limits.partitions)
    site.fail("E-ISA-009", quoted(area.name) + " reaches partition " +
                               std::to_string(area.partition + area.partitions - 1) + "; expected below " +
                               std::to_string(limits.partitions));
  const std::int64_t size = area.space == Space::kPsum ? limits.psum_bytes : limits.sbuf_bytes;
  const auto covers = [&] {
    return quoted(area.name) + " covers bytes " + std::to_string(area.first) + ".." +
           std::to_string(area.last);
  };
  if (area.first < 0 || area.last >= size)
    site.fail("E-ISA-010", covers() + " of a partition; " + std::string(name_of(area.space)) + " has 0.." +
                               std::to_string(size - 1));
  const std::int64_t usable = size - (area.space == Space::kSbuf ? limits.sbuf_reserved : 0);
  if (area.last >= usable)
    site.fail("E-ISA-036", covers() + " of a partition; the runtime keeps " + std::to_string(usable) + ".." +
                               std::to_string(size - 1) + " of sbuf for itself");
}

void check_area(const Site& site, const Area& area) {
  Area whole = area;
  if (has_rule(site.row, Rule::kWholeQuadrants))
    whole.partitions = (area.partitions + kQuadrant - 1) / kQuadrant * kQuadrant;
  check_bytes(site, whole);
  const std::string rule = partition_start_rule(whole.partition, whole.partitions, site.limits.partitions);
  if (!rule.empty()) site.fail("E-ISA-008", quoted(area.name) + ": " + rule);
}

void check_operands(const Site& site) {
  if (find_field(site.row, FieldKind::kShape) != nullptr) check_shape(site);
  check_array(site);
  check_quads(site);
  check_row_rules(site);
  for (const Field& field : site.row.fields)
    std::visit([&](auto slot) { check_place(site, field, site.instruction.*slot); },
               traits_of(field.kind).slot);
}

}  // namespace tahoma::isa
