// SPDX-License-Identifier: Apache-2.0
// Compares tensor_tensor, tensor_scalar, scalar_tensor_tensor and reciprocal with plain loops over elements,
// for all dtypes, all operations and tiles of every form.
#include "isa/semantics/semantics.h"
#include "tests/support/bench/tile_forms.h"

namespace {

using namespace tahoma;
using isa::AluOp, isa::DType, isa::Instruction, isa::Opcode, isa::Scalar, isa::Shape, isa::Space, isa::Tile;
using namespace tahoma::test;

// Three dtypes of operands, another triple for each number, so that all occur together with all operations.
std::array<DType, 3> mixed(unsigned n) {
  return {kAllDTypes[n % 13], kAllDTypes[n / 13 % 13], kAllDTypes[(n * 5 + n / 13) % 13]};
}

const std::vector<AluOp>& scalar_ops() {
  static const std::vector<AluOp> ops = [] {
    std::vector<AluOp> all(std::begin(kBinaryOps), std::end(kBinaryOps));
    all.insert(all.end(), std::begin(kUnaryOps), std::end(kUnaryOps));
    all.insert(all.end(), std::begin(kMagnitudeOps), std::end(kMagnitudeOps));
    return all;
  }();
  return ops;
}

}  // namespace

TEST_CASE("tensor_tensor: one rounding in fp32 and one to dst, on every SIMD target", "[isa]") {
  test::on_every_simd_target([] {
    TileFixture f(44);
    unsigned n = 0;
    for (unsigned turn = 0; turn < 3; ++turn) {
      for (const AluOp op : kBinaryOps) {
        const Form& form = kForms[n % std::size(kForms)];
        const auto [a, b, to] =
            n++ % 2 == 0 ? mixed(n) : std::array{DType::kFp32, DType::kFp32, DType::kFp32};
        CAPTURE(int(op), isa::name_of(a), isa::name_of(b), isa::name_of(to));
        Instruction i = instruction(Opcode::kTensorTensor, form.shape, f.tile(to, 0, kDstAt, form.dst),
                                    f.tile(a, 0, kSrcAt, form.src));
        i.src1 = f.tile(b, 0, kOtherAt, form.src);
        i.op0 = op;
        f.fill(i.src0, form.shape);
        f.fill(i.src1, form.shape);
        f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
          return apply(op, number_at(m, i.src0, p, at), number_at(m, i.src1, p, at));
        });
      }
    }
  });
}

TEST_CASE("tensor_tensor: every pair of source dtypes to every dtype", "[isa]") {
  TileFixture f(58);
  const Form& form = kForms[3];
  for (unsigned n = 0; n < 13 * 13; ++n) {
    const auto [a, b, to] = mixed(n);
    CAPTURE(isa::name_of(a), isa::name_of(b), isa::name_of(to));
    Instruction i = instruction(Opcode::kTensorTensor, form.shape, f.tile(to, 32, kDstAt, form.dst),
                                f.tile(a, 64, kSrcAt, form.src));
    i.src1 = f.tile(b, 96, kOtherAt, form.src);
    i.op0 = kBinaryOps[n % 6];
    f.fill(i.src0, form.shape);
    f.fill(i.src1, form.shape);
    f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
      return apply(i.op0, number_at(m, i.src0, p, at), number_at(m, i.src1, p, at));
    });
  }
}

TEST_CASE("tensor_tensor: arithmetic makes one NaN of all, and max orders -0 below +0", "[isa]") {
  TileFixture f(45);
  const Tile a = f.tile(DType::kFp32, 0, 0, {0, 0, 0, 1}), b = f.tile(DType::kFp32, 0, 512, {0, 0, 0, 1});
  const Tile dst = f.tile(DType::kFp32, 0, 1024, {0, 0, 0, 1});
  const auto result = [&](AluOp op, float x, float y) {
    const Shape shape = test::row_shape(1, 17);  // vectors and a tail
    for (unsigned n = 0; n < 17; ++n) {
      f.memory.set(a, 0, {0, 0, 0, n}, x);
      f.memory.set(b, 0, {0, 0, 0, n}, y);
    }
    Instruction i = instruction(Opcode::kTensorTensor, shape, dst, a);
    i.src1 = b;
    i.op0 = op;
    isa::execute(i, f.memory.view());
    const std::uint32_t first = f.memory.bits(dst, 0, {0, 0, 0, 0});
    CHECK(f.memory.bits(dst, 0, {0, 0, 0, 16}) == first);
    return first;
  };
  const float infinity = std::numeric_limits<float>::infinity(), payload = std::bit_cast<float>(0xFFC12345U);
  test::on_every_simd_target([&] {
    CHECK(result(AluOp::kSubtract, infinity, infinity) == 0x7FC00000U);
    CHECK(result(AluOp::kMult, infinity, 0.0F) == 0x7FC00000U);
    CHECK(result(AluOp::kDivide, 0.0F, -0.0F) == 0x7FC00000U);
    for (const AluOp op : {AluOp::kAdd, AluOp::kMax, AluOp::kMin}) {
      CHECK(result(op, payload, 1.0F) == 0x7FC00000U);
      CHECK(result(op, 1.0F, payload) == 0x7FC00000U);
    }
    CHECK(result(AluOp::kBypass, payload, 1.0F) == 0xFFC12345U);
    CHECK(result(AluOp::kMax, -0.0F, 0.0F) == 0U);
    CHECK(result(AluOp::kMax, 0.0F, -0.0F) == 0U);
    CHECK(result(AluOp::kMin, 0.0F, -0.0F) == 0x80000000U);
    CHECK(result(AluOp::kMin, -0.0F, 0.0F) == 0x80000000U);
    CHECK(result(AluOp::kDivide, 1.0F, -0.0F) == 0xFF800000U);
  });
}

