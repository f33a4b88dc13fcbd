// SPDX-License-Identifier: Apache-2.0
// Bit operations on integers of every width, bit by bit, and GpSimd's exact integers in 64 (128) bits.
#include "isa/semantics/semantics.h"
#include "tests/support/bench/tile_forms.h"

namespace {

using namespace tahoma;
using isa::AluOp, isa::DType, isa::Instruction, isa::Opcode, isa::Scalar, isa::Shape, isa::Tile;
using namespace tahoma::test;

constexpr DType kIntegers[] = {DType::kInt8,   DType::kUint8, DType::kInt16,
                               DType::kUint16, DType::kInt32, DType::kUint32};

unsigned width_of(DType dtype) { return static_cast<unsigned>(8 * isa::size_of(dtype)); }

// Any bits, or small numbers, which are shift counts that do not shift out all bits.
void fill_counts(TileFixture& f, const Tile& tile, const Shape& shape) {
  for_each_element(shape, [&](unsigned p, const auto& at) {
    const std::uint32_t bits = f.numbers.below(4) == 0 ? f.numbers.word() : f.numbers.below(36);
    std::memcpy(f.memory.at(tile, p, at), &bits, isa::size_of(tile.dtype));
  });
}

// A constant with an integer value, sometimes negative or beyond 2^31, or a column of any 32 bits.
Scalar bit_operand(TileFixture& f, std::uint32_t offset, unsigned count) {
  const Scalar column{true, 0, isa::Space::kSbuf, 0, offset};
  fill_counts(f, f.tile(DType::kUint32, 0, offset, {}), row_shape(count, 1));
  const float constants[] = {0, 1, 3, 7, 8, 15, 16, 31, 32, 255, -1, -2147483648.0F, 4294967040.0F, 1e30F};
  return f.numbers.below(2) == 0 ? column : Scalar{false, constants[f.numbers.below(14)]};
}
std::uint32_t bits_of(TileMemory& m, const Scalar& s, unsigned p) {
  if (!s.is_tile)
    return static_cast<std::uint32_t>(
        static_cast<std::int64_t>(std::fmod(static_cast<double>(s.imm), 0x1p32)));
  return m.bits({s.space, DType::kUint32, s.partition, s.offset, {}}, p, {});
}
std::uint32_t apply_bits(AluOp op, bool reverse, std::uint32_t a, std::uint32_t b, unsigned width) {
  const bool swap = reverse && !takes_one(op);
  return test::apply_bits(op, swap ? b : a, swap ? a : b, width);
}

}  // namespace

TEST_CASE("tensor_tensor: bit operations on integers as stored, of either sign", "[isa]") {
  TileFixture f(81);
  unsigned n = 0;
  for (const DType dtype : kIntegers) {
    for (const DType other : kIntegers) {
      if (isa::size_of(dtype) != isa::size_of(other)) continue;
      for (const AluOp op : kBitOps) {
        for (unsigned turn = 0; turn < 3; ++turn) {
          const Form& form = kForms[n++ % std::size(kForms)];
          CAPTURE(isa::name_of(dtype), isa::name_of(other), int(op));
          Instruction i = instruction(Opcode::kTensorTensor, form.shape, f.tile(other, 0, kDstAt, form.dst),
                                      f.tile(dtype, 0, kSrcAt, form.src));
          i.src1 = f.tile(other, 0, kOtherAt, form.src);
          i.op0 = op;
          f.fill_bits(i.src0, form.shape);
          fill_counts(f, i.src1, form.shape);
          f.check_bits(i, [&](TileMemory& m, unsigned p, const auto& at) {
            return test::apply_bits(op, m.bits(i.src0, p, at), m.bits(i.src1, p, at), width_of(dtype));
          });
        }
      }
    }
  }
}

