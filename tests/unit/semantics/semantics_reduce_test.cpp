// SPDX-License-Identifier: Apache-2.0
// Compares tensor_reduce with plain loops: every legal reduction, all dtypes, tiles of every form.
#include "isa/semantics/semantics.h"
#include "tests/support/bench/tile_forms.h"

namespace {

using namespace tahoma;
using isa::AluOp, isa::DType, isa::Instruction, isa::Opcode, isa::Shape, isa::Tile;
using namespace tahoma::test;

constexpr AluOp kArithmeticFolds[] = {AluOp::kAdd, AluOp::kSubtract,   AluOp::kMult,      AluOp::kMax,
                                      AluOp::kMin, AluOp::kLogicalAnd, AluOp::kLogicalOr, AluOp::kLogicalXor};

// Checks right(memory before, p, ascending indices of the elements of one fold) for every fold; only the
// results at the first index of each may have changed.
template <class Right>
void check_reduction(TileFixture& f, const Instruction& i, Right right) {
  TileMemory before = f.memory;
  isa::execute(i, f.memory.view());
  Shape outer = i.shape, inner = i.shape;
  inner.partitions = 1;
  for (unsigned d = 0; d < 4; ++d) (d < 4U - i.axes ? inner : outer).count[d] = 1;
  std::size_t wrong = 0;
  for_each_element(outer, [&](unsigned p, const auto& o) {
    std::vector<std::array<unsigned, 4>> elements;
    for_each_element(inner, [&](unsigned, const auto& n) {
      elements.push_back({o[0] + n[0], o[1] + n[1], o[2] + n[2], o[3] + n[3]});
    });
    wrong += !right(before, p, elements);
    std::memcpy(before.at(i.dst, p, o), f.memory.at(i.dst, p, o), isa::size_of(i.dst.dtype));
  });
  CHECK(wrong == 0);
  CHECK(same_bytes(f.memory, before));
}

}  // namespace

TEST_CASE("tensor_reduce: folds the innermost dimensions in ascending order from the first element",
          "[isa]") {
  test::on_every_simd_target([] {
    TileFixture f(49);
    unsigned n = 0;
    for (unsigned axes = 1; axes <= 4; ++axes) {
      for (const AluOp op : kArithmeticFolds) {
        for (unsigned turn = 0; turn < 3; ++turn) {
          const Form& form = kForms[n % std::size(kForms)];
          const DType from = kAllDTypes[n * 3 % 13], to = kAllDTypes[n % 13];
          CAPTURE(axes, int(op), isa::name_of(from), isa::name_of(to));
          Instruction i = instruction(Opcode::kTensorReduce, form.shape, f.tile(to, 0, kDstAt, form.dst),
                                      f.tile(from, 0, kSrcAt, form.src));
          i.op0 = op;
          i.axes = static_cast<std::uint8_t>(axes);
          i.negate = n++ % 3 == 0;
          f.fill(i.src0, form.shape, n % 2 == 0);
          check_reduction(f, i, [&](TileMemory& m, unsigned p, const auto& elements) {
            float fold = number_at(m, i.src0, p, elements[0]);
            for (std::size_t k = 1; k < elements.size(); ++k)
              fold = apply(op, fold, number_at(m, i.src0, p, elements[k]));
            fold = stored(to, i.negate ? -fold : fold);
            return same_number(number_at(f.memory, i.dst, p, elements[0]), fold);
          });
        }
      }
    }
  });
}

TEST_CASE("tensor_reduce: bit operations fold the bits of integers", "[isa]") {
  TileFixture f(51);
  unsigned n = 0;
  for (const DType dtype :
       {DType::kInt8, DType::kUint8, DType::kInt16, DType::kUint16, DType::kInt32, DType::kUint32}) {
    for (const AluOp op : {AluOp::kBitwiseAnd, AluOp::kBitwiseOr, AluOp::kBitwiseXor}) {
      for (unsigned axes = 1; axes <= 4; ++axes) {
        const Form& form = kForms[n++ % std::size(kForms)];
        CAPTURE(axes, int(op), isa::name_of(dtype));
        Instruction i = instruction(Opcode::kTensorReduce, form.shape, f.tile(dtype, 0, kDstAt, form.dst),
                                    f.tile(dtype, 0, kSrcAt, form.src));
        i.op0 = op;
        i.axes = static_cast<std::uint8_t>(axes);
        f.fill_bits(i.src0, form.shape);
        check_reduction(f, i, [&](TileMemory& m, unsigned p, const auto& elements) {
          std::uint32_t fold = m.bits(i.src0, p, elements[0]);
          for (std::size_t k = 1; k < elements.size(); ++k) {
            fold = apply_bits(op, fold, m.bits(i.src0, p, elements[k]), 32);
          }
          return f.memory.bits(i.dst, p, elements[0]) == fold;
        });
      }
    }
  }
}

TEST_CASE("tensor_reduce: a minus b minus c, and the sign of a negated zero and NaN", "[isa]") {
  TileFixture f(53);
  const Shape shape = row_shape(1, 3);
  Instruction i = instruction(Opcode::kTensorReduce, shape, f.tile(DType::kFp32, 0, 512, {}),
                              f.tile(DType::kFp32, 0, 0, {0, 0, 0, 1}));
  i.axes = 1;
  const auto result = [&](AluOp op, bool negate, float a, float b, float c) {
    const float values[] = {a, b, c};
    for (unsigned k = 0; k < 3; ++k) f.memory.set(i.src0, 0, {0, 0, 0, k}, values[k]);
    i.op0 = op;
    i.negate = negate;
    isa::execute(i, f.memory.view());
    return f.memory.bits(i.dst, 0, {});
  };
  CHECK(result(AluOp::kSubtract, false, 10, 3, 5) == std::bit_cast<std::uint32_t>(2.0F));
  CHECK(result(AluOp::kAdd, false, -0.0F, -0.0F, -0.0F) == 0x80000000U);
  CHECK(result(AluOp::kAdd, true, 1, -1, 0) == 0x80000000U);
  CHECK(result(AluOp::kAdd, true, NAN, 1, 2) == 0x7FC00000U);
  CHECK(result(AluOp::kLogicalXor, true, 1, 0, 0) == std::bit_cast<std::uint32_t>(-1.0F));
}

TEST_CASE("tensor_reduce: a NaN anywhere is the result of max and of add", "[isa]") {
  TileFixture f(50);
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
