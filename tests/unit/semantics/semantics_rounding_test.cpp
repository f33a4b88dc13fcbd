// SPDX-License-Identifier: Apache-2.0
// Stochastic rounding by instructions: the words of the stream are assigned to the elements in ascending
// index order, partitions outermost; the tensor engine and transfers use none.
#include <catch2/catch.hpp>
#include <vector>

#include "isa/semantics/semantics.h"
#include "tests/support/bench/tile_memory.h"

namespace {

using namespace tahoma;
using isa::DType, isa::Instruction, isa::Opcode, isa::Rounding, isa::Shape, isa::Space, isa::Tile;
using test::TileMemory;

constexpr std::uint32_t kKey = 99, kStart = 1000;
constexpr DType kNarrow[] = {DType::kBf16,    DType::kFp16,    DType::kTf32,
                             DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp8E3M4};

struct Form {
  Shape shape;
  std::array<std::int16_t, 4> src, dst;
};
const Form kForms[] = {
    {test::row_shape(5, 700), {0, 0, 0, 1}, {0, 0, 0, 1}},  // rows of several pieces
    {test::row_shape(128, 2), {0, 0, 0, 1}, {0, 0, 0, 1}},  // short rows of many partitions
    {{3, {1, 2, 50, 3}}, {0, 150, 3, 1}, {0, 150, 1, 50}},  // transposing: no long common row
    {{9, {2, 3, 4, 5}}, {60, 20, 5, 1}, {240, 80, 20, 2}},  // scattering
};

std::uint32_t elements(const Shape& s) {
  return std::uint32_t{s.partitions} * s.count[0] * s.count[1] * s.count[2] * s.count[3];
}

Tile tile(DType dtype, std::uint32_t offset, const std::array<std::int16_t, 4>& stride) {
  return {Space::kSbuf, dtype, 0, offset, stride};
}

// An element-wise instruction from fp32 at byte 0 to `dtype` in the upper half of each partition.
Instruction instruction(Opcode op, DType dtype, const Form& form) {
  Instruction i;
  i.op = op;
  i.shape = form.shape;
  i.src0 = tile(DType::kFp32, 0, form.src);
  i.dst = tile(dtype, test::kSbufStride / 2, form.dst);
  i.op0 = isa::AluOp::kAdd;
  i.op1 = isa::AluOp::kBypass;
  i.func = isa::ActFn::kCopy;
  i.scalar0.imm = op == Opcode::kActivation || op == Opcode::kActivationReduce ? 1.0F : 0.0F;
  return i;
}

void fill(TileMemory& memory, const Form& form, test::Numbers& numbers) {
  const Tile src = tile(DType::kFp32, 0, form.src);
  test::for_each_element(
      form.shape, [&](unsigned p, const auto& index) { memory.set(src, p, index, numbers.ordinary()); });
}

std::uint32_t stored(DType dtype, float value, Rounding& rounding) {
  std::array<std::byte, 4> bytes{};
  isa::store_rounded(bytes.data(), dtype, value, &rounding);
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data(), 4);
  return word;
}

// Runs an instruction whose results are the numbers of src0 and compares every element with the stream.
void check_order(Opcode op, DType dtype, const Form& form) {
  test::Numbers numbers(3);
  TileMemory memory;
  fill(memory, form, numbers);
  Instruction i = instruction(op, dtype, form);
  i.src1 = tile(DType::kFp32, test::kSbufStride - 4, {0, 0, 0, 0});  // activation_reduce's sums
  Rounding got{kKey, kStart}, want{kKey, kStart};
  isa::CoreView view = memory.view();
  view.rounding = &got;
  isa::execute(i, view);
  unsigned wrong = 0;
  test::for_each_element(form.shape, [&](unsigned p, const auto& index) {
    wrong += memory.bits(i.dst, p, index) != stored(dtype, memory.get(i.src0, p, index), want);
  });
  CHECK(wrong == 0);
  CHECK(got.position == kStart + elements(form.shape));
}

}  // namespace

TEST_CASE("stochastic instructions: words go to elements in ascending index order", "[isa]") {
  for (const Opcode op :
       {Opcode::kTensorCopy, Opcode::kTensorScalar, Opcode::kActivation, Opcode::kActivationReduce}) {
    for (const DType dtype : kNarrow) {
      for (const Form& form : kForms) {
        CAPTURE(static_cast<int>(op), isa::name_of(dtype), form.shape.count);
        check_order(op, dtype, form);
      }
    }
  }
}