TEST_CASE("tensor_scalar: bit operations with constants and with columns of 32 bits, each side", "[isa]") {
  TileFixture f(82);
  std::vector<AluOp> ops(std::begin(kBitOps), std::end(kBitOps));
  ops.insert(ops.end(), {AluOp::kBitwiseNot, AluOp::kBypass});
  unsigned n = 0;
  for (const DType dtype : kIntegers) {
    for (const AluOp op0 : ops) {
      for (const AluOp op1 : ops) {
        if (op0 == AluOp::kBypass && op1 == AluOp::kBypass) continue;  // arithmetic
        const Form& form = kForms[n++ % std::size(kForms)];
        CAPTURE(isa::name_of(dtype), int(op0), int(op1));
        Instruction i = instruction(Opcode::kTensorScalar, form.shape, f.tile(dtype, 0, kDstAt, form.dst),
                                    f.tile(dtype, 0, kSrcAt, form.src));
        i.op0 = op0;
        i.op1 = op1;
        i.reverse0 = f.numbers.below(3) == 0;
        i.reverse1 = f.numbers.below(3) == 0;
        i.scalar0 = bit_operand(f, 256, form.shape.partitions);
        i.scalar1 = bit_operand(f, 512, form.shape.partitions);
        fill_counts(f, i.src0, form.shape);
        const unsigned width = width_of(dtype);
        f.check_bits(i, [&](TileMemory& m, unsigned p, const auto& at) {
          const std::uint32_t first =
              apply_bits(op0, i.reverse0, m.bits(i.src0, p, at), bits_of(m, i.scalar0, p), width);
          return apply_bits(op1, i.reverse1, first, bits_of(m, i.scalar1, p), width);
        });
      }
    }
  }
}

TEST_CASE("tensor_tensor: bit operations are as wide as dst; sources extend by zeros or are cut off",
          "[isa]") {
  TileFixture f(86);
  unsigned n = 0;
  for (const DType a : kIntegers) {
    for (const DType b : kIntegers) {
      for (const DType to : kIntegers) {
        const Form& form = kForms[n++ % std::size(kForms)];
        Instruction i = instruction(Opcode::kTensorTensor, form.shape, f.tile(to, 0, kDstAt, form.dst),
                                    f.tile(a, 0, kSrcAt, form.src));
        i.src1 = f.tile(b, 0, kOtherAt, form.src);
        i.op0 = kBitOps[n % std::size(kBitOps)];
        CAPTURE(isa::name_of(a), isa::name_of(b), isa::name_of(to), int(i.op0));
        f.fill_bits(i.src0, form.shape);
        fill_counts(f, i.src1, form.shape);
        f.check_bits(i, [&](TileMemory& m, unsigned p, const auto& at) {
          return test::apply_bits(i.op0, m.bits(i.src0, p, at), m.bits(i.src1, p, at), width_of(to));
        });
      }
    }
  }
}

TEST_CASE("tensor_scalar: a constant of a bit operation is its integer part; no number is 0", "[isa]") {
  TileFixture f(83);
  const Tile tile = f.tile(DType::kUint32, 0, 0, {0, 0, 0, 1});
  const auto result = [&](float constant) {
    Instruction i = instruction(Opcode::kTensorScalar, row_shape(1, 1), tile, tile);
    i.op0 = AluOp::kBitwiseOr;
    i.scalar0.imm = constant;
    std::memset(f.memory.sbuf.data(), 0, 4);
    isa::execute(i, f.memory.view());
    return f.memory.bits(tile, 0, {});
  };
  CHECK(result(5.99F) == 5U);
  CHECK(result(-5.99F) == 0xFFFFFFFBU);
  CHECK(result(0x1p31F) == 0x80000000U);
  CHECK(result(0x1p32F + 0x1p10F) == 1024U);
  CHECK(result(0x1.000002p55F) == 0U);
  CHECK(result(0x1.000002p54F) == 0x80000000U);
  CHECK(result(std::numeric_limits<float>::infinity()) == 0U);
  CHECK(result(std::numeric_limits<float>::quiet_NaN()) == 0U);
}

