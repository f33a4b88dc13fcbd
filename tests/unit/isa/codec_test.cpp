// SPDX-License-Identifier: Apache-2.0
#include "isa/binary/codec.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <random>
#include <set>

#include "isa/core/program_error.h"
#include "isa/table/table_fields.h"
#include "tests/support/random/random_program.h"

using namespace tahoma::isa;
using tahoma::tests::ProgramGenerator;

namespace {

template <class Function>
std::string code_of(Function&& function) {
  try {
    function();
  } catch (const ProgramError& e) {
    return e.code;
  }
  return "no error";
}

// Random words, most of them with a legal opcode and sparse bits so that many decode.
Word random_word(std::mt19937_64& random) {
  Word word{};
  const unsigned style = random() % 8;
  for (std::size_t at = 0; at < word.size(); at += 8) {
    std::uint64_t piece = random();
    for (unsigned n = 0; n < style; ++n) piece &= random();
    std::memcpy(&word[at], &piece, 8);
  }
  if (random() % 16 != 0) word[0] = static_cast<std::byte>(random() % kOpcodeCount);
  if (random() % 8 != 0 && std::to_integer<unsigned>(word[0]) < kOpcodeCount) {
    // Clear the bits that the row does not use, so that the fields themselves are tested.
    word[1] &= std::byte{0x7f};
    const unsigned end = word_bits(row_of(static_cast<Opcode>(word[0])));
    word[end / 8] &= static_cast<std::byte>((1U << (end % 8)) - 1);
    for (unsigned at = end / 8 + 1; at < word.size(); ++at) word[at] = std::byte{};
  }
  return word;
}

struct Tally {
  std::uint64_t same = 0, refused = 0, broken = 0;
  std::set<std::string> codes;
  std::array<std::uint64_t, kOpcodeCount> of_row{};
};

// A word is either the encoding of what it decodes to, or is refused with its own error code.
template <class Decode>
void try_word(const Word& word, Decode decode_word, Tally& tally) {
  try {
    const Word again = encode(decode_word(word));
    ++(again == word ? tally.same : tally.broken);
  } catch (const ProgramError& e) {
    ++tally.refused;
    tally.codes.insert(e.code);
  }
}

// A million words in two cases of half a million, so that neither takes long.
void try_words(std::uint64_t seed) {
  constexpr std::uint64_t kWords = 500000;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  Tally instructions, descriptors;
  for (std::uint64_t n = 0; n < kWords; ++n) {
    const Word word = random_word(random);
    const std::uint64_t before = instructions.same;
    try_word(word, decode, instructions);
    if (instructions.same > before) ++instructions.of_row[std::to_integer<std::size_t>(word[0])];
    if (n % 16 == 0) try_word(word, decode_descriptor, descriptors);
  }
  CHECK(instructions.broken == 0);
  CHECK(descriptors.broken == 0);
  CHECK(instructions.same + instructions.refused == kWords);
  CHECK(instructions.codes == std::set<std::string>{"E-BIN-007", "E-BIN-008", "E-BIN-009"});
  CHECK(descriptors.codes == std::set<std::string>{"E-BIN-008", "E-BIN-009"});
  CHECK(instructions.same > kWords / 10);
  CHECK(descriptors.same > 0);
  for (const OpRow& row : all_rows()) {
    INFO(row.mnemonic);
    CHECK(instructions.of_row[static_cast<std::size_t>(row.op)] > 100);
  }
}

void set_bits(Word& w, unsigned first, unsigned count) {
  for (unsigned bit = first; bit < first + count; ++bit)
    w[bit / 8] |= static_cast<std::byte>(1U << (bit % 8));
}

// The first bit of a field of a row, as the sum of the widths before it.
unsigned bit_of(const OpRow& row, FieldKind kind) {
  unsigned at = 80;
  for (const Field& field : row.fields) {
    if (field.kind == kind) return at;
    at += traits_of(field.kind).bits;
  }
  FAIL("no such field");
  return 0;
}

}  // namespace

TEST_CASE("codec: every word of a random valid program decodes to its original", "[isa]") {
  constexpr std::uint64_t kSeed = 20250301;
  INFO("seed " << kSeed);
  ProgramGenerator generator(kSeed);
  std::array<unsigned, kOpcodeCount> tried{};
  for (unsigned n = 0; n < 400; ++n) {
    const Program p = generator.program(40);
    for (const auto& stream : p.streams)
      for (const Instruction& i : stream) {
        ++tried[static_cast<std::size_t>(i.op)];
        const Word word = encode(i);
        const Instruction again = decode(word);
        // A NaN equals nothing, so the words are compared; without NaNs, the instructions as well.
        if (encode(again) != word || (i == i && !(again == i))) FAIL(row_of(i.op).mnemonic << " changes");
      }
    for (const Descriptor& d : p.descriptors)
      if (!(decode_descriptor(encode(d)) == d)) FAIL("a descriptor changes when encoded and decoded");
  }
  for (const OpRow& row : all_rows()) {
    INFO(row.mnemonic);
    if (row.since < CoreVersion::kV4)
      CHECK(tried[static_cast<std::size_t>(row.op)] > 50);
    else
      CHECK(tried[static_cast<std::size_t>(row.op)] == 0);
  }
}

