// SPDX-License-Identifier: Apache-2.0
// Compares max8, find_index8 and match_replace8 with sorting and plain search, for all dtypes and forms of
// tiles.
#include <algorithm>

#include "tests/support/bench/partition_fixture.h"

namespace {

using namespace tahoma;
using isa::DType, isa::Instruction, isa::Opcode, isa::Shape, isa::Space, isa::Tile;
using test::counts_of, test::instruction_of, test::kTileForms, test::PartitionFixture, test::TileForm;

constexpr std::uint32_t kDstAt = 9216, kSrcAt = 2048, kValuesAt = 512, kIndexAt = 640;
const Shape kEight = test::row_shape(1, 8);

Shape eight(const Shape& shape) { return {shape.partitions, kEight.count}; }

// As documented: NaNs first, then descending, -0 after +0.
bool larger(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && !std::isnan(b);
  if (a == 0 && b == 0) return !std::signbit(a) && std::signbit(b);
  return a > b;
}

std::vector<std::int64_t> places(const std::vector<float>& data, const std::vector<float>& wanted,
                                 bool descending) {
  std::vector<bool> taken(data.size());
  std::vector<std::int64_t> place(8, -1);
  for (unsigned k = 0; k < 8; ++k) {
    const unsigned j = descending ? 7 - k : k;
    for (std::size_t i = 0; i < data.size() && place[j] < 0; ++i)
      if (!taken[i] && data[i] == wanted[j]) place[j] = static_cast<std::int64_t>(i);
    if (place[j] >= 0) taken[static_cast<std::size_t>(place[j])] = true;
  }
  return place;
}

// Numbers with many repeats, or of every kind.
std::vector<float> some_numbers(PartitionFixture& f, std::size_t n) {
  const bool few = f.numbers.below(2) == 0;
  std::vector<float> list(n);
  for (float& x : list) x = few ? static_cast<float>(f.numbers.below(9)) - 3 : f.numbers.any();
  return list;
}

Instruction max8(const Shape& shape, const Tile& dst, const Tile& src) {
  return instruction_of(Opcode::kMax8, shape, dst, src);
}

// Fills src, and values with numbers of which most occur in src; the last partitions' values repeat.
Instruction prepared(PartitionFixture& f, Opcode op, const TileForm& form, DType dtype, const Tile& dst) {
  Instruction i = instruction_of(op, form.shape, dst, f.tile(dtype, 0, kSrcAt, form.src));
  i.src1 = f.tile(f.numbers.below(2) == 0 ? dtype : DType::kFp32, 0, kValuesAt);
  for (unsigned p = 0; p < form.shape.partitions; ++p) {
    f.put(i.src0, form.shape.count, p, some_numbers(f, test::product(form.shape.count)));
    const std::vector<float> data = f.values(i.src0, form.shape.count, p);
    std::vector<float> wanted(8);
    for (float& x : wanted) {
      const bool there = f.numbers.below(5) != 0;
      x = there ? data[f.numbers.below(static_cast<unsigned>(data.size()))] : f.numbers.any();
    }
    if (p % 3 == 2) wanted[6] = wanted[1] = wanted[4];
    f.put(i.src1, counts_of(8), p, wanted);
  }
  return i;
}

}  // namespace

