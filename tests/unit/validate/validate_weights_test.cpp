// SPDX-License-Identifier: Apache-2.0
// The validator's knowledge of the array: where operands are, what replaces them, and which combinations are
// legal.
#include <catch2/catch.hpp>

#include "isa/validate/validate.h"
#include "tests/support/bench/tile_memory.h"
#include "tests/support/program/tensor_programs.h"

namespace {

using namespace tahoma;
using isa::DType, isa::Instruction, isa::MatmulMode, isa::Opcode, isa::Space, isa::Tile;

struct Block {
  unsigned row, rows, column, columns;
};

Instruction load(const Block& b, DType dtype = DType::kBf16) {
  const Tile src{Space::kSbuf, dtype, static_cast<std::uint16_t>(b.row), 0, {0, 0, 0, 1}};
  return test::load_weights(src, test::row_shape(b.rows, b.columns), b.column);
}
Instruction use(const Block& b, DType dtype = DType::kBf16) {
  const Tile src{Space::kSbuf, dtype, static_cast<std::uint16_t>(b.row), 0, {0, 0, 0, 1}};
  const Tile dst{Space::kPsum, DType::kFp32, static_cast<std::uint16_t>(b.column), 0, {0, 0, 0, 1}};
  return test::matmul(dst, src, test::row_shape(b.rows, 8), b.columns, false);
}
Instruction turn(const Block& b, DType moving, DType dst) {
  Instruction i = use(b, moving);
  i.op = Opcode::kTranspose;
  i.dst.dtype = dst;
  return i;
}

// "" or the code and place of the first error.
std::string outcome(const std::vector<Instruction>& tensor, const isa::Limits& limits = {}) {
  isa::Program program;
  program.name = "p";
  program.stream(isa::Queue::kTensor) = tensor;
  try {
    isa::validate(program, limits);
  } catch (const isa::ProgramError& e) {
    return e.code + (std::string(e.what()).find("expected") == std::string::npos ? " expects nothing" : "");
  }
  return "";
}

constexpr Block kWhole{0, 128, 0, 128}, kCorner{0, 32, 0, 32}, kBelow{32, 32, 0, 32}, kBeside{0, 32, 32, 32},
    kLower{64, 64, 0, 32};

}  // namespace

TEST_CASE("validator: operands are loaded side by side in tiles of the array", "[isa]") {
  CHECK(outcome({load(kCorner), load(kBelow), load(kBeside), load(kLower), use(kCorner), use(kLower),
                 use(kBeside), use(kBelow)})
            .empty());
  CHECK(outcome({load(kWhole), use(kWhole), use(kWhole)}).empty());
}

TEST_CASE("validator: a matmul uses exactly the loaded weights", "[isa]") {
  CHECK(outcome({load(kWhole), use(kCorner)}).substr(0, 9) == "E-ISA-019");
  CHECK(outcome({load(kCorner), use(kWhole)}).substr(0, 9) == "E-ISA-019");
  CHECK(outcome({load(kCorner), use({0, 31, 0, 32})}).substr(0, 9) == "E-ISA-019");
  CHECK(outcome({load(kCorner), use({0, 32, 0, 31})}).substr(0, 9) == "E-ISA-019");
  CHECK(outcome({load(kCorner), use(kBelow)}) == "E-ISA-019");  // nothing is loaded there
  CHECK(outcome({load(kCorner), use(kBeside)}) == "E-ISA-019");
  CHECK(outcome({use(kCorner)}) == "E-ISA-019");
}

TEST_CASE("validator: a load replaces operands that overlap its tile", "[isa]") {
  CHECK(outcome({load(kCorner), load(kBelow), load(kWhole), use(kWhole)}).empty());
  CHECK(outcome({load(kCorner), load(kBelow), load(kWhole), use(kCorner)}).substr(0, 9) == "E-ISA-019");
  CHECK(outcome({load(kCorner), load({0, 5, 0, 5}), use(kCorner)}).substr(0, 9) == "E-ISA-019");
  // 65 rows take a whole column tile, and so do 96.
  CHECK(outcome({load(kLower), load({0, 65, 0, 32}), use(kLower)}).substr(0, 9) == "E-ISA-019");
  CHECK(outcome({load(kLower), load({0, 65, 32, 32}), use(kLower)}).empty());
}

TEST_CASE("validator: after a jump target only weights that are loaded there are known", "[isa]") {
  Instruction jump;
  jump.op = Opcode::kJump;
  jump.target = 1;
  CHECK(outcome({jump, use(kCorner)}).empty());
  CHECK(outcome({jump, load(kCorner), use(kBelow)}).empty());
  CHECK(outcome({jump, load(kCorner), use(kCorner)}).empty());
  CHECK(outcome({jump, load(kCorner), use(kWhole)}).substr(0, 9) == "E-ISA-019");
}

TEST_CASE("validator: operands are inside the array, in columns where tiles begin", "[isa]") {
  CHECK(outcome({load({0, 32, 96, 32})}).empty());
  CHECK(outcome({load({0, 32, 96, 33})}) == "E-ISA-016");
  CHECK(outcome({load({0, 32, 16, 16})}) == "E-ISA-016");
  CHECK(outcome({load({0, 32, 32, 33})}) == "E-ISA-016");
  CHECK(outcome({load({0, 32, 64, 64})}).empty());
  const isa::Limits small{.array_rows = 96, .array_columns = 96};
  CHECK(outcome({load({64, 32, 0, 32})}, small).empty());
  CHECK(outcome({load({64, 33, 0, 32})}, small) == "E-ISA-017");
  CHECK(outcome({load(kCorner), use({0, 32, 64, 33})}, small) == "E-ISA-016");
}