TEST_CASE("codec: every instruction can name all partitions and columns, and only then has other bits",
          "[isa]") {
  std::mt19937 random(11);
  const auto below = [&](unsigned end) { return static_cast<std::uint16_t>(random() % end); };
  ProgramGenerator generator(20250302);
  unsigned tried = 0;
  for (unsigned n = 0; n < 100; ++n) {
    const Program program = generator.program(40);
    for (const auto& stream : program.streams)
      for (const Instruction& original : stream) {
        const auto has = [&](FieldKind kind) { return find_field(row_of(original.op), kind) != nullptr; };
        Instruction i = original;
        ++tried;
        const auto move = [&](auto& operand, bool used) {
          if (used) operand.partition = below(kMostPartitions);
        };
        for (const Field& field : row_of(i.op).fields) {
          const Slot& slot = traits_of(field.kind).slot;
          if (const auto* tile = std::get_if<Member<Tile>>(&slot)) move(i.**tile, !(i.**tile == Tile{}));
          if (const auto* scalar = std::get_if<Member<Scalar>>(&slot)) move(i.**scalar, (i.**scalar).is_tile);
          if (const auto* column = std::get_if<Member<Column>>(&slot)) move(i.**column, (i.**column).present);
        }
        if (has(FieldKind::kShape))
          i.shape.partitions = static_cast<std::uint16_t>(1 + below(kMostPartitions));
        if (has(FieldKind::kColumns)) i.columns = static_cast<std::uint16_t>(1 + below(kMostPartitions));
        if (has(FieldKind::kColumn)) i.column = below(kMostPartitions);
        if (i == i && !(decode(encode(i)) == i)) FAIL(row_of(i.op).mnemonic << " changes");
        // A program for 128 partitions has none of the bits behind its fields.
        unsigned end = kHeaderBits;
        for (const Field& field : row_of(i.op).fields) end += traits_of(field.kind).bits;
        const Word word = encode(original);
        for (unsigned bit = end; bit < kWordBits; ++bit)
          if ((std::to_integer<unsigned>(word[bit / 8]) >> bit % 8 & 1) != 0)
            FAIL(row_of(i.op).mnemonic << " has bit " << bit);
      }
  }
  CHECK(tried > 5000);
}

TEST_CASE("codec: half a million random words are refused or equal the encoding of their meaning", "[isa]") {
  try_words(8);
}
TEST_CASE("codec: another half a million random words are refused or equal the encoding of their meaning",
          "[isa]") {
  try_words(9);
}

TEST_CASE("codec: the header is at its published bits", "[isa]") {
  Instruction i;
  i.op = Opcode::kSemWait;
  i.wait = {Wait::Kind::kEq, 0xAB, 0x01020304};
  i.update = {Update::Kind::kSet, 0xCD, 0x0506};
  const Word w = encode(i);
  const std::array<unsigned, 10> expected = {static_cast<unsigned>(Opcode::kSemWait),
                                             2U | (3U << 2),
                                             0xAB,
                                             0x04,
                                             0x03,
                                             0x02,
                                             0x01,
                                             0xCD,
                                             0x06,
                                             0x05};
  for (std::size_t n = 0; n < expected.size(); ++n) CHECK(std::to_integer<unsigned>(w[n]) == expected[n]);
}

TEST_CASE("codec: NaN bits survive", "[isa]") {
  Instruction i;
  i.op = Opcode::kMemset;
  i.value = std::bit_cast<float>(0xffc12345U);
  CHECK(std::bit_cast<std::uint32_t>(decode(encode(i)).value) == 0xffc12345U);
}