TEST_CASE("stochastic instructions: memset, iota and reductions take a word per result", "[isa]") {
  const Form& form = kForms[3];
  for (const DType dtype : kNarrow) {
    CAPTURE(isa::name_of(dtype));
    TileMemory memory;
    test::Numbers numbers(4);
    fill(memory, form, numbers);
    isa::CoreView view = memory.view();

    Instruction i = instruction(Opcode::kMemset, dtype, form);
    i.value = 0.3F;
    Rounding got{kKey, kStart}, want{kKey, kStart};
    view.rounding = &got;
    isa::execute(i, view);
    unsigned wrong = 0;
    test::for_each_element(form.shape, [&](unsigned p, const auto& index) {
      wrong += memory.bits(i.dst, p, index) != stored(dtype, 0.3F, want);
    });

    i = instruction(Opcode::kIota, dtype, form);
    i.pattern = {0, 0, 0, 2999};
    isa::execute(i, view);
    test::for_each_element(form.shape, [&](unsigned p, const auto& index) {
      wrong += memory.bits(i.dst, p, index) != stored(dtype, static_cast<float>(2999 * index[3]), want);
    });

    i = instruction(Opcode::kTensorReduce, dtype, form);
    i.op0 = isa::AluOp::kMax;
    i.axes = 1;
    isa::execute(i, view);
    test::for_each_element(form.shape, [&](unsigned p, const auto& index) {
      if (index[3] != 0) return;
      float most = memory.get(i.src0, p, index);
      for (unsigned k = 1; k < form.shape.count[3]; ++k) {
        most = std::fmax(most, memory.get(i.src0, p, {index[0], index[1], index[2], k}));
      }
      wrong += memory.bits(i.dst, p, index) != stored(dtype, most, want);
    });
    CHECK(wrong == 0);
    CHECK(got.position == want.position);
  }
}

TEST_CASE("stochastic instructions: bit copies, fp32 and integers take no words", "[isa]") {
  TileMemory memory;
  test::Numbers numbers(5);
  const Form& form = kForms[0];
  fill(memory, form, numbers);
  Rounding rounding{kKey, kStart};
  isa::CoreView view = memory.view();
  view.rounding = &rounding;
  for (const DType dtype : {DType::kFp32, DType::kInt32, DType::kUint32, DType::kInt16, DType::kUint16,
                            DType::kInt8, DType::kUint8}) {
    isa::execute(instruction(Opcode::kActivation, dtype, form), view);
  }
  for (const DType dtype : kNarrow) {
    Instruction copy = instruction(Opcode::kTensorCopy, dtype, form);
    copy.src0.dtype = dtype;
    isa::execute(copy, view);
  }
  CHECK(rounding.position == kStart);
}

TEST_CASE("stochastic instructions: the tensor engine and transfers round to nearest and take no words",
          "[isa]") {
  test::Numbers numbers(6);
  TileMemory plain;
  const Form form{test::row_shape(32, 64), {0, 0, 0, 1}, {0, 0, 0, 1}};
  fill(plain, form, numbers);
  TileMemory stochastic = plain;
  Rounding rounding{kKey, kStart};
  const auto run = [&](TileMemory& memory, Rounding* with) {
    isa::CoreView view = memory.view();
    view.rounding = with;
    Instruction i = instruction(Opcode::kLoadWeights, DType::kFp32, form);
    isa::execute(i, view);
    i = instruction(Opcode::kMatmul, DType::kBf16, form);
    i.columns = 64;
    i.dst.space = Space::kPsum;
    i.dst.offset = 0;
    isa::execute(i, view);
    i.op = Opcode::kTranspose;
    i.dst.dtype = DType::kFp32;
    i.dst.offset = 1024;
    isa::execute(i, view);
    isa::Descriptor d;
    d.count = {32, 1, 1, 64};
    d.src = {Space::kSbuf, DType::kFp32, 0, isa::kNone, 0, 0, {0, 0, 0, 1}};
    d.dst = {Space::kSbuf, DType::kBf16, 0, isa::kNone, 0, 4096, {0, 0, 0, 1}};
    isa::execute_dma(d, view, nullptr, nullptr);
    d.accumulate = true;
    isa::execute_dma(d, view, nullptr, nullptr);
  };
  run(plain, nullptr);
  run(stochastic, &rounding);
  CHECK((plain.psum == stochastic.psum));
  CHECK((plain.sbuf == stochastic.sbuf));
  CHECK(rounding.position == kStart);
}
