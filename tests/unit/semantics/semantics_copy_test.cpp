// SPDX-License-Identifier: Apache-2.0
// Compares tensor_copy, tensor_copy_predicated and memset with plain loops over elements, for all dtypes and
// tiles of every form; also tests this comparison.
#include "isa/semantics/semantics.h"
#include "tests/support/bench/tile_forms.h"

namespace {

using namespace tahoma;
using isa::AluOp, isa::DType, isa::Instruction, isa::Opcode, isa::Shape, isa::Space, isa::Tile;
using namespace tahoma::test;

}  // namespace

TEST_CASE("tile fixture: finds one wrong element, and one written outside the tile", "[isa]") {
  TileFixture f(40);
  const Shape shape = row_shape(4, 30);
  const Tile src = f.tile(DType::kFp32, 0, kSrcAt, {0, 0, 0, 1}),
             dst = f.tile(DType::kBf16, 0, kDstAt, {0, 0, 0, 1});
  const Instruction i = instruction(Opcode::kTensorCopy, shape, dst, src);
  f.fill(src, shape, false);
  const auto copy = [&](TileMemory& m, unsigned p, const auto& at) { return number_at(m, src, p, at); };
  CHECK(f.wrong_numbers(i, copy) == 0);
  CHECK(f.wrong_numbers(i, [&](TileMemory& m, unsigned p, const auto& at) {
    return copy(m, p, at) * (p == 2 && at[3] == 29 ? 1.01F : 1.0F);
  }) == 1);
  Instruction beside = i;  // also writes a column
  beside.op = Opcode::kTensorScalarReduce;
  beside.op1 = AluOp::kAdd;
  beside.result = {true, Space::kSbuf, DType::kFp32, 0, 0};
  CHECK(f.wrong_numbers(beside, copy) == 1);
}

TEST_CASE("tensor_copy: converts between all dtypes for any form of the tiles", "[isa]") {
  TileFixture f(41);
  std::size_t n = 0;
  for (const DType from : kAllDTypes) {
    for (const DType to : kAllDTypes) {
      for (unsigned turn = 0; turn < 2; ++turn) {
        CAPTURE(isa::name_of(from), isa::name_of(to), n);
        const Form& form = kForms[n++ % std::size(kForms)];
        const Tile src = f.tile(from, 0, kSrcAt, form.src), dst = f.tile(to, 0, kDstAt, form.dst);
        f.fill(src, form.shape);
        f.check(instruction(Opcode::kTensorCopy, form.shape, dst, src),
                [&](TileMemory& m, unsigned p, const auto& i) { return number_at(m, src, p, i); });
      }
    }
  }
}

TEST_CASE("tensor_copy_predicated: moves the bits where the predicate holds and leaves the others", "[isa]") {
  TileFixture f(57);
  unsigned n = 0;
  for (const Form& form : kForms) {
    for (const DType chooser : {DType::kUint8, DType::kUint16, DType::kUint32}) {
      for (const DType dtype : kAllDTypes) {
        Instruction i = instruction(Opcode::kTensorCopyPredicated, form.shape,
                                    f.tile(dtype, 0, kDstAt, form.dst), f.tile(dtype, 0, kSrcAt, form.src));
        i.src1 = f.tile(chooser, 0, kOtherAt, form.src);
        i.reverse0 = ++n % 2 == 0;
        f.fill_bits(i.src0, form.shape);
        f.fill_bits(i.dst, form.shape);
        for_each_element(form.shape, [&](unsigned p, const auto& at) {  // any nonzero bit suffices
          const std::uint32_t bits = f.numbers.below(2)
                                     << f.numbers.below(static_cast<unsigned>(8 * isa::size_of(chooser)));
          std::memcpy(f.memory.at(i.src1, p, at), &bits, isa::size_of(chooser));
        });
        f.check_bits(i, [&](TileMemory& m, unsigned p, const auto& at) {
          return (m.bits(i.src1, p, at) != 0) != i.reverse0 ? m.bits(i.src0, p, at) : m.bits(i.dst, p, at);
        });
      }
    }
  }
}

TEST_CASE("tensor_copy: equal dtypes keep every bit, of integers beyond 2^24 and of signalling NaNs",
          "[isa]") {
  TileFixture f(42);
  for (const DType dtype : kAllDTypes) {
    for (const Form& form : kForms) {
      const Tile src = f.tile(dtype, 0, kSrcAt, form.src), dst = f.tile(dtype, 0, kDstAt, form.dst);
      test::for_each_element(form.shape, [&](unsigned p, const auto& i) {
        const std::uint32_t bits = f.numbers.word();
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
  TileFixture f(43);
  const Shape shape = test::row_shape(32, 50);
  const Tile src = f.tile(DType::kBf16, 96, kSrcAt, {0, 0, 0, 1});
  const Tile psum{Space::kPsum, DType::kFp32, 32, 64, {0, 0, 0, 1}};
  f.fill(src, shape);
  f.check(instruction(Opcode::kTensorCopy, shape, psum, src),
          [&](TileMemory& m, unsigned p, const auto& i) { return number_at(m, src, p, i); });
  f.check(instruction(Opcode::kTensorCopy, shape, f.tile(DType::kFp16, 0, kDstAt, {0, 0, 0, 1}), psum),
          [&](TileMemory& m, unsigned p, const auto& i) { return number_at(m, psum, p, i); });
}

TEST_CASE("memset: every element of the tile and no other takes the value", "[isa]") {
  TileFixture f(52);
  for (const Form& form : kForms) {
    for (const DType dtype : kAllDTypes) {
      Instruction i = instruction(Opcode::kMemset, form.shape, f.tile(dtype, 0, kDstAt, form.dst));
      i.value = f.numbers.any();
      f.check(i, [&](TileMemory&, unsigned, const auto&) { return i.value; });
    }
  }
}