TEST_CASE("tensor_tensor: GpSimd's 32-bit integers are exact, modulo 2^32", "[isa]") {
  using Wide = std::int64_t;
  TileFixture f(84);
  f.exact_integers = true;
  const auto value = [](TileMemory& m, const Tile& tile, unsigned p, const std::array<unsigned, 4>& at) {
    return static_cast<Wide>(number_of(tile.dtype, m.bits(tile, p, at)));
  };
  const auto power = [](Wide a, Wide b) {  // by repeated multiplication, or the truncated inverse
    if (b < 0) return a == 0 ? ~0U : a == 1 ? 1U : a == -1 ? (b % 2 == 0 ? 1U : ~0U) : 0U;
    std::uint32_t product = 1;
    for (Wide k = 0; k < b; ++k) product *= static_cast<std::uint32_t>(a);
    return product;
  };
  const auto definition = [&](AluOp op, Wide a, Wide b) -> std::uint32_t {
    const auto low = [](Wide x) { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(x)); };
    switch (op) {
      case AluOp::kAdd:
        return low(a + b);
      case AluOp::kSubtract:
        return low(a - b);
      case AluOp::kMult:  // of the low halves: the high halves only affect truncated bits
        return low((a & 0xFFFF) * b) + (low((a >> 16) * (b & 0xFFFF)) << 16);
      case AluOp::kDivide:
        return b == 0 ? ~0U : low(a / b);
      case AluOp::kPower:
        return power(a, b);
      case AluOp::kMax:
        return low(std::max(a, b));
      case AluOp::kMin:
        return low(std::min(a, b));
      default:  // comparisons and logical operations of numbers that double holds
        return static_cast<double>(a) == 0 || op < AluOp::kIsEqual
                   ? static_cast<std::uint32_t>(apply(op, a != 0 ? 1.0F : 0.0F,
                                                      b == 0  ? 0.0F
                                                      : b > 0 ? 2.0F
                                                              : -2.0F))
               : op >= AluOp::kLogicalAnd ? static_cast<std::uint32_t>(apply(op, 1.0F, b != 0 ? 1.0F : 0.0F))
                                          : static_cast<std::uint32_t>(apply(op,
                                                                             a > b   ? 1.0F
                                                                             : a < b ? -1.0F
                                                                                     : 0.0F,
                                                                             0.0F));
    }
  };
  unsigned n = 0;
  for (const DType a : {DType::kInt32, DType::kUint32}) {
    for (const DType b : {DType::kInt32, DType::kUint32}) {
      for (const AluOp op : kBinaryOps) {
        const Form& form = kForms[n++ % std::size(kForms)];
        CAPTURE(isa::name_of(a), isa::name_of(b), int(op));
        Instruction i = instruction(Opcode::kTensorTensor, form.shape,
                                    f.tile(n % 2 == 0 ? DType::kInt32 : DType::kUint32, 0, kDstAt, form.dst),
                                    f.tile(a, 0, kSrcAt, form.src));
        i.src1 = f.tile(b, 0, kOtherAt, form.src);
        i.op0 = op;
        f.fill_bits(i.src0, form.shape);
        fill_counts(f, i.src1, form.shape);
        if (op == AluOp::kPower) {  // small enough for repeated multiplication
          for_each_element(form.shape, [&](unsigned p, const auto& at) {
            const std::uint32_t bits = f.numbers.below(40) - (b == DType::kInt32 ? 6 : 0);
            std::memcpy(f.memory.at(i.src1, p, at), &bits, 4);
            if (f.numbers.below(2) == 0) {
              const std::uint32_t base = f.numbers.below(5) - 2;
              std::memcpy(f.memory.at(i.src0, p, at), &base, 4);
            }
          });
        }
        f.check_bits(i, [&](TileMemory& m, unsigned p, const auto& at) {
          return definition(op, value(m, i.src0, p, at), value(m, i.src1, p, at));
        });
      }
    }
  }
}

TEST_CASE("tensor_tensor: integers are exact only on an engine that is, and only if all are 32-bit",
          "[isa]") {
  TileFixture f(85);
  const Tile a = f.tile(DType::kInt32, 0, 0, {0, 0, 0, 1}), b = f.tile(DType::kInt32, 0, 64, {0, 0, 0, 1});
  const auto sum = [&](bool exact, DType other) {
    Instruction i =
        instruction(Opcode::kTensorTensor, row_shape(1, 1), f.tile(DType::kInt32, 0, 128, {0, 0, 0, 1}), a);
    i.src1 = b;
    i.src1.dtype = other;
    i.op0 = AluOp::kAdd;
    const std::uint32_t large = 0x7FFFFFFFU, one = 1;
    std::memcpy(f.memory.at(a, 0, {}), &large, 4);
    std::memcpy(f.memory.at(b, 0, {}), &one, 4);
    isa::CoreView view = f.memory.view();
    view.exact_integers = exact;
    isa::execute(i, view);
    return f.memory.bits(i.dst, 0, {});
  };
  CHECK(sum(true, DType::kInt32) == 0x80000000U);   // modulo 2^32
  CHECK(sum(false, DType::kInt32) == 0x7FFFFFFFU);  // fp32, saturated
  CHECK(sum(true, DType::kInt16) == 0x7FFFFFFFU);
}