TEST_CASE("validator: an array smaller than the partitions takes operands from any of them", "[isa]") {
  for (const unsigned size : {32U, 64U}) {
    CAPTURE(size);
    const isa::Limits limits{.array_rows = size, .array_columns = size};
    const Block first{0, size, 0, size};
    for (unsigned partition = 0; partition < 128; partition += size) {
      Instruction stationary = load(first), moving = use(first);
      stationary.src0.partition = moving.src0.partition = static_cast<std::uint8_t>(partition);
      moving.dst.partition = static_cast<std::uint8_t>(128 - size - partition);
      CHECK(outcome({stationary, moving}, limits).empty());
    }
  }
}

TEST_CASE("validator: a larger array takes all that one of 128 takes, and operands of its own size",
          "[isa]") {
  const isa::Limits large{.partitions = 512, .array_rows = 256, .array_columns = 512};
  for (const unsigned size : {32U, 64U, 128U})
    for (unsigned first = 0; first < 128; first += size) {
      CHECK(outcome({load({first, size, first, size}), use({first, size, first, size})}).empty());
      CHECK(outcome({load({first, size, first, size}), use({first, size, first, size})}, large).empty());
    }
  CHECK(outcome({load({0, 256, 0, 512}), use({0, 256, 0, 512})}, large).empty());
  CHECK(outcome({load({0, 256, 0, 512})}) == "E-ISA-007");
  CHECK(outcome({load({0, 300, 0, 16})}, large) == "E-ISA-017");
  CHECK(outcome({load({128, 128, 384, 128}), use({128, 128, 384, 128})}, large).empty());
}

TEST_CASE("validator: fp32 and tf32 go together, narrower floats together, integers not at all", "[isa]") {
  const auto meets = [](DType weights, DType moving) {
    const std::string code = outcome({load(kCorner, weights), use(kCorner, moving)});
    CHECK((code.empty() || code == "E-ISA-019"));
    return code.empty();
  };
  CHECK(meets(DType::kFp32, DType::kFp32));
  CHECK(meets(DType::kFp32, DType::kTf32));
  CHECK(meets(DType::kTf32, DType::kFp32));
  CHECK(meets(DType::kFp8E4M3, DType::kBf16));
  CHECK(meets(DType::kFp16, DType::kFp8E3M4));
  CHECK_FALSE(meets(DType::kBf16, DType::kTf32));
  CHECK_FALSE(meets(DType::kFp32, DType::kFp16));
  CHECK_FALSE(meets(DType::kInt32, DType::kFp32));
  CHECK_FALSE(meets(DType::kUint8, DType::kBf16));
}

TEST_CASE("validator: a matmul has the mode that its weights were loaded in", "[isa]") {
  Instruction two = load({0, 32, 0, 64}, DType::kFp8E4M3), move = use({0, 32, 0, 64}, DType::kFp8E4M3);
  two.shape.count = {1, 2, 1, 64};
  two.src0.stride = {0, 64, 0, 1};
  two.mode = MatmulMode::kDoubleRow;
  CHECK(outcome({two, move}) == "E-ISA-019");
  move.mode = MatmulMode::kDoubleRow;
  move.shape.count = {1, 2, 1, 4};
  move.src0.stride = {0, 4, 0, 1};
  CHECK(outcome({two, move}).empty());
  Instruction zeros = use(kCorner, DType::kFp32);
  zeros.mode = MatmulMode::kOneZeroMoving;  // only fp32 weights are allowed
  CHECK(outcome({load(kCorner, DType::kFp32), zeros}).empty());
}

TEST_CASE("validator: a transpose moves any dtype past an identity as wide, into its own dtype or fp32",
          "[isa]") {
  const auto outcome_of = [](DType weights, DType moving, DType dst) {
    return outcome({load(kCorner, weights), turn(kCorner, moving, dst)});
  };
  CHECK(outcome_of(DType::kInt32, DType::kFp32, DType::kInt32).empty());
  CHECK(outcome_of(DType::kUint16, DType::kBf16, DType::kUint16).empty());
  CHECK(outcome_of(DType::kInt8, DType::kFp16, DType::kUint16).empty());
  CHECK(outcome_of(DType::kFp8E5M2, DType::kFp8E5M2, DType::kUint16).empty());
  CHECK(outcome_of(DType::kBf16, DType::kBf16, DType::kFp32).empty());
  CHECK(outcome_of(DType::kBf16, DType::kFp32, DType::kBf16) == "E-ISA-019");
  CHECK(outcome_of(DType::kInt32, DType::kFp16, DType::kInt32) == "E-ISA-019");
  CHECK(outcome_of(DType::kBf16, DType::kBf16, DType::kFp16) == "E-ISA-020");
  CHECK(outcome_of(DType::kInt16, DType::kBf16, DType::kFp32) == "E-ISA-020");
  CHECK(outcome_of(DType::kUint8, DType::kBf16, DType::kInt16) == "E-ISA-020");
}
