// SPDX-License-Identifier: Apache-2.0
#include "isa/text/assembler_operands.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace tahoma::isa {
namespace {

constexpr std::string_view kOnChipNames[] = {"sbuf", "psum"};
constexpr auto kMostOffset = static_cast<std::int64_t>(kReach);

// "128x4x512": the first number is the partitions, the others are the innermost free counts; omitted ones are
// 1.
template <class First, class Count>
void parse_dimensions(Cursor& c, First& first, std::span<Count> free,
                      std::uint64_t most_first = std::numeric_limits<First>::max()) {
  const std::string_view text = c.name("a shape such as 128x512");
  std::vector<std::uint64_t> numbers;
  for (const char* at = text.begin();;) {
    std::uint64_t number = 0;
    const auto [end, status] = std::from_chars(at, text.end(), number);
    const std::uint64_t most = numbers.empty() ? most_first : std::numeric_limits<Count>::max();
    if (end == at || (end != text.end() && *end != 'x'))
      c.fail("E-ASM-004", "expected a shape such as 128x512, got '" + std::string(text) + "'");
    if (status != std::errc() || number == 0 || number > most)
      c.fail("E-ASM-005", "count " + std::string(at, end) + " of a shape is out of range; expected 1.." +
                              std::to_string(most));
    numbers.push_back(number);
    if (end == text.end()) break;
    at = end + 1;
  }
  if (numbers.size() < 2 || numbers.size() > free.size() + 1)
    c.fail("E-ASM-004", "expected a shape of 2.." + std::to_string(free.size() + 1) + " numbers, got '" +
                            std::string(text) + "'");
  first = static_cast<First>(numbers.front());
  std::fill(free.begin(), free.end(), Count{1});
  std::transform(numbers.begin() + 1, numbers.end(), free.end() - (numbers.size() - 1),
                 [](std::uint64_t n) { return static_cast<Count>(n); });
}

template <class Integer>
std::array<Integer, kFreeDims> parse_list(Cursor& c, std::string_view what) {
  std::array<Integer, kFreeDims> list{};
  c.expect("(", std::string("'(' and ") + std::string(what));
  for (std::size_t d = 0; d < kFreeDims; ++d) {
    if (d > 0) c.expect(",", "','");
    list[d] = c.integer<Integer>(what);
  }
  c.expect(")", "')'");
  return list;
}

Space parse_on_chip_space(Cursor& c) {
  const std::string_view name = c.name("a tile such as sbuf[0, 0x400]:bf16");
  const auto* space = std::find(std::begin(kOnChipNames), std::end(kOnChipNames), name);
  if (space == std::end(kOnChipNames)) c.fail_unknown("E-ASM-006", "memory", name, kOnChipNames);
  return space == std::begin(kOnChipNames) ? Space::kSbuf : Space::kPsum;
}

// Parses "0, 0x400]" after the opening bracket.
template <class Operand>
void parse_place(Cursor& c, Operand& place) {
  place.partition = c.integer<std::uint16_t>("partition", 0, kMostPartitions - 1);
  c.expect(",", "',' and a byte offset");
  place.offset = c.integer<std::uint32_t>("byte offset", 0, (1U << 18) - 1);
  c.expect("]", "']'");
}

template <class Operand>
bool parse_type(Cursor& c, Operand& operand) {
  c.expect(":", "':' and a dtype");
  operand.dtype = parse_enumerator<DType>(c, "dtype");
  if (!c.accept(":")) return false;
  operand.stride = parse_list<typename decltype(operand.stride)::value_type>(c, "stride");
  return true;
}

}  // namespace

Shape parse_shape(Cursor& c) {
  Shape shape;
  parse_dimensions(c, shape.partitions, std::span<std::uint16_t>(shape.count), kMostPartitions);
  return shape;
}

std::array<std::uint32_t, kFreeDims> parse_counts(Cursor& c) {
  std::array<std::uint32_t, kFreeDims> count{};
  parse_dimensions(c, count[0], std::span<std::uint32_t>(count).subspan(1));
  return count;
}

