// SPDX-License-Identifier: Apache-2.0
// Compares bn_stats and bn_aggr with the mean and variance in double, and bit by bit with the declared order.
#include "tests/support/bench/partition_fixture.h"

namespace {

using namespace tahoma;
using isa::DType, isa::Instruction, isa::Opcode, isa::Shape, isa::Tile;
using test::counts_of, test::instruction_of, test::kTileForms, test::PartitionFixture, test::TileForm;

constexpr std::uint32_t kDstAt = 9216, kSrcAt = 2048;

// One rounding to fp32 each: exact in double, or rounded there with negligible error.
float sum(float a, float b) { return static_cast<float>(double{a} + double{b}); }
float times(float a, float b) { return static_cast<float>(double{a} * double{b}); }
float over(float a, float b) { return static_cast<float>(double{a} / double{b}); }

using Triple = std::array<float, 3>;

Triple half(const std::vector<float>& data, std::size_t first) {
  float total = 0, n = 0;
  for (std::size_t i = first; i < data.size(); i += 2, n += 1) total = sum(total, data[i]);
  if (n == 0) return {};
  const float mean = over(total, n);
  float spread = 0;
  for (std::size_t i = first; i < data.size(); i += 2) {
    const float d = sum(data[i], -mean);
    spread = std::fma(d, d, spread);
  }
  return {n, mean, spread};
}

// Mean and variance in double, of the elements that a triple or a whole row represents.
std::array<double, 2> moments(const std::vector<double>& data) {
  double mean = 0, variance = 0;
  for (const double x : data) mean += x / static_cast<double>(data.size());
  for (const double x : data) variance += (x - mean) * (x - mean) / static_cast<double>(data.size());
  return {mean, variance};
}

Instruction bn_stats(const Shape& shape, const Tile& dst, const Tile& src) {
  return instruction_of(Opcode::kBnStats, shape, dst, src);
}

}  // namespace

TEST_CASE("bn_stats: both halves in the declared order, for all dtypes and forms", "[isa]") {
  PartitionFixture f(311);
  for (const TileForm& form : kTileForms) {
    for (const DType from : test::all_dtypes()) {
      for (const DType to : {DType::kFp32, DType::kBf16}) {
        const Tile src = f.tile(from, 0, kSrcAt, form.src), dst = f.tile(to, 0, kDstAt, {0, 0, 0, 3});
        test::for_each_element(form.shape, [&](unsigned p, const auto& at) {
          f.memory.set(src, p, at, f.numbers.ordinary() * 3);
        });
        f.run(bn_stats(form.shape, dst, src), {{dst, {form.shape.partitions, counts_of(6)}}});
        std::size_t wrong = 0;
        for (unsigned p = 0; p < form.shape.partitions; ++p) {
          const auto data = f.values(src, form.shape.count, p);
          const Triple even = half(data, 0), odd = half(data, 1);
          const auto got = f.bits(dst, counts_of(6), p);
          for (unsigned k = 0; k < 6; ++k) wrong += got[k] != f.stored(to, k < 3 ? even[k] : odd[k - 3]);
        }
        CAPTURE(isa::name_of(from), isa::name_of(to));
        CHECK(wrong == 0);
      }
    }
  }
}

TEST_CASE("bn_stats: one element, infinities and NaNs", "[isa]") {
  PartitionFixture f(312);
  const Tile src = f.tile(DType::kFp32, 96, 0), dst = f.tile(DType::kFp32, 32, 512);
  f.put(src, counts_of(1), 0, {-2.5F});
  f.run(bn_stats(test::row_shape(1, 1), dst, src), {{dst, test::row_shape(1, 6)}});
  CHECK(f.values(dst, counts_of(6), 0) == std::vector<float>{1, -2.5F, 0, 0, 0, 0});

  const float infinity = std::numeric_limits<float>::infinity();
  f.put(src, counts_of(4), 0, {infinity, 1, 2, 3});
  f.run(bn_stats(test::row_shape(1, 4), dst, src), {{dst, test::row_shape(1, 6)}});
  const auto bits = f.bits(dst, counts_of(6), 0);
  CHECK(bits[1] == 0x7F800000U);
  CHECK(bits[2] == 0x7FC00000U);
  CHECK(f.values(dst, counts_of(6), 0)[4] == 2);
  f.put_bits(src, counts_of(4), 0, {0xFFC01234U});
  f.run(bn_stats(test::row_shape(1, 4), dst, src), {{dst, test::row_shape(1, 6)}});
  CHECK(f.bits(dst, counts_of(6), 0)[4] == 0x7FC00000U);
}

