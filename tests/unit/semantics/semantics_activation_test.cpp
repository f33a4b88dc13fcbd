// SPDX-License-Identifier: Apache-2.0
// The scalar engine's instructions: activation and its sum compared with plain loops over its functions,
// which activation_error_test.cpp and activation_limits_test.cpp test.
#include <catch2/catch.hpp>
#include <cmath>

#include "isa/semantics/semantics.h"
#include "isa/simd/activation_loop.h"
#include "tests/support/bench/tile_memory.h"
#include "tests/support/reference/activation_reference.h"

namespace {

using namespace tahoma;
using isa::ActFn, isa::DType, isa::Instruction, isa::Opcode, isa::Scalar, isa::Shape, isa::Space, isa::Tile;
using test::TileMemory, test::same_bits, test::same_number;

constexpr float kAlpha = 0.25F;  // slope of prelu

float one(ActFn fn, float x) {
  float out = 0;
  isa::activation_row(fn, &x, &out, 1, kAlpha);
  return out;
}

}  // namespace

TEST_CASE("exp: exact at 0, monotonic where softmax lives, and right at its ends", "[isa]") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(one(ActFn::kExp, 0.0F) == 1.0F);
  CHECK(one(ActFn::kExp, -0.0F) == 1.0F);
  CHECK(same_bits(one(ActFn::kExp, -infinity), 0.0F));
  CHECK(one(ActFn::kExp, infinity) == infinity);
  CHECK(one(ActFn::kExp, 88.72F) < infinity);
  CHECK(one(ActFn::kExp, 88.73F) == infinity);
  CHECK(same_bits(one(ActFn::kExp, -104.0F), 0.0F));
  CHECK(one(ActFn::kExp, -103.0F) > 0.0F);
  for (int i = -8000; i < 0; ++i) {
    CHECK(one(ActFn::kExp, static_cast<float>(i) / 100.0F) <=
          one(ActFn::kExp, static_cast<float>(i + 1) / 100.0F));
  }
}

TEST_CASE("activation functions: the same bits on every SIMD target and for every length of row", "[isa]") {
  test::Numbers numbers(61);
  std::vector<float> in(1013);
  for (float& x : in) x = 20.0F * numbers.any();
  for (const ActFn fn : test::all_activations()) {
    std::vector<float> first(in.size());
    isa::activation_row(fn, in.data(), first.data(), in.size(), kAlpha);
    test::on_every_simd_target([&] {
      for (std::size_t at = 0, n = 1; at < in.size(); at += n, n = n % 23 + 1) {
        const std::size_t length = std::min(n, in.size() - at);
        std::vector<float> out(length);
        isa::activation_row(fn, in.data() + at, out.data(), length, kAlpha);
        for (std::size_t i = 0; i < length; ++i) REQUIRE(same_bits(out[i], first[at + i]));
      }
    });
  }
}