TEST_CASE("codec: words without a meaning are refused", "[isa]") {
  Word w{};
  w[0] = static_cast<std::byte>(kOpcodeCount);
  CHECK(code_of([&] { decode(w); }) == "E-BIN-007");

  w = encode(Instruction{});
  w[63] = std::byte{0x80};
  CHECK(code_of([&] { decode(w); }) == "E-BIN-009");

  const OpRow& reduce = row_of(Opcode::kTensorReduce);
  Instruction i;
  i.op = reduce.op;
  w = encode(i);
  set_bits(w, bit_of(reduce, FieldKind::kReduceOp), 5);
  CHECK(code_of([&] { decode(w); }) == "E-BIN-008");

  const OpRow& shuffle = row_of(Opcode::kStreamShuffle);
  i.op = shuffle.op;
  w = encode(i);
  set_bits(w, bit_of(shuffle, FieldKind::kMask), 41);  // eight digits of base 33 end at 33^8 - 1
  CHECK(code_of([&] { decode(w); }) == "E-BIN-008");

  Instruction unencodable;
  unencodable.op = Opcode::kCount;
  CHECK(code_of([&] { encode(unencodable); }) == "E-BIN-007");
}

TEST_CASE("codec: a shuffle's mask keeps each of its 33 values at each of its places", "[isa]") {
  Instruction i;
  i.op = Opcode::kStreamShuffle;
  for (std::size_t at = 0; at < kQuadrant; ++at)
    for (unsigned value = 0; value <= kQuadrant; ++value) {
      i.mask = kOwnPartition;
      i.mask[at] = value == kQuadrant ? kKeep : static_cast<std::uint8_t>(value);
      if (!(decode(encode(i)) == i)) FAIL("value " << value << " at " << at);
    }
  i.mask.fill(kKeep);
  CHECK(decode(encode(i)) == i);
  for (const unsigned value : {32U, 33U, 254U}) {
    i.mask[31] = static_cast<std::uint8_t>(value);
    CHECK(code_of([&] { encode(i); }) == "E-BIN-010");
  }
}

TEST_CASE("codec: a value that does not fit its bits is refused, never cut", "[isa]") {
  Instruction i;
  i.op = Opcode::kTensorCopy;
  i.dst.offset = 1U << 18;
  CHECK(code_of([&] { encode(i); }) == "E-BIN-010");
  i.dst.offset = (1U << 18) - 1;
  CHECK(decode(encode(i)) == i);
  i.dst.partition = kMostPartitions;
  CHECK(code_of([&] { encode(i); }) == "E-BIN-010");
  i.dst.partition = kMostPartitions - 1;
  i.dst.space = Space::kHbm;
  CHECK(code_of([&] { encode(i); }) == "E-BIN-010");
  i = Instruction{};
  i.op = Opcode::kDmaCompute;
  i.sources = 31;
  CHECK(decode(encode(i)) == i);
  i.sources = 32;
  CHECK(code_of([&] { encode(i); }) == "E-BIN-010");
  i = Instruction{};
  i.op = Opcode::kDmaCopy;
  i.read_update = {Update::Kind::kAdd, 1, 1, true};  // on read, whatever the field says
  CHECK(code_of([&] { encode(i); }) == "E-BIN-010");
  Descriptor d;
  d.dst.space = Space::kSbuf;
  d.dst.offset = std::uint64_t{1} << 40;
  CHECK(code_of([&] { encode(d); }) == "E-BIN-010");
}

TEST_CASE("codec: an offset in HBM leads 2^48 bytes either way and has no partition", "[isa]") {
  Descriptor d;
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{1} << 40, kReach - 1, 0 - kReach,
                                     0 - std::uint64_t{1}, 0 - (std::uint64_t{63} << 40)}) {
    d.src.offset = offset;
    d.dst.offset = 0 - offset;
    if (!reaches(d.dst.offset)) d.dst.offset = 0;
    CHECK(decode_descriptor(encode(d)) == d);
  }
  d = {};
  d.dst.offset = kReach;
  CHECK(code_of([&] { encode(d); }) == "E-BIN-010");
  d.dst.offset = 0 - kReach - 1;
  CHECK(code_of([&] { encode(d); }) == "E-BIN-010");
  d = {};
  d.src.partition = 1;
  CHECK(code_of([&] { encode(d); }) == "E-BIN-010");
  d = {};
  d.src.across = 1;
  CHECK(code_of([&] { encode(d); }) == "E-BIN-010");
}

TEST_CASE("codec: distances to peers and the update on read keep their sign and their bits", "[isa]") {
  Instruction i;
  for (const Opcode op : {Opcode::kDmaCopy, Opcode::kDmaCompute}) {
    i.op = op;
    for (const int distance : {-32768, -1, 0, 1, 32767}) {
      i.peer = static_cast<std::int16_t>(distance);
      i.read_peer = static_cast<std::int16_t>(-1 - distance);
      i.read_update = {Update::Kind::kSubtract, 255, 65535};
      CHECK(decode(encode(i)) == i);
    }
  }
}
