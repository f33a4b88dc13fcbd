// SPDX-License-Identifier: Apache-2.0
// Copy, tensor_tensor, tensor_scalar, reduce, reciprocal, memset, iota and affine_select against plain loops
// over elements, for all dtypes and for tiles of every form.
#include <catch2/catch.hpp>

#include "isa/semantics.h"
#include "tests/support/tile_memory.h"

namespace {

using namespace tahoma;
using isa::AluOp, isa::CompareOp, isa::DType, isa::Instruction, isa::Opcode, isa::Scalar, isa::Shape,
    isa::Space, isa::Tile;
using test::TileMemory, test::same_number;

constexpr DType kAll[] = {DType::kFp32,  DType::kBf16,  DType::kFp16,    DType::kInt32,   DType::kUint32,
                          DType::kUint8, DType::kTf32,  DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp8E3M4,
                          DType::kInt8,  DType::kInt16, DType::kUint16};
// One of each size and way of converting, where all pairs would take long (conversion_test.cpp has them).
constexpr DType kPaired[] = {DType::kFp32,  DType::kBf16,   DType::kFp8E4M3,
                             DType::kInt32, DType::kUint16, DType::kUint8};
constexpr AluOp kOps[] = {AluOp::kAdd, AluOp::kSubtract, AluOp::kMult,  AluOp::kDivide,
                          AluOp::kMax, AluOp::kMin,      AluOp::kBypass};

float rounded(DType dtype, float value) {
  std::array<std::byte, 4> bytes{};
  isa::store_from_fp32(bytes.data(), dtype, value);
  return isa::load_as_fp32(bytes.data(), dtype);
}

// The operations as IEEE 754-2019 words them.
float apply(AluOp op, float a, float b) {
  const bool nan = std::isnan(a) || std::isnan(b);
  switch (op) {
    case AluOp::kAdd:
      return a + b;
    case AluOp::kSubtract:
      return a - b;
    case AluOp::kMult:
      return a * b;
    case AluOp::kDivide:
      return a / b;
    case AluOp::kMax:
      return nan                ? NAN
             : a == 0 && b == 0 ? (std::signbit(a) && std::signbit(b) ? -0.0F : 0.0F)
                                : std::fmax(a, b);
    case AluOp::kMin:
      return nan                ? NAN
             : a == 0 && b == 0 ? (std::signbit(a) || std::signbit(b) ? -0.0F : 0.0F)
                                : std::fmin(a, b);
    case AluOp::kBypass:
      return a;
  }
  return a;
}

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

// A form of the iteration space, and how src and dst lie in it.
struct Form {
  Shape shape;
  std::array<std::int16_t, 4> dst, src;
};
const Form kForms[] = {
    {test::row_shape(128, 1), {0, 0, 0, 1}, {0, 0, 0, 1}},  // a column
    {test::row_shape(7, 300), {0, 0, 0, 1}, {0, 0, 0, 1}},  // rows
    {test::row_shape(3, 700), {0, 0, 0, 1}, {0, 0, 0, 1}},  // rows of several pieces
    {{5, {2, 3, 4, 9}}, {108, 36, 9, 1}, {108, 36, 9, 1}},  // dense in four dimensions
    {{4, {2, 3, 4, 5}}, {1, 2, 6, 24}, {60, 20, 5, 1}},     // dimensions exchanged
    {{3, {1, 6, 1, 20}}, {0, 50, 0, 2}, {0, 0, 0, 1}},      // gaps, and a broadcast row
    {{2, {1, 1, 8, 8}}, {0, 0, 8, 1}, {0, 0, -8, -1}},      // backwards
    {{33, {1, 1, 4, 4}}, {0, 0, 4, 1}, {0, 0, 0, 0}},       // one element for all
};

constexpr std::uint32_t kDstAt = 8192, kSrcAt = 2048, kOtherAt = 5120;

class Fixture {
 public:
  explicit Fixture(unsigned seed) : numbers(seed) {}

