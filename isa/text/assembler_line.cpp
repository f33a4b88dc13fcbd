// SPDX-License-Identifier: Apache-2.0
#include "isa/text/assembler_line.h"

#include <algorithm>

#include "isa/table/table_fields.h"

namespace tahoma::isa {
namespace {

// The parts of a transfer that a dma_copy or a .descriptor line may name.
constexpr std::string_view kParts[] = {"shape", "dst", "src", "accumulate"};

bool is_part(std::string_view name) {
  return std::find(std::begin(kParts), std::end(kParts), name) != std::end(kParts);
}

void once(Line& line, std::string_view name) {
  if (!line.seen.emplace(name).second)
    line.c.fail("E-ASM-007", "operand '" + std::string(name) + "' of " + line.mnemonic + " is given twice");
}

void equals(Line& line, std::string_view name) { line.c.expect("=", "'=' after " + std::string(name)); }

[[noreturn]] void unknown_operand(Line& line, const OpRow& row, std::string_view name) {
  std::vector<std::string_view> legal;
  for (const Field& field : row.fields) legal.push_back(field.name);
  if (find_field(row, FieldKind::kDescriptor) != nullptr)
    legal.insert(legal.end(), std::begin(kParts), std::end(kParts));
  legal.push_back("wait");
  legal.push_back("update");
  line.c.fail_unknown("E-ASM-003", "operand of " + line.mnemonic, name, legal);
}

// There is one reader per C++ type of a slot; the value type distinguishes fields that share a C++ type.
void value(Line& line, ValueType, std::string_view, Shape& shape) { shape = parse_shape(line.c); }
void value(Line& line, ValueType, std::string_view name, Tile& tile) {
  const ParsedTile parsed = parse_tile(line.c);
  tile = parsed.tile;
  if (parsed.has_strides) line.strided.emplace(name);
}
void value(Line& line, ValueType, std::string_view, Scalar& scalar) { scalar = parse_scalar(line.c); }
void value(Line& line, ValueType, std::string_view, Column& column) { column = parse_column(line.c); }
void value(Line& line, ValueType, std::string_view, DmaSide& word) {
  word = parse_side(line.c, line.args).side;
}
void value(Line& line, ValueType, std::string_view, std::array<std::uint8_t, kQuadrant>& mask) {
  mask = parse_mask(line.c);
}
void value(Line&, ValueType, std::string_view, bool& flag) { flag = true; }
void value(Line& line, ValueType, std::string_view name, float& number) { number = line.c.floating(name); }
void value(Line& line, ValueType, std::string_view, std::array<std::int16_t, kFreeDims>& pattern) {
  pattern = parse_pattern(line.c);
}
void value(Line& line, ValueType, std::string_view name, std::int32_t& number) {
  number = line.c.integer<std::int32_t>(name);
}
void value(Line& line, ValueType, std::string_view name, std::int16_t& number) {
  number = line.c.integer<std::int16_t>(name);
}
void value(Line& line, ValueType, std::string_view name, std::uint16_t& number) {
  number = line.c.integer<std::uint16_t>(name);
}
void value(Line& line, ValueType, std::string_view, Update& update) { update = parse_change(line.c); }
void value(Line& line, ValueType type, std::string_view name, std::uint8_t& number) {
  if (type == ValueType::kRegister)
    number = parse_register(line.c);
  else if (type == ValueType::kArgument)
    number = parse_argument(line.c, line.args);
  else
    number = line.c.integer<std::uint8_t>(name);
}
void value(Line& line, ValueType type, std::string_view name, std::uint32_t& number) {
  if (type == ValueType::kTarget) {
    line.label = line.c.name("a label");
    line.label_place = line.c.place();
  } else {
    number = line.c.integer<std::uint32_t>(name);
  }
}
template <class Enum>
requires std::is_enum_v<Enum>
void value(Line& line, ValueType, std::string_view name, Enum& chosen) {
  chosen = parse_enumerator<Enum>(line.c, name);
}

void part(Line& line, std::string_view name) {
  if (!is_part(name)) line.c.fail_unknown("E-ASM-003", "operand of " + line.mnemonic, name, kParts);
  once(line, name);
  Descriptor& d = line.descriptor;
  if (name == "accumulate") {
    d.accumulate = true;
    return;
  }
  equals(line, name);
  if (name == "shape") {
    d.count = parse_counts(line.c);
    return;
  }
  const ParsedSide parsed = parse_side(line.c, line.args);
  (name == "dst" ? d.dst : d.src) = parsed.side;
  if (parsed.has_strides) line.strided.emplace(name);
}

void need(const Line& line, std::string_view name) {
  if (!line.seen.contains(name))
    throw ProgramError("E-ASM-008", line.place,
                       line.mnemonic + " lacks its operand '" + std::string(name) + "'");
}

template <class Defaults, class Operand>
void fill_strides(const Line& line, std::string_view name, const Defaults& defaults, Operand& operand) {
  if (line.strided.contains(name)) return;
  if (!defaults.fits)
    throw ProgramError("E-ASM-014", line.place,
                       "the contiguous strides of '" + std::string(name) +
                           "' do not fit; expected them after its dtype: (s0,s1,s2,s3)");
  operand.stride = defaults.stride;
}

void operand(Line& line, const OpRow& row, std::string_view name) {
  const auto field =
      std::find_if(row.fields.begin(), row.fields.end(), [&](const Field& f) { return f.name == name; });
  if (field == row.fields.end() && find_field(row, FieldKind::kDescriptor) != nullptr && is_part(name))
    return part(line, name);
  if (field == row.fields.end() && name != "wait" && name != "update") unknown_operand(line, row, name);
  once(line, name);
  if (field == row.fields.end()) {
    equals(line, name);
    if (name == "wait")
      line.instruction.wait = parse_wait(line.c);
    else
      line.instruction.update = parse_update(line.c);
    return;
  }
  const FieldTraits& traits = traits_of(field->kind);
  if (traits.type != ValueType::kFlag) equals(line, name);
  std::visit([&](auto slot) { value(line, traits.type, name, line.instruction.*slot); }, traits.slot);
}

// Completes the transfer's parts, unless the line refers to a descriptor by number.
void complete_transfer(Line& line) {
  for (const std::string_view name : {"shape", "dst", "src"}) need(line, name);
  Descriptor& d = line.descriptor;
  fill_strides(line, "dst", default_strides(d.dst, d), d.dst);
  fill_strides(line, "src", default_strides(d.src, d), d.src);
}

void complete_descriptor(Line& line) {
  const auto* given = std::find_if(std::begin(kParts), std::end(kParts),
                                   [&](std::string_view name) { return line.seen.contains(name); });
  line.in_place = !line.seen.contains("descriptor");
  if (line.in_place) return complete_transfer(line);
  if (given != std::end(kParts))
    throw ProgramError("E-ASM-007", line.place,
                       "the transfer is given twice: by its number and by '" + std::string(*given) + "'");
}

void complete_field(Line& line, const OpRow& row, const Field& field) {
  const FieldTraits& traits = traits_of(field.kind);
  if (field.kind == FieldKind::kDescriptor) return complete_descriptor(line);
  if (!field.optional || presence_of(row, field, line.instruction) == Presence::kNeeded)
    need(line, field.name);
  if (traits.type != ValueType::kTile || !line.seen.contains(field.name)) return;
  fill_strides(line, field.name, default_strides(field, line.instruction),
               line.instruction.*std::get<Member<Tile>>(traits.slot));
}

}  // namespace

void read_instruction(Line& line, const OpRow& row) {
  line.instruction.op = row.op;
  while (!line.c.at_end()) operand(line, row, line.c.name("an operand"));
  for (const Field& field : row.fields) complete_field(line, row, field);
}

void read_descriptor(Line& line) {
  while (!line.c.at_end()) part(line, line.c.name("an operand"));
  complete_transfer(line);
}

}  // namespace tahoma::isa