TEST_CASE("activation: fn(src * scale + bias) with one rounding, constants or columns", "[isa]") {
  test::Numbers numbers(63);
  TileMemory memory;
  const Shape shapes[] = {test::row_shape(128, 1), test::row_shape(65, 600), {9, {2, 1, 5, 7}}};
  for (const Shape& shape : shapes) {
    for (const ActFn fn : test::all_activations()) {
      for (unsigned form = 0; form < 4; ++form) {
        Instruction i;
        i.op = Opcode::kActivation;
        i.func = fn;
        i.value = kAlpha;
        i.shape = shape;
        i.src0 = {Space::kPsum, DType::kFp32, 0, 0, test::dense_strides(shape)};
        i.dst = {Space::kSbuf, form % 2 == 0 ? DType::kBf16 : DType::kFp32, 0, 8192,
                 test::dense_strides(shape)};
        i.scalar0 = form < 2 ? Scalar{false, 0.125F} : Scalar{true, 0, Space::kSbuf, 0, 64};
        i.scalar1 = form < 2 ? Scalar{true, 0, Space::kSbuf, 0, 128} : Scalar{false, -1.5F};
        test::for_each_element(shape, [&](unsigned p, const auto& at) {
          memory.set(i.src0, p, at, numbers.any());
          for (const std::uint32_t offset : {64U, 128U}) {
            memory.set({Space::kSbuf, DType::kFp32, 0, offset, {}}, p, {}, numbers.ordinary());
          }
        });
        isa::execute(i, memory.view());
        std::size_t wrong = 0;
        test::for_each_element(shape, [&](unsigned p, const auto& at) {
          const float x =
              std::fma(memory.get(i.src0, p, at), memory.column(i.scalar0, p), memory.column(i.scalar1, p));
          std::array<std::byte, 4> want{};
          isa::store_from_fp32(want.data(), i.dst.dtype, one(fn, x));
          wrong += !same_number(memory.get(i.dst, p, at), isa::load_as_fp32(want.data(), i.dst.dtype));
        });
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("activation_reduce: also sums the unrounded results of a partition in ascending order", "[isa]") {
  test::Numbers numbers(64);
  TileMemory memory;
  const Shape shapes[] = {test::row_shape(128, 1), test::row_shape(13, 1100), {5, {2, 3, 1, 9}}};
  for (const Shape& shape : shapes) {
    Instruction i;
    i.op = Opcode::kActivationReduce;
    i.func = ActFn::kExp;
    i.shape = shape;
    i.src0 = {Space::kPsum, DType::kFp32, 0, 0, test::dense_strides(shape)};
    i.dst = {Space::kSbuf, DType::kBf16, 0, 8192, test::dense_strides(shape)};
    i.result = {true, Space::kSbuf, DType::kFp32, 0, 512};
    const Tile sums{Space::kSbuf, DType::kFp32, 0, 512, {}};
    i.scalar0 = {false, 0.5F};
    i.scalar1 = {true, 0, Space::kSbuf, 0, 64};
    const Tile bias{Space::kSbuf, DType::kFp32, 0, 64, {}};
    test::for_each_element(shape, [&](unsigned p, const auto& at) {
      memory.set(i.src0, p, at, numbers.ordinary());
      memory.set(bias, p, {}, numbers.ordinary());
    });
    isa::execute(i, memory.view());
    std::vector<std::vector<float>> results(shape.partitions);
    test::for_each_element(shape, [&](unsigned p, const auto& at) {
      const float x = std::fma(memory.get(i.src0, p, at), 0.5F, memory.get(bias, p, {}));
      const float y = one(ActFn::kExp, x);
      results[p].push_back(y);
      CHECK(memory.get(i.dst, p, at) == isa::fp32_from_bf16(isa::bf16_from_fp32(y)));
    });
    for (unsigned p = 0; p < shape.partitions; ++p) {
      float sum = 0;
      for (const float x : results[p]) sum += x;
      CHECK(same_bits(memory.get(sums, p, {}), sum));
    }
  }
}

TEST_CASE("activation: works in place, as softmax uses it", "[isa]") {
  test::Numbers numbers(65);
  TileMemory memory;
  Instruction i;
  i.op = Opcode::kActivationReduce;
  i.func = ActFn::kSquare;
  i.shape = test::row_shape(20, 700);
  i.src0 = i.dst = {Space::kSbuf, DType::kFp32, 0, 1024, {0, 0, 0, 1}};
  i.result = {true, Space::kSbuf, DType::kFp32, 0, 0};
  i.scalar0 = {false, 1.0F};
  test::for_each_element(i.shape,
                         [&](unsigned p, const auto& at) { memory.set(i.src0, p, at, numbers.ordinary()); });
  TileMemory before = memory;
  isa::execute(i, memory.view());
  test::for_each_element(i.shape, [&](unsigned p, const auto& at) {
    const float x = before.get(i.src0, p, at);
    REQUIRE(memory.get(i.dst, p, at) == x * x);
  });
}