  Tile tile(DType dtype, unsigned partition, std::uint32_t offset,
            const std::array<std::int16_t, 4>& stride) {
    return {Space::kSbuf, dtype, static_cast<std::uint8_t>(partition), offset, stride};
  }
  void fill(const Tile& tile, const Shape& shape, bool wild = true) {
    test::for_each_element(shape, [&](unsigned p, const auto& i) {
      memory.set(tile, p, i, wild ? numbers.any() : numbers.ordinary());
    });
  }
  Scalar column(unsigned partition, std::uint32_t offset, unsigned count) {
    const Scalar s{true, 0, Space::kSbuf, static_cast<std::uint8_t>(partition), offset};
    fill({s.space, DType::kFp32, s.partition, s.offset, {}}, test::row_shape(count, 1));
    return s;
  }
  // Runs the instruction; dst must become value(p, index) as it was before, and nothing else may change.
  template <class Value>
  void check(const Instruction& i, Value value) {
    TileMemory before = memory;
    isa::execute(i, memory.view());
    std::size_t wrong = 0;
    test::for_each_element(i.shape, [&](unsigned p, const auto& index) {
      const float want = rounded(i.dst.dtype, value(before, p, index));
      wrong += !same_number(memory.get(i.dst, p, index), want);
    });
    CHECK(wrong == 0);
    test::for_each_element(i.shape, [&](unsigned p, const auto& index) {
      std::memcpy(before.at(i.dst, p, index), memory.at(i.dst, p, index), isa::size_of(i.dst.dtype));
    });
    CHECK(memory.sbuf == before.sbuf);
    CHECK(memory.psum == before.psum);
  }

  TileMemory memory;
  test::Numbers numbers;
};

Instruction instruction(Opcode op, const Shape& shape, const Tile& dst, const Tile& src = {}) {
  Instruction i;
  i.op = op;
  i.shape = shape;
  i.dst = dst;
  i.src0 = src;
  return i;
}

}  // namespace

TEST_CASE("tensor_copy: converts between dtypes, whatever the form of the tiles", "[isa]") {
  Fixture f(41);
  for (const Form& form : kForms) {
    for (const DType from : kPaired) {
      for (const DType to : kPaired) {
        CAPTURE(isa::name_of(from), isa::name_of(to));
        const Tile src = f.tile(from, 0, kSrcAt, form.src), dst = f.tile(to, 0, kDstAt, form.dst);
        f.fill(src, form.shape);
        f.check(instruction(Opcode::kTensorCopy, form.shape, dst, src),
                [&](TileMemory& m, unsigned p, const auto& i) { return m.get(src, p, i); });
      }
    }
  }
}

TEST_CASE("tensor_copy: equal dtypes keep every bit, of integers beyond 2^24 and of signalling NaNs",
          "[isa]") {
  Fixture f(42);
  for (const DType dtype : kAll) {
    for (const Form& form : kForms) {
      const Tile src = f.tile(dtype, 0, kSrcAt, form.src), dst = f.tile(dtype, 0, kDstAt, form.dst);
      test::for_each_element(form.shape, [&](unsigned p, const auto& i) {
        const std::uint32_t bits = f.numbers.below(0xFFFFFFFFU);
        std::memcpy(f.memory.at(src, p, i), &bits, isa::size_of(dtype));
      });
      isa::execute(instruction(Opcode::kTensorCopy, form.shape, dst, src), f.memory.view());
      std::size_t wrong = 0;
      test::for_each_element(form.shape, [&](unsigned p, const auto& i) {
        wrong += f.memory.bits(dst, p, i) != f.memory.bits(src, p, i);
      });
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("tensor_copy: source and destination may start at different partitions and spaces", "[isa]") {
  Fixture f(43);
  const Shape shape = test::row_shape(32, 50);
  const Tile src = f.tile(DType::kBf16, 96, kSrcAt, {0, 0, 0, 1});
  const Tile psum{Space::kPsum, DType::kFp32, 32, 64, {0, 0, 0, 1}};
  f.fill(src, shape);
  f.check(instruction(Opcode::kTensorCopy, shape, psum, src),
          [&](TileMemory& m, unsigned p, const auto& i) { return m.get(src, p, i); });
  f.check(instruction(Opcode::kTensorCopy, shape, f.tile(DType::kFp16, 0, kDstAt, {0, 0, 0, 1}), psum),
          [&](TileMemory& m, unsigned p, const auto& i) { return m.get(psum, p, i); });
}

TEST_CASE("tensor_tensor: one rounding in fp32 and one to dst, on every SIMD target", "[isa]") {
  test::on_every_simd_target([] {
    Fixture f(44);
    for (const Form& form : kForms) {
      for (const AluOp op : kOps) {
        for (const auto& [a, b, to] : {std::array{DType::kFp32, DType::kFp32, DType::kFp32},
                                       std::array{DType::kBf16, DType::kFp32, DType::kBf16},
                                       std::array{DType::kFp16, DType::kUint8, DType::kFp32}}) {
          const Tile src0 = f.tile(a, 0, kSrcAt, form.src), src1 = f.tile(b, 0, kOtherAt, form.src);
          f.fill(src0, form.shape);
          f.fill(src1, form.shape);
          Instruction i =
              instruction(Opcode::kTensorTensor, form.shape, f.tile(to, 0, kDstAt, form.dst), src0);
          i.src1 = src1;
          i.op0 = op;
          f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
            return apply(op, m.get(src0, p, at), m.get(src1, p, at));
          });
        }
      }
    }
  });
}

TEST_CASE("tensor_tensor: arithmetic makes one NaN of all, and max orders -0 below +0", "[isa]") {
  Fixture f(45);
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
  Fixture f(46);
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
        return m.get(tile, p, at) + m.get(other, p, at);
      });
      i.src1 = tile;
      i.op0 = AluOp::kMult;
      f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
        return m.get(tile, p, at) * m.get(tile, p, at);
      });
    }
  }
}

