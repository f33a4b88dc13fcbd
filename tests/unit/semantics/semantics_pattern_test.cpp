// SPDX-License-Identifier: Apache-2.0
// Compares iota and affine_select with plain loops over elements, for all dtypes and for tiles of every form.
#include <catch2/catch.hpp>

#include "isa/semantics/semantics.h"
#include "tests/support/bench/tile_forms.h"

namespace {

using namespace tahoma;
using isa::CompareOp, isa::DType, isa::Instruction, isa::Opcode, isa::Shape, isa::Tile;
using namespace tahoma::test;

bool holds(CompareOp op, long value) {
  switch (op) {
    case CompareOp::kEq:
      return value == 0;
    case CompareOp::kNe:
      return value != 0;
    case CompareOp::kLt:
      return value < 0;
    case CompareOp::kLe:
      return value <= 0;
    case CompareOp::kGt:
      return value > 0;
    case CompareOp::kGe:
      return value >= 0;
  }
  return false;
}

}  // namespace

TEST_CASE("iota: base + channel_multiplier * p + pattern . index, in dst's dtype", "[isa]") {
  TileFixture f(53);
  for (const Form& form : kForms) {
    for (const DType dtype : kAllDTypes) {
      Instruction i = instruction(Opcode::kIota, form.shape, f.tile(dtype, 0, kDstAt, form.dst));
      i.base = -40;
      i.channel_multiplier = 3;
      i.pattern = {1000, -7, 5, 2};
      f.check(i, [&](TileMemory&, unsigned p, const auto& at) {
        return static_cast<float>(-40 + 3 * int(p) + 1000 * int(at[0]) - 7 * int(at[1]) + 5 * int(at[2]) +
                                  2 * int(at[3]));
      });
    }
  }
}

TEST_CASE("iota: integers are exact beyond 2^24 and saturate beyond their range", "[isa]") {
  TileFixture f(54);
  Instruction i =
      instruction(Opcode::kIota, test::row_shape(2, 3), f.tile(DType::kInt32, 0, 0, {0, 0, 0, 1}));
  i.base = 2147483645;
  i.pattern = {0, 0, 0, 1};
  i.channel_multiplier = -2147483647 - 1;
  isa::execute(i, f.memory.view());
  CHECK(f.memory.bits(i.dst, 0, {0, 0, 0, 0}) == 2147483645U);
  CHECK(f.memory.bits(i.dst, 0, {0, 0, 0, 2}) == 2147483647U);
  CHECK(static_cast<std::int32_t>(f.memory.bits(i.dst, 1, {0, 0, 0, 1})) == -2);
  i.pattern = {0, 0, 0, 2};
  isa::execute(i, f.memory.view());
  CHECK(f.memory.bits(i.dst, 0, {0, 0, 0, 2}) == 2147483647U);
  i.dst.dtype = DType::kUint32;
  isa::execute(i, f.memory.view());
  CHECK(f.memory.bits(i.dst, 0, {0, 0, 0, 2}) == 2147483649U);
  CHECK(f.memory.bits(i.dst, 1, {0, 0, 0, 0}) == 0U);
}

TEST_CASE("affine_select: the source where the affine condition holds, the value elsewhere", "[isa]") {
  TileFixture f(55);
  for (const Form& form : kForms) {
    for (const CompareOp op :
         {CompareOp::kEq, CompareOp::kNe, CompareOp::kLt, CompareOp::kLe, CompareOp::kGt, CompareOp::kGe}) {
      Instruction i =
          instruction(Opcode::kAffineSelect, form.shape, f.tile(DType::kBf16, 0, kDstAt, form.dst),
                      f.tile(DType::kFp32, 0, kSrcAt, form.src));
      i.base = 5;
      i.channel_multiplier = -1;
      i.pattern = {-2, 1, 3, -1};
      i.compare = op;
      i.value = -std::numeric_limits<float>::infinity();
      f.fill(i.src0, form.shape);
      f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
        const long value = 5L - p - 2L * at[0] + at[1] + 3L * at[2] - at[3];
        return holds(op, value) ? number_at(m, i.src0, p, at) : i.value;
      });
    }
  }
}

TEST_CASE("affine_select: a causal mask in place keeps row p's first p + 1 columns", "[isa]") {
  TileFixture f(56);
  const Tile tile = f.tile(DType::kFp32, 0, 0, {0, 0, 0, 1});
  const Shape shape = test::row_shape(128, 128);
  f.fill(tile, shape, false);
  Instruction i = instruction(Opcode::kAffineSelect, shape, tile, tile);
  i.channel_multiplier = 1;
  i.pattern = {0, 0, 0, -1};
  i.compare = CompareOp::kGe;
  i.value = -1e30F;
  f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
    return at[3] <= p ? number_at(m, tile, p, at) : -1e30F;
  });
}