TEST_CASE("max8: the first 8 of the sorted elements, for all dtypes and forms", "[isa]") {
  PartitionFixture f(301);
  for (const TileForm& form : kTileForms) {
    for (const DType from : test::all_dtypes()) {
      for (const DType to : {from, DType::kFp32, DType::kBf16}) {
        const Tile src = f.tile(from, 0, kSrcAt, form.src), dst = f.tile(to, 0, kDstAt, {0, 0, 0, 2});
        for (unsigned p = 0; p < form.shape.partitions; ++p)
          f.put(src, form.shape.count, p, some_numbers(f, test::product(form.shape.count)));
        f.run(max8(form.shape, dst, src), {{dst, eight(form.shape)}});
        std::size_t wrong = 0;
        for (unsigned p = 0; p < form.shape.partitions; ++p) {
          std::vector<float> sorted = f.values(src, form.shape.count, p);
          std::stable_sort(sorted.begin(), sorted.end(), larger);
          for (float& x : sorted) x = std::isnan(x) ? std::bit_cast<float>(0x7FC00000U) : x;
          const auto found = f.bits(dst, counts_of(8), p);
          for (unsigned j = 0; j < 8; ++j) wrong += found[j] != f.stored(to, sorted[j]);
        }
        CAPTURE(isa::name_of(from), isa::name_of(to));
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("max8: 8 and 16384 elements, in place, with partition offsets, from psum", "[isa]") {
  PartitionFixture f(302);
  const Tile small = f.tile(DType::kFp32, 32, 64, {0, 0, 0, 1}, Space::kPsum);
  f.put(small, counts_of(8), 0, {3, 1, -2, 7, 5, 0, 4, 6});
  f.run(max8(kEight, small, small), {{small, kEight}});
  CHECK(f.values(small, counts_of(8), 0) == std::vector<float>{7, 6, 5, 4, 3, 1, 0, -2});

  const Tile large = f.tile(DType::kUint8, 96, 0), dst = f.tile(DType::kInt32, 64, 0);
  f.put(large, counts_of(16384), 0, {1, 2, 3});
  f.memory.set(large, 0, {0, 0, 0, 16383}, 200);
  f.memory.set(large, 0, {0, 0, 0, 0}, 100);
  f.run(max8(test::row_shape(1, 16384), dst, large), {{dst, kEight}});
  CHECK(f.bits(dst, counts_of(8), 0) == std::vector<std::uint32_t>{200, 100, 3, 3, 3, 3, 3, 3});
}

TEST_CASE("max8: every infinity, zero and NaN in its place", "[isa]") {
  PartitionFixture f(303);
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::bit_cast<float>(0xFFC12345U);
  const Tile src = f.tile(DType::kFp32, 0, 0), dst = f.tile(DType::kFp32, 0, 1024);
  const std::vector<float> data{-infinity, -0.0F, nan, 0.0F, 1e-45F, infinity, -1e-45F, -infinity, 0.0F};
  f.put(src, counts_of(9), 0, data);
  f.run(max8(test::row_shape(1, 9), dst, src), {{dst, kEight}});
  CHECK(f.bits(dst, counts_of(8), 0) == std::vector<std::uint32_t>{0x7FC00000U, 0x7F800000U, 1U, 0U, 0U,
                                                                   0x80000000U, 0x80000001U, 0xFF800000U});
}

TEST_CASE("find_index8: first positions that no earlier value took, all ones if there is none", "[isa]") {
  PartitionFixture f(304);
  std::size_t found = 0, missing = 0;
  for (const TileForm& form : kTileForms) {
    for (const DType dtype : test::all_dtypes()) {
      for (const DType index : {DType::kUint16, DType::kUint32}) {
        const Tile dst = f.tile(index, 0, kDstAt);
        const Instruction i = prepared(f, Opcode::kFindIndex8, form, dtype, dst);
        f.run(i, {{dst, eight(form.shape)}});
        const std::uint32_t none = index == DType::kUint16 ? 0xFFFFU : 0xFFFFFFFFU;
        std::size_t wrong = 0;
        for (unsigned p = 0; p < form.shape.partitions; ++p) {
          const auto want =
              places(f.values(i.src0, form.shape.count, p), f.values(i.src1, counts_of(8), p), false);
          const auto got = f.bits(dst, counts_of(8), p);
          for (unsigned j = 0; j < 8; ++j) {
            wrong += got[j] != (want[j] < 0 ? none : static_cast<std::uint32_t>(want[j]));
            ++(want[j] < 0 ? missing : found);
          }
        }
        CAPTURE(isa::name_of(dtype));
        CHECK(wrong == 0);
      }
    }
  }
  CHECK(found > 1000);
  CHECK(missing > 1000);
}

TEST_CASE("find_index8: the last of 16384 elements, -0 as 0, no NaN", "[isa]") {
  PartitionFixture f(305);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Shape shape = test::row_shape(1, 16384);
  const Tile src = f.tile(DType::kUint8, 0, 0), small = f.tile(DType::kFp32, 32, 0);
  Instruction i = instruction_of(Opcode::kFindIndex8, shape, f.tile(DType::kUint16, 96, 0), src);
  i.src1 = f.tile(DType::kFp32, 64, 0);
  f.put(src, shape.count, 0, {0});
  f.memory.set(src, 0, {0, 0, 0, 16383}, 9);
  f.put(i.src1, counts_of(8), 0, {9, 9, -0.0F, 0, 1, nan, 0.5F, 255});
  f.run(i, {{i.dst, kEight}});
  CHECK(f.bits(i.dst, counts_of(8), 0) ==
        std::vector<std::uint32_t>{16383, 0xFFFF, 0, 1, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF});

  i.src0 = small;
  i.shape = kEight;
  f.put(small, counts_of(8), 0, {nan, -0.0F, nan, 1, 1, 1, 1, 1});
  f.run(i, {{i.dst, kEight}});
  CHECK(f.bits(i.dst, counts_of(8), 0) ==
        std::vector<std::uint32_t>{0xFFFF, 0xFFFF, 1, 0xFFFF, 3, 0xFFFF, 0xFFFF, 0xFFFF});
}

TEST_CASE("match_replace8: first places from the last value down take the constant, the rest is copied",
          "[isa]") {
  PartitionFixture f(306);
  for (const TileForm& form : kTileForms) {
    for (const DType dtype : test::all_dtypes()) {
      for (const DType to : {dtype, DType::kFp32}) {
        Instruction i = prepared(f, Opcode::kMatchReplace8, form, dtype, f.tile(to, 0, kDstAt, form.dst));
        i.value = f.numbers.ordinary();
        const bool with_index = f.numbers.below(3) != 0;
        if (with_index) i.result = {true, Space::kSbuf, DType::kUint16, 0, kIndexAt};
        const Tile index = f.tile(DType::kUint16, 0, kIndexAt);
        const Shape index_shape = with_index ? eight(form.shape) : kEight;
        f.run(i, {{i.dst, form.shape}, {with_index ? index : i.dst, index_shape}});
        std::size_t wrong = 0;
        for (unsigned p = 0; p < form.shape.partitions; ++p) {
          const auto data = f.values(i.src0, form.shape.count, p);
          const auto want = places(data, f.values(i.src1, counts_of(8), p), true);
          auto result = f.bits(i.src0, form.shape.count, p);
          for (std::size_t k = 0; k < data.size(); ++k)
            if (to != dtype) result[k] = f.stored(to, data[k]);
          for (const std::int64_t k : want)
            if (k >= 0) result[static_cast<std::size_t>(k)] = f.stored(to, i.value);
          wrong += f.bits(i.dst, form.shape.count, p) != result;
          if (!with_index) continue;
          const auto got = f.bits(index, counts_of(8), p);
          for (unsigned j = 0; j < 8; ++j) wrong += got[j] != (static_cast<std::uint32_t>(want[j]) & 0xFFFFU);
        }
        CAPTURE(isa::name_of(dtype), isa::name_of(to));
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("match_replace8: the published example of repeated values, in place", "[isa]") {
  PartitionFixture f(307);
  const Tile data = f.tile(DType::kFp32, 0, 0);
  Instruction i = instruction_of(Opcode::kMatchReplace8, test::row_shape(1, 11), data, data);
  i.src1 = f.tile(DType::kFp32, 0, 256);
  i.result = {true, Space::kSbuf, DType::kUint32, 0, 512};
  i.value = -1;
  f.put(data, counts_of(11), 0, {1, 2, 3, 4, 8, 8, 8, 8, 8, 8, 8});
  f.put(i.src1, counts_of(8), 0, {3, 8, 8, 8, 8, 8, 8, 8});
  isa::execute(i, f.view());
  CHECK(f.bits(f.tile(DType::kUint32, 0, 512), counts_of(8), 0) ==
        std::vector<std::uint32_t>{2, 10, 9, 8, 7, 6, 5, 4});
  CHECK(f.values(data, counts_of(11), 0) == std::vector<float>{1, 2, -1, 4, -1, -1, -1, -1, -1, -1, -1});
}

TEST_CASE("match_replace8: integers beyond 2^24 and NaNs keep their bits", "[isa]") {
  PartitionFixture f(308);
  const Tile data = f.tile(DType::kInt32, 0, 0), floats = f.tile(DType::kFp32, 0, 64);
  Instruction i = instruction_of(Opcode::kMatchReplace8, kEight, data, data);
  i.src1 = f.tile(DType::kFp32, 0, 256);
  f.put(i.src1, counts_of(8), 0, {5});
  const std::vector<std::uint32_t> integers{5, 16777217, 0x80000001U, 0x7FFFFFFFU, 7, 8, 9, 10};
  f.put_bits(data, counts_of(8), 0, integers);
  isa::execute(i, f.view());
  auto expected = integers;
  expected[0] = 0;
  CHECK(f.bits(data, counts_of(8), 0) == expected);
  i.dst = i.src0 = floats;
  const std::vector<std::uint32_t> odd{0x7F812345U, 0xFFC54321U, 0x80000000U, 1, 2, 3, 4, 5};
  f.put_bits(floats, counts_of(8), 0, odd);
  isa::execute(i, f.view());
  CHECK(f.bits(floats, counts_of(8), 0) == odd);
}

TEST_CASE("searches: a core that rounds stochastically rounds their results, in order", "[isa]") {
  PartitionFixture f(310);
  const Tile src = f.tile(DType::kFp32, 0, 0), dst = f.tile(DType::kBf16, 0, 2048),
             data = f.tile(DType::kBf16, 0, 512);
  isa::Rounding rounding{99, 5}, expected = rounding;
  isa::CoreView view = f.view();
  view.rounding = &rounding;
  const auto next = [&](float value) {
    std::uint32_t word = 0;
    isa::store_rounded(reinterpret_cast<std::byte*>(&word), DType::kBf16, value, &expected);
    return word;
  };
  for (unsigned p = 0; p < 2; ++p) f.put(src, counts_of(8), p, {1.001F});
  isa::execute(max8(test::row_shape(2, 8), dst, src), view);
  for (unsigned p = 0; p < 2; ++p)
    for (const std::uint32_t got : f.bits(dst, counts_of(8), p)) CHECK(got == next(1.001F));
  CHECK(rounding.position == 5 + 16);

  // Within one dtype only the constant rounds, at and below the position of the last value.
  Instruction i = instruction_of(Opcode::kMatchReplace8, kEight, data, data);
  i.src1 = f.tile(DType::kFp32, 0, 4096);
  i.value = 1.001F;
  f.put(data, counts_of(8), 0, {3, 4, 5, 6, 7, 8, 9, 10});
  f.put(i.src1, counts_of(8), 0, {10, 9, 0, 0, 0, 0, 0, 3});
  isa::execute(i, view);
  const auto got = f.bits(data, counts_of(8), 0);
  for (const unsigned k : {0U, 6U, 7U}) CHECK(got[k] == next(1.001F));
  CHECK(rounding.position == expected.position);
}

TEST_CASE("searches: rounds of max8 and match_replace8 sort a row", "[isa]") {
  PartitionFixture f(309);
  const Tile data = f.tile(DType::kBf16, 0, 0), best = f.tile(DType::kBf16, 0, 4096);
  const Shape shape = test::row_shape(3, 64);
  for (unsigned p = 0; p < 3; ++p) {
    std::vector<float> row(64);
    for (float& x : row) x = f.numbers.ordinary();
    f.put(data, shape.count, p, row);
  }
  std::vector<std::vector<float>> sorted(3), original;
  for (unsigned p = 0; p < 3; ++p) original.push_back(f.values(data, shape.count, p));
  for (unsigned round = 0; round < 8; ++round) {
    isa::execute(max8(shape, best, data), f.view());
    Instruction i = instruction_of(Opcode::kMatchReplace8, shape, data, data);
    i.src1 = best;
    i.value = -std::numeric_limits<float>::infinity();
    isa::execute(i, f.view());
    for (unsigned p = 0; p < 3; ++p)
      for (const float x : f.values(best, counts_of(8), p)) sorted[p].push_back(x);
  }
  for (unsigned p = 0; p < 3; ++p) {
    std::sort(original[p].begin(), original[p].end(), std::greater<>());
    CHECK(sorted[p] == original[p]);
  }
}