TEST_CASE("tensor_scalar: two operations with constants or columns, each side, each rounding", "[isa]") {
  Fixture f(47);
  for (const Form& form : kForms) {
    for (const AluOp op0 : kOps) {
      for (const AluOp op1 : kOps) {
        Instruction i =
            instruction(Opcode::kTensorScalar, form.shape, f.tile(DType::kBf16, 0, kDstAt, form.dst),
                        f.tile(DType::kFp32, 0, kSrcAt, form.src));
        i.op0 = op0;
        i.op1 = op1;
        i.reverse0 = f.numbers.below(2) == 0;
        i.reverse1 = f.numbers.below(2) == 0;
        i.scalar0 = f.numbers.below(2) == 0 ? f.column(0, 256, form.shape.partitions)
                                            : Scalar{false, f.numbers.any()};
        i.scalar1 = f.numbers.below(2) == 0 ? f.column(0, 512, form.shape.partitions)
                                            : Scalar{false, f.numbers.any()};
        f.fill(i.src0, form.shape);
        const auto step = [](AluOp op, bool reverse, float x, float s) {
          return reverse && op != AluOp::kBypass ? apply(op, s, x) : apply(op, x, s);
        };
        f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
          const float first = step(op0, i.reverse0, m.get(i.src0, p, at), m.column(i.scalar0, p));
          return step(op1, i.reverse1, first, m.column(i.scalar1, p));
        });
      }
    }
  }
}

TEST_CASE("tensor_scalar: a column may be its own scalar", "[isa]") {
  Fixture f(48);
  const Shape shape = test::row_shape(100, 1);
  const Tile tile = f.tile(DType::kFp32, 0, 256, {0, 0, 0, 1});
  Instruction i = instruction(Opcode::kTensorScalar, shape, tile, tile);
  i.scalar0 = i.scalar1 = f.column(0, 256, 100);
  i.op0 = AluOp::kMult;
  i.op1 = AluOp::kAdd;
  f.check(i, [&](TileMemory& m, unsigned p, const auto& at) {
    const float x = m.get(tile, p, at);
    return x * x + x;
  });
}

