// SPDX-License-Identifier: Apache-2.0
// Conversions between all pairs of dtypes, as in tensor_copy and transfers: they go through fp32, which
// single elements define (isa/core/dtype.h); between equal dtypes the bits are unchanged.
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "isa/semantics/semantics.h"
#include "tests/support/bench/tile_memory.h"

namespace {

using namespace tahoma;
using isa::DType, isa::Space;

constexpr unsigned kElements = 1500;  // several pieces of a row

struct Case {
  DType from, to;
  int step;  // distance of the elements of either row
};

template <class F>
void for_each_case(F&& f) {
  for (std::size_t from = 0; from < isa::kDTypeCount; ++from) {
    for (std::size_t to = 0; to < isa::kDTypeCount; ++to) {
      for (const int step : {1, 2}) f(Case{static_cast<DType>(from), static_cast<DType>(to), step});
    }
  }
}

// Rows of any bits. With 8 and 16 bits most patterns occur, NaNs and infinities included; with 32 bits,
// numbers of every exponent.
std::vector<std::byte> any_bits(const Case& c, std::mt19937& engine) {
  std::vector<std::byte> row(kElements * isa::size_of(c.from) * static_cast<std::size_t>(c.step));
  for (std::byte& b : row) b = static_cast<std::byte>(engine());
  return row;
}

std::size_t at(std::size_t element, DType dtype, int step) {
  return element * isa::size_of(dtype) * static_cast<std::size_t>(step);
}

// The expected contents of the destination, given its previous contents.
std::vector<std::byte> converted(const Case& c, const std::vector<std::byte>& src,
                                 std::vector<std::byte> dst) {
  for (std::size_t i = 0; i < kElements; ++i) {
    const std::byte* from = src.data() + at(i, c.from, c.step);
    std::byte* to = dst.data() + at(i, c.to, c.step);
    if (c.from == c.to) {
      std::memcpy(to, from, isa::size_of(c.to));
    } else {
      isa::store_from_fp32(to, c.to, isa::load_as_fp32(from, c.from));
    }
  }
  return dst;
}

std::vector<std::byte> untouched(const Case& c) {
  return std::vector<std::byte>(kElements * isa::size_of(c.to) * static_cast<std::size_t>(c.step),
                                std::byte{0x5A});
}

}  // namespace

TEST_CASE("conversion: tensor_copy between every pair of dtypes", "[isa]") {
  constexpr unsigned seed = 41;
  CAPTURE(seed);
  std::mt19937 engine(seed);
  test::TileMemory memory;
  for_each_case([&](const Case& c) {
    CAPTURE(isa::name_of(c.from), isa::name_of(c.to), c.step);
    const std::vector<std::byte> src = any_bits(c, engine), before = untouched(c);
    isa::Instruction i;
    i.op = isa::Opcode::kTensorCopy;
    i.shape = test::row_shape(1, kElements);
    const auto step = static_cast<std::int16_t>(c.step);
    i.src0 = {Space::kSbuf, c.from, 0, 0, {0, 0, 0, step}};
    i.dst = {Space::kSbuf, c.to, 1, 0, {0, 0, 0, step}};
    std::copy(src.begin(), src.end(), memory.sbuf.begin());
    std::byte* dst = memory.sbuf.data() + test::kSbufStride;
    std::copy(before.begin(), before.end(), dst);
    isa::execute(i, memory.view());
    CHECK((std::vector<std::byte>(dst, dst + before.size()) == converted(c, src, before)));
  });
}

TEST_CASE("conversion: transfers between every pair of dtypes", "[isa]") {
  constexpr unsigned seed = 42;
  CAPTURE(seed);
  std::mt19937 engine(seed);
  test::TileMemory memory;
  for_each_case([&](const Case& c) {
    CAPTURE(isa::name_of(c.from), isa::name_of(c.to), c.step);
    const std::vector<std::byte> src = any_bits(c, engine), before = untouched(c);
    std::vector<std::byte> dst = before;
    isa::Descriptor d;
    d.count = {1, 1, 1, kElements};
    d.src = {Space::kHbm, c.from, 0, isa::kNone, 0, 0, {0, 0, 0, c.step}};
    d.dst = {Space::kHbm, c.to, 0, isa::kNone, 0, 0, {0, 0, 0, c.step}};
    isa::execute_dma(d, memory.view(), dst.data(), src.data());
    CHECK((dst == converted(c, src, before)));
  });
}

TEST_CASE("conversion: 32-bit integers pass whole between equal dtypes and rounded to fp32 otherwise",
          "[isa]") {
  test::TileMemory memory;
  const std::int32_t value = 16777217;
  std::memcpy(memory.sbuf.data(), &value, 4);
  isa::Instruction i;
  i.op = isa::Opcode::kTensorCopy;
  i.shape = test::row_shape(1, 1);
  i.src0 = {Space::kSbuf, DType::kInt32, 0, 0, {0, 0, 0, 1}};
  const auto copied_as = [&](DType dtype) {
    i.dst = {Space::kSbuf, dtype, 1, 0, {0, 0, 0, 1}};
    isa::execute(i, memory.view());
    std::uint32_t got = 0;
    std::memcpy(&got, memory.sbuf.data() + test::kSbufStride, 4);
    return got;
  };
  CHECK(copied_as(DType::kInt32) == 16777217);
  CHECK(copied_as(DType::kUint32) == 16777216);
}
