// SPDX-License-Identifier: Apache-2.0
#include "isa/codec.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <random>

#include "isa/error.h"
#include "isa/table_fields.h"
#include "tests/support/random_program.h"

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
  const unsigned style = random() % 4;
  for (std::size_t at = 0; at < word.size(); at += 8) {
    std::uint64_t piece = random();
    for (unsigned n = 0; n < style; ++n) piece &= random();
    std::memcpy(&word[at], &piece, 8);
  }
  if (random() % 8 != 0) word[0] = static_cast<std::byte>(random() % kOpcodeCount);
  if (random() % 2 != 0 && std::to_integer<unsigned>(word[0]) < kOpcodeCount) {
    // Clear what the row does not own, so that the fields themselves are tried.
    word[1] &= std::byte{0x0f};
    const unsigned end = word_bits(row_of(static_cast<Opcode>(word[0])));
    for (unsigned bit = end; bit < 512; ++bit) word[bit / 8] &= static_cast<std::byte>(~(1U << (bit % 8)));
  }
  return word;
}

void try_random_words(std::uint64_t count, std::uint64_t seed) {
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  std::uint64_t decoded = 0, descriptors = 0;
  for (std::uint64_t n = 0; n < count; ++n) {
    const Word word = random_word(random);
    try {
      const Word again = encode(decode(word));
      ++decoded;
      if (again != word) FAIL("word " << n << " changes when decoded and encoded");
    } catch (const ProgramError& e) {
      if (e.code != "E-BIN-007" && e.code != "E-BIN-008" && e.code != "E-BIN-009") FAIL(e.what());
    }
    try {
      const Word again = encode(decode_descriptor(word));
      ++descriptors;
      if (again != word) FAIL("descriptor " << n << " changes when decoded and encoded");
    } catch (const ProgramError&) {
    }
  }
  CHECK(decoded > count / 20);
  CHECK(descriptors > 0);
}

}  // namespace

TEST_CASE("codec: decoding undoes encoding for every valid instruction", "[isa]") {
  constexpr std::uint64_t kSeed = 20250301;
  INFO("seed " << kSeed);
  ProgramGenerator generator(kSeed);
  std::array<unsigned, kOpcodeCount> tried{};
  for (unsigned n = 0; n < 200; ++n) {
    const Program p = generator.program(40);
    for (const auto& stream : p.streams)
      for (const Instruction& i : stream) {
        ++tried[static_cast<std::size_t>(i.op)];
        if (!(decode(encode(i)) == i)) FAIL(row_of(i.op).mnemonic << " changes when encoded and decoded");
      }
    for (const Descriptor& d : p.descriptors)
      if (!(decode_descriptor(encode(d)) == d)) FAIL("a descriptor changes when encoded and decoded");
  }
  for (const OpRow& row : all_rows()) {
    INFO(row.mnemonic);
    CHECK(tried[static_cast<std::size_t>(row.op)] > 50);
  }
}

TEST_CASE("codec: a word that decodes is the encoding of what it means", "[isa]") {
  try_random_words(100000, 7);
}

TEST_CASE("codec: a million random words", "[isa][slow]") { try_random_words(1000000, 8); }

TEST_CASE("codec: the header stands at its published bits", "[isa]") {
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

TEST_CASE("codec: what no instruction means is refused", "[isa]") {
  Word w{};
  w[0] = static_cast<std::byte>(kOpcodeCount);
  CHECK(code_of([&] { decode(w); }) == "E-BIN-007");

  w = encode(Instruction{});
  w[63] = std::byte{0x80};
  CHECK(code_of([&] { decode(w); }) == "E-BIN-009");

  Instruction reduce;
  reduce.op = Opcode::kTensorReduce;
  w = encode(reduce);
  // The operation follows header, shape and two tiles.
  const unsigned at = 80 + 72 + 2 * 94;
  w[at / 8] |= static_cast<std::byte>(0xfU << (at % 8));
  CHECK(code_of([&] { decode(w); }) == "E-BIN-008");

  Instruction unencodable;
  unencodable.op = Opcode::kCount;
  CHECK(code_of([&] { encode(unencodable); }) == "E-BIN-007");
}

TEST_CASE("codec: a value that does not fit its bits is refused, never cut", "[isa]") {
  Instruction i;
  i.op = Opcode::kTensorCopy;
  i.dst.offset = 1U << 18;
  CHECK(code_of([&] { encode(i); }) == "E-BIN-010");
  i.dst.offset = (1U << 18) - 1;
  CHECK(decode(encode(i)) == i);
  i.dst.partition = 128;
  CHECK(code_of([&] { encode(i); }) == "E-BIN-010");
  i.dst.partition = 127;
  i.dst.space = Space::kHbm;
  CHECK(code_of([&] { encode(i); }) == "E-BIN-010");
  Descriptor d;
  d.dst.offset = std::uint64_t{1} << 40;
  CHECK(code_of([&] { encode(d); }) == "E-BIN-010");
}