TEST_CASE("tensor_reduce: folds the innermost dimensions in ascending order from the first element",
          "[isa]") {
  test::on_every_simd_target([] {
    Fixture f(49);
    for (const Form& form : kForms) {
      for (unsigned axes = 1; axes <= 4; ++axes) {
        for (const AluOp op : {AluOp::kAdd, AluOp::kMult, AluOp::kMax, AluOp::kMin}) {
          for (const auto& [from, to] :
               {std::array{DType::kFp32, DType::kFp32}, std::array{DType::kBf16, DType::kFp16}}) {
            CAPTURE(axes, int(op), isa::name_of(from));
            Instruction i = instruction(Opcode::kTensorReduce, form.shape, f.tile(to, 0, kDstAt, form.dst),
                                        f.tile(from, 0, kSrcAt, form.src));
            i.op0 = op;
            i.axes = static_cast<std::uint8_t>(axes);
            f.fill(i.src0, form.shape, op == AluOp::kMax || op == AluOp::kMin);
            TileMemory before = f.memory;
            isa::execute(i, f.memory.view());
            Shape outer = form.shape, inner = form.shape;
            inner.partitions = 1;
            for (unsigned d = 0; d < 4; ++d) (d < 4 - axes ? inner : outer).count[d] = 1;
            std::size_t wrong = 0;
            test::for_each_element(outer, [&](unsigned p, const auto& o) {
              float fold = before.get(i.src0, p, o);
              bool first = true;
              test::for_each_element(inner, [&](unsigned, const auto& n) {
                const std::array<unsigned, 4> at{o[0] + n[0], o[1] + n[1], o[2] + n[2], o[3] + n[3]};
                if (!first) fold = apply(op, fold, before.get(i.src0, p, at));
                first = false;
              });
              wrong += !same_number(f.memory.get(i.dst, p, o), rounded(to, fold));
              std::memcpy(before.at(i.dst, p, o), f.memory.at(i.dst, p, o), isa::size_of(to));
            });
            CHECK(wrong == 0);
            CHECK(f.memory.sbuf == before.sbuf);
          }
        }
      }
    }
  });
}

TEST_CASE("tensor_reduce: a NaN anywhere is the result of max and of add", "[isa]") {
  Fixture f(50);
  const Shape shape = test::row_shape(3, 40);
  Instruction i = instruction(Opcode::kTensorReduce, shape, f.tile(DType::kFp32, 0, 512, {}),
                              f.tile(DType::kFp32, 0, 0, {0, 0, 0, 1}));
  i.axes = 1;
  for (const AluOp op : {AluOp::kMax, AluOp::kMin, AluOp::kAdd}) {
    for (unsigned where = 0; where < 40; ++where) {
      f.fill(i.src0, shape, false);
      f.memory.set(i.src0, 1, {0, 0, 0, where}, std::bit_cast<float>(0xFFC00001U));
      i.op0 = op;
      isa::execute(i, f.memory.view());
      CHECK(f.memory.bits(i.dst, 1, {}) == 0x7FC00000U);
      CHECK_FALSE(std::isnan(f.memory.get(i.dst, 0, {})));
    }
  }
}

TEST_CASE("reciprocal: correctly rounded, with the infinities of zero", "[isa]") {
  Fixture f(51);
  for (const Form& form : kForms) {
    const Tile src = f.tile(DType::kFp16, 0, kSrcAt, form.src);
    f.fill(src, form.shape);
    f.check(instruction(Opcode::kReciprocal, form.shape, f.tile(DType::kFp32, 0, kDstAt, form.dst), src),
            [&](TileMemory& m, unsigned p, const auto& i) { return 1.0F / m.get(src, p, i); });
  }
}

TEST_CASE("memset: every element of the tile and no other takes the value", "[isa]") {
  Fixture f(52);
  for (const Form& form : kForms) {
    for (const DType dtype : kAll) {
      Instruction i = instruction(Opcode::kMemset, form.shape, f.tile(dtype, 0, kDstAt, form.dst));
      i.value = f.numbers.any();
      f.check(i, [&](TileMemory&, unsigned, const auto&) { return i.value; });
    }
  }
}

TEST_CASE("iota: base + channel_multiplier * p + pattern . index, in dst's dtype", "[isa]") {
  Fixture f(53);
  for (const Form& form : kForms) {
    for (const DType dtype : kAll) {
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
  Fixture f(54);
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
  Fixture f(55);
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
        return holds(op, value) ? m.get(i.src0, p, at) : i.value;
      });
    }
  }
}

TEST_CASE("affine_select: a causal mask in place keeps row p's first p + 1 columns", "[isa]") {
  Fixture f(56);
  const Tile tile = f.tile(DType::kFp32, 0, 0, {0, 0, 0, 1});
  const Shape shape = test::row_shape(128, 128);
  f.fill(tile, shape, false);
  Instruction i = instruction(Opcode::kAffineSelect, shape, tile, tile);
  i.channel_multiplier = 1;
  i.pattern = {0, 0, 0, -1};
  i.compare = CompareOp::kGe;
  i.value = -1e30F;
  f.check(
      i, [&](TileMemory& m, unsigned p, const auto& at) { return at[3] <= p ? m.get(tile, p, at) : -1e30F; });
}