TEST_CASE("bn_aggr: triples join in ascending order by the declared formula", "[isa]") {
  PartitionFixture f(313);
  for (const unsigned triples : {1U, 2U, 3U, 10U, 64U}) {
    for (const DType from : {DType::kFp32, DType::kFp16}) {
      const Shape shape = test::row_shape(32, 3 * triples);
      const Tile src = f.tile(from, 64, kSrcAt, {0, 0, 0, 2}), dst = f.tile(DType::kFp32, 0, kDstAt);
      for (unsigned p = 0; p < 32; ++p) {
        std::vector<float> data;
        for (unsigned k = 0; k < triples; ++k) {
          data.push_back(f.numbers.below(5) == 0 ? 0 : static_cast<float>(1 + f.numbers.below(256)));
          data.push_back(f.numbers.ordinary());
          data.push_back(std::fabs(f.numbers.ordinary()) * 10);
        }
        f.put(src, shape.count, p, data);
      }
      f.run(instruction_of(Opcode::kBnAggr, shape, dst, src), {{dst, test::row_shape(32, 2)}});
      for (unsigned p = 0; p < 32; ++p) {
        const auto data = f.values(src, shape.count, p);
        float n = 0, mean = 0, spread = 0;
        for (std::size_t k = 0; k < data.size(); k += 3) {
          if (data[k] == 0) continue;
          if (n == 0) {
            n = data[k], mean = data[k + 1], spread = data[k + 2];
            continue;
          }
          const float all = sum(n, data[k]), d = sum(data[k + 1], -mean), share = over(data[k], all);
          spread = sum(sum(spread, data[k + 2]), times(times(d, d), times(n, share)));
          mean = sum(mean, times(d, share));
          n = all;
        }
        const auto got = f.values(dst, counts_of(2), p);
        CAPTURE(triples, p);
        CHECK(test::same_bits(got[0], mean));
        CHECK(test::same_bits(got[1], n == 0 ? 0 : over(spread, n)));
      }
    }
  }
}

TEST_CASE("bn_aggr: of bn_stats of the pieces is the mean and variance of the whole", "[isa]") {
  PartitionFixture f(314);
  const Shape piece = test::row_shape(8, 512);
  const Tile parts = f.tile(DType::kFp32, 0, 8192), result = f.tile(DType::kFp32, 0, 9000);
  std::vector<std::vector<double>> all(8);
  for (unsigned part = 0; part < 3; ++part) {
    const unsigned n = part == 2 ? 77 : 512;
    const Shape shape{piece.partitions, counts_of(n)};
    const Tile src = f.tile(DType::kBf16, 0, 0);
    for (unsigned p = 0; p < 8; ++p) {
      std::vector<float> row(n);
      for (float& x : row) x = f.numbers.ordinary() + static_cast<float>(10 * p);
      f.put(src, shape.count, p, row);
      for (const float x : f.values(src, shape.count, p)) all[p].push_back(x);
    }
    isa::execute(bn_stats(shape, f.tile(DType::kFp32, 0, 8192 + 24 * part), src), f.view());
  }
  isa::execute(instruction_of(Opcode::kBnAggr, test::row_shape(8, 18), result, parts), f.view());
  for (unsigned p = 0; p < 8; ++p) {
    const auto want = moments(all[p]);
    const auto got = f.values(result, counts_of(2), p);
    CHECK(got[0] == Approx(want[0]).epsilon(1e-5).margin(1e-5));
    CHECK(got[1] == Approx(want[1]).epsilon(1e-4));
  }
}