TEST_CASE("tensor_tensor: works in place, for rows and for columns", "[isa]") {
  TileFixture f(46);
  for (const Shape& shape : {test::row_shape(9, 1100), test::row_shape(128, 1)}) {
    for (const DType dtype : {DType::kFp32, DType::kBf16}) {
      const Tile tile = f.tile(dtype, 0, kSrcAt, {0, 0, 0, 1}),
                 other = f.tile(DType::kFp32, 0, 8192, {0, 0, 0, 1});
      f.fill(tile, shape);
      f.fill(other, shape);
      Instruction i = instruction(Opcode::kTensorTensor, shape, tile, tile);
      i.src1 = other;
      i.op0 = AluOp::kAdd;
      f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
        return number_at(m, tile, p, at) + number_at(m, other, p, at);
      });
      i.src1 = tile;
      i.op0 = AluOp::kMult;
      f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
        return number_at(m, tile, p, at) * number_at(m, tile, p, at);
      });
    }
  }
}

TEST_CASE("tensor_scalar: two operations with constants or columns, each side, each rounding", "[isa]") {
  TileFixture f(47);
  unsigned n = 0;
  for (const AluOp op0 : scalar_ops()) {
    for (const AluOp op1 : scalar_ops()) {
      const Form& form = kForms[n % std::size(kForms)];
      const auto [from, to, unused] = mixed(++n);
      CAPTURE(int(op0), int(op1), isa::name_of(from), isa::name_of(to), unused);
      Instruction i = instruction(Opcode::kTensorScalar, form.shape, f.tile(to, 0, kDstAt, form.dst),
                                  f.tile(from, 0, kSrcAt, form.src));
      i.op0 = op0;
      i.op1 = op1;
      i.reverse0 = f.numbers.below(2) == 0;
      i.reverse1 = f.numbers.below(2) == 0;
      i.scalar0 = f.either(256, form.shape.partitions);
      i.scalar1 = f.either(512, form.shape.partitions);
      f.fill(i.src0, form.shape);
      f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
        const float first = apply(op0, i.reverse0, number_at(m, i.src0, p, at), scalar_at(m, i.scalar0, p));
        return apply(op1, i.reverse1, first, scalar_at(m, i.scalar1, p));
      });
    }
  }
}

TEST_CASE("tensor_scalar: a column may be its own scalar", "[isa]") {
  TileFixture f(48);
  const Shape shape = test::row_shape(100, 1);
  const Tile tile = f.tile(DType::kFp32, 0, 256, {0, 0, 0, 1});
  Instruction i = instruction(Opcode::kTensorScalar, shape, tile, tile);
  i.scalar0 = i.scalar1 = f.column(0, 256, 100);
  i.op0 = AluOp::kMult;
  i.op1 = AluOp::kAdd;
  f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
    const float x = number_at(m, tile, p, at);
    return x * x + x;
  });
}

TEST_CASE("scalar_tensor_tensor: (src0 op0 scalar) op1 src1, each side, each rounding", "[isa]") {
  TileFixture f(59);
  unsigned n = 0;
  for (const AluOp op0 : scalar_ops()) {
    for (const AluOp op1 : kBinaryOps) {
      const Form& form = kForms[n % std::size(kForms)];
      const auto [a, b, to] = mixed(++n);
      CAPTURE(int(op0), int(op1), isa::name_of(a), isa::name_of(b), isa::name_of(to));
      Instruction i = instruction(Opcode::kScalarTensorTensor, form.shape, f.tile(to, 0, kDstAt, form.dst),
                                  f.tile(a, 0, kSrcAt, form.src));
      i.src1 = f.tile(b, 0, kOtherAt, form.src);
      i.op0 = op0;
      i.op1 = op1;
      i.reverse0 = f.numbers.below(2) == 0;
      i.reverse1 = f.numbers.below(2) == 0;
      i.scalar0 = f.either(256, form.shape.partitions);
      f.fill(i.src0, form.shape);
      f.fill(i.src1, form.shape);
      f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
        const float first = apply(op0, i.reverse0, number_at(m, i.src0, p, at), scalar_at(m, i.scalar0, p));
        return apply(op1, i.reverse1, first, number_at(m, i.src1, p, at));
      });
    }
  }
}

TEST_CASE("scalar_tensor_tensor: dst may be either source", "[isa]") {
  TileFixture f(60);
  const Shape shape = row_shape(9, 1100);
  const Tile x = f.tile(DType::kFp32, 0, 0, {0, 0, 0, 1}), y = f.tile(DType::kFp32, 0, 8192, {0, 0, 0, 1});
  for (const Tile& dst : {x, y}) {
    f.fill(x, shape);
    f.fill(y, shape);
    Instruction i = instruction(Opcode::kScalarTensorTensor, shape, dst, x);
    i.src1 = y;
    i.op0 = AluOp::kMult;
    i.op1 = AluOp::kAdd;
    i.scalar0.imm = -3;
    f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
      return apply(AluOp::kAdd, apply(AluOp::kMult, number_at(m, x, p, at), -3), number_at(m, y, p, at));
    });
  }
}

TEST_CASE("reciprocal: correctly rounded, with the infinities of zero", "[isa]") {
  TileFixture f(51);
  for (const Form& form : kForms) {
    const Tile src = f.tile(DType::kFp16, 0, kSrcAt, form.src);
    f.fill(src, form.shape);
    f.check(instruction(Opcode::kReciprocal, form.shape, f.tile(DType::kFp32, 0, kDstAt, form.dst), src),
            [&](TileMemory& m, unsigned p, const auto& i) { return 1.0F / number_at(m, src, p, i); });
  }
}
