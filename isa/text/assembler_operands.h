// SPDX-License-Identifier: Apache-2.0
// Values of assembler text that are more than a number: shapes, tiles, scalars, sides of transfers,
// waits and updates. Omitted strides are reported, not filled in, because they depend on operands that
// may still follow.
#pragma once

#include <span>
#include <string>

#include "isa/core/program.h"
#include "isa/table/table_names.h"
#include "isa/text/lexer.h"

namespace tahoma::isa {

struct ParsedTile {
  Tile tile;
  bool has_strides = false;
};
struct ParsedSide {
  DmaSide side;
  bool has_strides = false;
};

using ArgumentNames = std::span<const std::string>;

Shape parse_shape(Cursor& c);
std::array<std::uint32_t, kFreeDims> parse_counts(Cursor& c);  // of a descriptor, written like a shape
ParsedTile parse_tile(Cursor& c);
Column parse_column(Cursor& c);
std::array<std::uint8_t, kQuadrant> parse_mask(Cursor& c);
Scalar parse_scalar(Cursor& c);
ParsedSide parse_side(Cursor& c, ArgumentNames args);
Wait parse_wait(Cursor& c);
Update parse_change(Cursor& c);  // "s9+=1"
Update parse_update(Cursor& c);  // the same, or with @read
std::array<std::int16_t, kFreeDims> parse_pattern(Cursor& c);
std::uint8_t parse_argument(Cursor& c, ArgumentNames args);
std::uint8_t parse_register(Cursor& c);

// Throws E-ASM-006 with the nearest name.
template <class Enum>
Enum parse_enumerator(Cursor& c, std::string_view what) {
  const std::string_view name = c.name(what);
  const auto value = from_name<Enum>(name);
  if (!value) c.fail_unknown("E-ASM-006", what, name, names_of<Enum>());
  return *value;
}

}  // namespace tahoma::isa