ParsedTile parse_tile(Cursor& c) {
  ParsedTile result;
  result.tile.space = parse_on_chip_space(c);
  c.expect("[", "'['");
  parse_place(c, result.tile);
  result.has_strides = parse_type(c, result.tile);
  return result;
}

Column parse_column(Cursor& c) {
  Column column;
  column.present = true;
  column.space = parse_on_chip_space(c);
  c.expect("[", "'['");
  parse_place(c, column);
  c.expect(":", "':' and a dtype");
  column.dtype = parse_enumerator<DType>(c, "dtype");
  return column;
}

std::array<std::uint8_t, kQuadrant> parse_mask(Cursor& c) {
  std::array<std::uint8_t, kQuadrant> mask{};
  c.expect("(", "'(' and 32 partitions");
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if (i > 0) c.expect(",", "','");
    mask[i] = c.accept("*")
                  ? kKeep
                  : c.integer<std::uint8_t>("partition", 0, static_cast<std::uint8_t>(kQuadrant - 1));
  }
  c.expect(")", "')'");
  return mask;
}

Scalar parse_scalar(Cursor& c) {
  Scalar scalar;
  for (const Space space : {Space::kSbuf, Space::kPsum}) {
    if (!c.accept(name_of(space))) continue;
    c.expect("[", "'['");
    scalar.is_tile = true;
    scalar.space = space;
    parse_place(c, scalar);
    return scalar;
  }
  scalar.imm = c.floating("a constant or a column such as sbuf[0, 0x400]");
  return scalar;
}

ParsedSide parse_side(Cursor& c, ArgumentNames args) {
  ParsedSide result;
  Cursor ahead = c;
  ahead.word();
  if (ahead.accept("[")) {
    result.side.space = parse_on_chip_space(c);
    c.expect("[", "'['");
    parse_place(c, result.side);
    if (c.accept("/")) result.side.across = c.integer<std::uint8_t>("dimension", 0, kFreeDims - 1);
  } else {
    result.side.arg = parse_argument(c, args);
    if (c.accept("+"))
      result.side.offset =
          static_cast<std::uint64_t>(c.integer<std::int64_t>("byte offset", -kMostOffset, kMostOffset - 1));
  }
  result.has_strides = parse_type(c, result.side);
  return result;
}

Wait parse_wait(Cursor& c) {
  Wait wait;
  wait.semaphore = c.numbered('s', kSemaphores, "semaphore");
  wait.kind = Wait::Kind::kGe;
  if (c.accept("==")) {
    wait.kind = Wait::Kind::kEq;
  } else {
    c.expect(">=", "'>=' or '=='");
    Cursor ahead = c;
    if (ahead.accept("r")) {
      wait.kind = Wait::Kind::kGeReg;
      wait.value = parse_register(c);
      return wait;
    }
  }
  wait.value = c.integer<std::uint32_t>("semaphore value");
  return wait;
}

Update parse_change(Cursor& c) {
  Update update;
  update.semaphore = c.numbered('s', kSemaphores, "semaphore");
  if (c.accept("+=")) {
    update.kind = Update::Kind::kAdd;
  } else if (c.accept("-=")) {
    update.kind = Update::Kind::kSubtract;
  } else {
    c.expect("=", "'+=', '-=' or '='");
    update.kind = Update::Kind::kSet;
  }
  update.value = c.integer<std::uint16_t>("semaphore change");
  return update;
}

Update parse_update(Cursor& c) {
  Update update = parse_change(c);
  update.on_read = c.accept("@");
  if (update.on_read) c.expect("read", "'read'");
  return update;
}

std::array<std::int16_t, kFreeDims> parse_pattern(Cursor& c) {
  return parse_list<std::int16_t>(c, "coefficient");
}

std::uint8_t parse_argument(Cursor& c, ArgumentNames args) {
  const std::string_view name = c.name("an argument");
  const auto arg = std::find(args.begin(), args.end(), name);
  if (arg != args.end()) return static_cast<std::uint8_t>(arg - args.begin());
  const std::vector<std::string_view> legal(args.begin(), args.end());
  c.fail_unknown("E-ASM-009", "argument", name, legal);
}

std::uint8_t parse_register(Cursor& c) { return c.numbered('r', kRegisters, "register"); }

}  // namespace tahoma::isa
