// SPDX-License-Identifier: Apache-2.0
// Compares tensor_partition_reduce, sequence_bounds, nonzero_with_count and topk with plain loops and
// sorting.
#include <algorithm>
#include <cmath>

#include "tests/support/bench/partition_fixture.h"

namespace {

using namespace tahoma;
using isa::AluOp, isa::DType, isa::Instruction, isa::Opcode, isa::Shape, isa::Tile;
using test::counts_of, test::instruction_of, test::kTileForms, test::PartitionFixture, test::TileForm;

constexpr std::uint32_t kDstAt = 9216, kSrcAt = 2048;
constexpr DType kIntegers[] = {DType::kInt8,   DType::kUint8, DType::kInt16,
                               DType::kUint16, DType::kInt32, DType::kUint32};

// Each addition rounded once; max as in IEEE 754-2019.
float folded(AluOp op, float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return NAN;
  if (op == AluOp::kAdd) return static_cast<float>(double{a} + double{b});
  if (a == 0 && b == 0) return std::signbit(a) && std::signbit(b) ? -0.0F : 0.0F;
  return std::max(a, b);
}

Instruction partition_reduce(const Shape& shape, AluOp op, const Tile& dst, const Tile& src) {
  Instruction i = instruction_of(Opcode::kTensorPartitionReduce, shape, dst, src);
  i.op0 = op;
  return i;
}

// A row of segment numbers: runs of random lengths, padding here and there.
std::vector<float> segments(PartitionFixture& f, unsigned n) {
  std::vector<float> ids;
  float id = 0;
  while (ids.size() < n) {
    const float now = f.numbers.below(3) == 0 ? 0 : ++id;
    ids.insert(ids.end(), 1 + f.numbers.below(9), now);
  }
  ids.resize(n);
  return ids;
}

struct TopkCase {
  unsigned partitions, columns, n, k;
};

Instruction topk(PartitionFixture& f, const TopkCase& c) {
  Instruction i = instruction_of(Opcode::kTopk, test::row_shape(c.partitions, c.columns),
                                 f.tile(DType::kBf16, 0, kDstAt), f.tile(DType::kBf16, 0, 0));
  i.src1 = f.tile(DType::kUint32, 0, 12288);
  i.extent = c.n;
  i.valid = c.k;
  return i;
}

// Ascending; NaNs last; by index among equals.
bool before(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
  return a < b;
}

void check_topk(PartitionFixture& f, const Instruction& i) {
  const unsigned columns = (i.valid + 15) / 16;
  const Shape result{i.shape.partitions, counts_of(columns)};
  f.run(i, {{i.dst, result}, {i.src1, result}});
  std::size_t wrong = 0;
  for (unsigned group = 0; group < i.shape.partitions; group += 16) {
    std::vector<std::vector<float>> rows;
    for (unsigned p = 0; p < 16; ++p) rows.push_back(f.values(i.src0, i.shape.count, group + p));
    std::vector<unsigned> order(i.extent);
    for (unsigned e = 0; e < i.extent; ++e) order[e] = e;
    const auto value = [&](unsigned e) { return rows[e % 16][e / 16]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](unsigned a, unsigned b) { return before(value(a), value(b)); });
    for (unsigned number = 0; number < 16 * columns; ++number) {
      const std::array<unsigned, 4> at{0, 0, 0, number / 16};
      const unsigned p = group + number % 16;
      const std::uint32_t index = f.memory.bits(i.src1, p, at), bits = f.memory.bits(i.dst, p, at);
      if (number >= i.valid) {
        wrong += index != 0xFFFFFFFFU || bits != 0;
        continue;
      }
      const unsigned want = order[i.extent - i.valid + number];
      wrong += index != want || bits != f.bits(i.src0, i.shape.count, group + want % 16)[want / 16];
    }
  }
  CAPTURE(i.extent, i.valid);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("tensor_partition_reduce: ascending from the first partition in fp32, for all dtypes and forms",
          "[isa]") {
  PartitionFixture f(351);
  for (const TileForm& form : kTileForms) {
    for (const DType from : test::all_dtypes()) {
      for (const AluOp op : {AluOp::kAdd, AluOp::kMax}) {
        const DType to = f.numbers.below(2) == 0 ? from : DType::kFp32;
        const Tile src = f.tile(from, 0, kSrcAt, form.src), dst = f.tile(to, 96, kDstAt, form.dst);
        test::for_each_element(form.shape, [&](unsigned p, const auto& at) {
          f.memory.set(src, p, at, f.numbers.below(50) == 0 ? f.numbers.any() : f.numbers.ordinary());
        });
        f.run(partition_reduce(form.shape, op, dst, src), {{dst, {1, form.shape.count}}});
        std::size_t wrong = 0;
        test::for_each_element({1, form.shape.count}, [&](unsigned, const auto& at) {
          float want = f.memory.get(src, 0, at);
          for (unsigned p = 1; p < form.shape.partitions; ++p)
            want = folded(op, want, f.memory.get(src, p, at));
          if (std::isnan(want)) want = std::bit_cast<float>(0x7FC00000U);
          wrong += f.memory.bits(dst, 0, at) != f.stored(to, want);
        });
        CAPTURE(isa::name_of(from), isa::name_of(to), int(op));
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("tensor_partition_reduce: bits of integers, in place too", "[isa]") {
  PartitionFixture f(352);
  for (const DType from : kIntegers) {
    for (const DType to : {from, DType::kUint32, DType::kUint8}) {
      for (const unsigned partitions : {1U, 2U, 17U, 128U}) {
        for (const AluOp op : {AluOp::kBitwiseAnd, AluOp::kBitwiseOr}) {
          const Shape shape = test::row_shape(partitions, 65);
          const Tile src = f.tile(from, 0, kSrcAt), dst = f.tile(to, 0, from == to ? kSrcAt : kDstAt);
          f.fill_bits(src, shape);
          // Bits are rarely one or rarely zero; otherwise nothing would remain of 128 random words.
          test::for_each_element(shape, [&](unsigned p, const auto& at) {
            const std::uint32_t rare =
                f.any_bits() & f.any_bits() & f.any_bits() & f.any_bits() & f.any_bits();
            const std::uint32_t word = op == AluOp::kBitwiseOr ? rare : ~rare;
            std::memcpy(f.memory.at(src, p, at), &word, isa::size_of(from));
          });
          auto& old = f.run(partition_reduce(shape, op, dst, src), {{dst, {1, shape.count}}});
          std::size_t wrong = 0;
          test::for_each_element({1, shape.count}, [&](unsigned, const auto& at) {
            std::uint32_t want = old.bits(src, 0, at);
            for (unsigned p = 1; p < partitions; ++p)
              want = op == AluOp::kBitwiseAnd ? want & old.bits(src, p, at) : want | old.bits(src, p, at);
            wrong += f.memory.bits(dst, 0, at) != (to == DType::kUint8 ? want & 0xFFU : want);
          });
          CHECK(wrong == 0);
        }
      }
    }
  }
}

TEST_CASE("sequence_bounds: the run around each element, n and -1 for padding", "[isa]") {
  PartitionFixture f(353);
  for (const DType from : {DType::kFp32, DType::kInt32}) {
    for (const DType to : {DType::kFp32, DType::kInt32}) {
      for (const unsigned n : {1U, 2U, 60U, 700U}) {
        const test::Counts count = n == 60 ? test::Counts{3, 1, 4, 5} : counts_of(n);
        const test::Strides stride = n == 60 ? test::Strides{5, 0, 15, 1} : test::Strides{0, 0, 0, 1};
        const Tile src = f.tile(from, 32, 0, stride), dst = f.tile(to, 96, 4096, {0, 0, 800, 1});
        f.put(src, count, 0, segments(f, n));
        const test::Counts both{1, 1, 2, static_cast<std::uint16_t>(n)};
        f.run(instruction_of(Opcode::kSequenceBounds, {1, count}, dst, src), {{dst, {1, both}}});
        const auto ids = f.values(src, count, 0), bounds = f.values(dst, both, 0);
        for (unsigned i = 0; i < n; ++i) {
          unsigned first = i, end = i + 1;
          while (first > 0 && ids[first - 1] == ids[i]) --first;
          while (end < n && ids[end] == ids[i]) ++end;
          CHECK(bounds[i] == (ids[i] == 0 ? static_cast<float>(n) : static_cast<float>(first)));
          CHECK(bounds[n + i] == (ids[i] == 0 ? -1.0F : static_cast<float>(end)));
        }
      }
    }
  }
}

TEST_CASE("sequence_bounds: compares integers exactly, and -0 is padding", "[isa]") {
  PartitionFixture f(354);
  const Tile ids = f.tile(DType::kInt32, 0, 0), floats = f.tile(DType::kFp32, 0, 64);
  const Tile dst = f.tile(DType::kInt32, 0, 512, {0, 0, 4, 1});
  f.put_bits(ids, counts_of(4), 0, {16777216, 16777217, 16777217, 0});
  isa::execute(instruction_of(Opcode::kSequenceBounds, test::row_shape(1, 4), dst, ids), f.view());
  CHECK(f.bits(dst, {1, 1, 2, 4}, 0) == std::vector<std::uint32_t>{0, 1, 1, 4, 1, 3, 3, 0xFFFFFFFFU});
  f.put(floats, counts_of(4), 0, {-0.0F, 0, 2, 2});
  isa::execute(instruction_of(Opcode::kSequenceBounds, test::row_shape(1, 4), dst, floats), f.view());
  CHECK(f.bits(dst, {1, 1, 2, 4}, 0) ==
        std::vector<std::uint32_t>{4, 4, 2, 2, 0xFFFFFFFFU, 0xFFFFFFFFU, 4, 4});
}

TEST_CASE("nonzero_with_count: partitions 0, 16, 32 and so on, list, padding and count", "[isa]") {
  PartitionFixture f(355);
  for (const TileForm& form : kTileForms) {
    for (const DType from : {DType::kFp32, DType::kInt32}) {
      const unsigned n = test::product(form.shape.count);
      Instruction i =
          instruction_of(Opcode::kNonzeroWithCount, form.shape,
                         f.tile(DType::kInt32, 0, kDstAt, {0, 0, 0, 2}), f.tile(from, 0, kSrcAt, form.src));
      i.base = static_cast<std::int32_t>(f.numbers.below(1000)) - 500;
      i.imm = -1 - static_cast<std::int32_t>(f.numbers.below(100));
      const unsigned density = f.numbers.below(4);  // of 3: none to all
      test::for_each_element(form.shape, [&](unsigned p, const auto& at) {
        f.memory.set(i.src0, p, at,
                     f.numbers.below(3) < density ? 1 + static_cast<float>(f.numbers.below(9)) : 0);
      });
      auto& old = f.run(i, {{i.dst, {form.shape.partitions, counts_of(n + 1)}}});
      for (unsigned p = 0; p < form.shape.partitions; ++p) {
        const auto got = f.bits(i.dst, counts_of(n + 1), p);
        if (p % 16 != 0) {
          for (unsigned k = 0; k <= n; ++k) CHECK(got[k] == old.bits(i.dst, p, {0, 0, 0, k}));
          continue;
        }
        std::vector<std::int32_t> want;
        const auto src = f.values(i.src0, form.shape.count, p);
        for (unsigned k = 0; k < n; ++k)
          if (src[k] != 0) want.push_back(i.base + static_cast<std::int32_t>(k));
        const auto count = static_cast<std::int32_t>(want.size());
        want.resize(n, i.imm);
        want.push_back(count);
        CHECK(std::equal(got.begin(), got.end(), want.begin(), want.end(),
                         [](std::uint32_t a, std::int32_t b) { return a == static_cast<std::uint32_t>(b); }));
      }
    }
  }
}

TEST_CASE("nonzero_with_count: the published example, and the values that count as zero", "[isa]") {
  PartitionFixture f(356);
  const Tile src = f.tile(DType::kFp32, 32, 0), dst = f.tile(DType::kInt32, 64, 0);
  Instruction i = instruction_of(Opcode::kNonzeroWithCount, test::row_shape(1, 8), dst, src);
  i.imm = -1;
  f.put(src, counts_of(8), 0, {0, 1, -0.0F, NAN, 1e-45F, 0, 0, -3});
  f.run(i, {{dst, test::row_shape(1, 9)}});
  const std::uint32_t pad = 0xFFFFFFFFU;
  CHECK(f.bits(dst, counts_of(9), 0) == std::vector<std::uint32_t>{1, 3, 4, 7, pad, pad, pad, pad, 4});
}

TEST_CASE("topk: the end of the stably sorted group, in the group's own layout", "[isa]") {
  PartitionFixture f(357);
  for (const TopkCase& c : {TopkCase{16, 1, 8, 1},
                            {16, 1, 16, 16},
                            {32, 3, 40, 17},
                            {128, 10, 150, 64},
                            {48, 20, 320, 320},
                            {16, 300, 4800, 1000}}) {
    for (unsigned kind = 0; kind < 3; ++kind) {
      const Instruction i = topk(f, c);
      for (unsigned p = 0; p < c.partitions; ++p) {
        std::vector<float> row(c.columns);
        for (float& x : row)
          x = kind == 0   ? f.numbers.ordinary()
              : kind == 1 ? static_cast<float>(f.numbers.below(5)) - 2
                          : f.numbers.any();
        f.put(i.src0, i.shape.count, p, row);
      }
      check_topk(f, i);
    }
  }
}

TEST_CASE("topk: zeros are equal, NaNs largest, and their bits pass", "[isa]") {
  PartitionFixture f(358);
  const Instruction i = topk(f, {16, 1, 8, 8});
  const std::uint32_t bits[] = {0x8000, 0x0000, 0x7FC1, 0x7F80, 0xFF80, 0xFFC2, 0x8001, 0x0000};
  for (unsigned p = 0; p < 16; ++p) f.put_bits(i.src0, counts_of(1), p, {p < 8 ? bits[p] : 0x7FFFU});
  check_topk(f, i);
  std::vector<std::uint32_t> order, values;
  for (unsigned p = 0; p < 8; ++p) {
    order.push_back(f.memory.bits(i.src1, p, {}));
    values.push_back(f.memory.bits(i.dst, p, {}));
  }
  CHECK(order == std::vector<std::uint32_t>{4, 6, 0, 1, 7, 3, 2, 5});
  CHECK(values == std::vector<std::uint32_t>{0xFF80, 0x8001, 0x8000, 0, 0, 0x7F80, 0x7FC1, 0xFFC2});
}

TEST_CASE("topk: strided tiles, other partitions, and a source of four dimensions", "[isa]") {
  PartitionFixture f(359);
  Instruction i = topk(f, {32, 24, 380, 50});
  i.shape = {32, {2, 3, 2, 2}};
  i.src0 = f.tile(DType::kBf16, 96, 64, {1, 4, 12, 2});
  i.dst = f.tile(DType::kBf16, 32, kDstAt, {0, 0, 0, -3});
  i.src1 = f.tile(DType::kUint32, 64, 0, {0, 0, 0, 5});
  f.fill_bits(i.src0, i.shape);
  check_topk(f, i);
}
