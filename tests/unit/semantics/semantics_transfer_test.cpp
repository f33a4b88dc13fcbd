// SPDX-License-Identifier: Apache-2.0
// Compares indirect transfers, sums of sources and transpositions with loops over their elements.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "isa/semantics/semantics.h"
#include "tests/support/bench/tile_memory.h"

namespace {

using namespace tahoma;
using isa::Descriptor, isa::DmaSide, isa::DType, isa::Indirection, isa::Space;
using test::TileMemory;

std::vector<std::byte> noise(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> values(bytes);
  for (std::byte& b : values) b = static_cast<std::byte>(random());
  return values;
}

std::vector<std::byte> numbers(std::size_t elements, DType dtype, unsigned seed) {
  test::Numbers random(seed);
  std::vector<std::byte> values(elements * isa::size_of(dtype));
  for (std::size_t e = 0; e < elements; ++e)
    isa::store_from_fp32(&values[e * isa::size_of(dtype)], dtype, random.ordinary());
  return values;
}

DmaSide hbm(DType dtype, std::array<std::int32_t, 4> stride) {
  return {Space::kHbm, dtype, 0, 0, 0, 0, stride};
}
DmaSide sbuf(DType dtype, unsigned partition, std::uint64_t offset, std::array<std::int32_t, 4> stride,
             unsigned across = 0) {
  return {Space::kSbuf,
          dtype,
          static_cast<std::uint8_t>(partition),
          isa::kNone,
          static_cast<std::uint8_t>(across),
          offset,
          stride};
}

template <class F>
void for_each_index(const std::array<std::uint32_t, 4>& count, F&& f) {
  std::array<std::uint32_t, 4> i{};
  for (i[0] = 0; i[0] < count[0]; ++i[0])
    for (i[1] = 0; i[1] < count[1]; ++i[1])
      for (i[2] = 0; i[2] < count[2]; ++i[2])
        for (i[3] = 0; i[3] < count[3]; ++i[3]) f(i);
}

// The position of an element by the definition of a side's address.
std::byte* element(TileMemory& core, std::byte* base, const DmaSide& side,
                   const std::array<std::uint32_t, 4>& i) {
  std::ptrdiff_t at = 0;
  unsigned partition = side.partition;
  for (unsigned d = 0; d < 4; ++d) {
    if (side.space != Space::kHbm && d == side.across)
      partition += i[d];
    else
      at += std::ptrdiff_t{side.stride[d]} * i[d];
  }
  at *= static_cast<std::ptrdiff_t>(isa::size_of(side.dtype));
  return side.space == Space::kHbm ? base + at : core.view().at(side.space, partition, side.offset) + at;
}

}  // namespace

TEST_CASE("dma: a gather brings the rows that the numbers name, a skipped row keeps the destination",
          "[isa]") {
  const Descriptor d{
      {6, 1, 3, 20}, sbuf(DType::kBf16, 16, 64, {0, 0, 32, 1}), hbm(DType::kBf16, {100, 0, 24, 1}), false};
  const std::vector<isa::IndirectRow> rows{{0, 7}, {1, 7}, {3, 0}, {4, 30}, {5, 2}};  // row 2 is left out
  auto memory = noise(31 * 100 * 2, 1);
  TileMemory core;
  core.sbuf = noise(core.sbuf.size(), 2);
  TileMemory want = core;
  for (const auto& row : rows)
    for_each_index({1, 1, 3, 20}, [&](auto i) {
      auto from = i;
      i[0] = row.index;
      from[0] = row.number;
      std::memcpy(element(want, nullptr, d.dst, i), element(want, memory.data(), d.src, from), 2);
    });
  isa::execute_indirect(d, Indirection::kGather, rows, core.view(), memory.data());
  CHECK((core.sbuf == want.sbuf));
}

TEST_CASE(
    "dma: a scatter writes rows in order, so of equal numbers the last stays, and adds where it accumulates",
    "[isa]") {
  for (const bool accumulate : {false, true}) {
    Descriptor d{
        {5, 1, 1, 33}, hbm(DType::kFp32, {40, 0, 0, 1}), sbuf(DType::kBf16, 3, 8, {0, 0, 0, 1}), accumulate};
    const std::vector<isa::IndirectRow> rows{{0, 4}, {1, 1}, {2, 4}, {4, 0}};
    TileMemory core;
    for_each_index(d.count, [&](const auto& i) {
      isa::store_from_fp32(element(core, nullptr, d.src, i), d.src.dtype,
                           static_cast<float>(i[0] * 100 + i[3]) / 7);
    });
    auto memory = numbers(5 * 40, DType::kFp32, 3);
    auto want = memory;
    for (const auto& row : rows)
      for (std::uint32_t e = 0; e < 33; ++e) {
        std::byte* to = element(core, want.data(), d.dst, {row.number, 0, 0, e});
        const float value =
            isa::load_as_fp32(element(core, nullptr, d.src, {row.index, 0, 0, e}), d.src.dtype);
        const float held = isa::load_as_fp32(to, DType::kFp32);
        isa::store_from_fp32(to, DType::kFp32, accumulate ? held + value : value);
      }
    isa::execute_indirect(d, Indirection::kScatter, rows, core.view(), memory.data());
    CAPTURE(accumulate);
    CHECK((memory == want));
  }
}

TEST_CASE("dma_compute: a sum of 1 to 16 sources is the fp32 sum in ascending order, rounded once", "[isa]") {
  for (unsigned n = 1; n <= 16; ++n) {
    for (const DType to : {DType::kFp32, DType::kBf16, DType::kFp16}) {
      std::vector<Descriptor> sources(n, {{4, 1, 3, 50}, sbuf(to, 64, 128, {0, 0, 60, 1}), {}, false});
      TileMemory core;
      core.sbuf = numbers(core.sbuf.size() / 4, DType::kFp32, n);
      std::vector<std::vector<std::byte>> memory;
      std::vector<const std::byte*> at;
      for (unsigned s = 0; s < n; ++s) {
        const DType from = s % 2 == 0 || s % 3 == 1 ? DType::kFp32 : DType::kBf16;  // SBUF holds fp32
        sources[s].src =
            s % 3 == 1 ? sbuf(from, 8, 4096 + 640 * s, {0, 0, 50, 1}) : hbm(from, {200, 0, 60, 1});
        memory.push_back(numbers(1000, from, 100 + s));
      }
      for (const auto& m : memory) at.push_back(m.data());
      TileMemory want = core;
      for_each_index(sources[0].count, [&](const auto& i) {
        float sum = 0;
        for (unsigned s = 0; s < n; ++s) {
          const float value =
              isa::load_as_fp32(element(core, memory[s].data(), sources[s].src, i), sources[s].src.dtype);
          sum = s == 0 ? value : sum + value;
        }
        isa::store_from_fp32(element(want, nullptr, sources[0].dst, i), to, sum);
      });
      isa::execute_dma_compute(sources, isa::AluOp::kAdd, core.view(), nullptr, at);
      CAPTURE(n, isa::name_of(to));
      CHECK((core.sbuf == want.sbuf));
    }
  }
}

TEST_CASE("dma_compute: the maximum and the minimum of several sources let a NaN win and order the zeros",
          "[isa]") {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const std::array<std::array<float, 5>, 3> values{
      {{1, -0.0F, nan, -inf, 7}, {3, 0.0F, 2, inf, 7}, {2, -0.0F, inf, 0, 7}}};
  const std::array<float, 5> highest{3, 0.0F, nan, inf, 7}, lowest{1, -0.0F, nan, -inf, 7};
  for (const DType dtype : {DType::kFp32, DType::kBf16, DType::kFp16}) {
    std::vector<std::vector<std::byte>> memory(3, std::vector<std::byte>(5 * isa::size_of(dtype)));
    std::vector<const std::byte*> at;
    for (std::size_t s = 0; s < 3; ++s) {
      for (std::size_t e = 0; e < 5; ++e)
        isa::store_from_fp32(&memory[s][e * isa::size_of(dtype)], dtype, values[s][e]);
      at.push_back(memory[s].data());
    }
    const std::vector<Descriptor> sources(
        3, {{1, 1, 1, 5}, hbm(dtype, {0, 0, 0, 1}), hbm(dtype, {0, 0, 0, 1}), false});
    for (const bool maximum : {true, false}) {
      std::vector<std::byte> out(memory[0].size());
      TileMemory core;
      isa::execute_dma_compute(sources, maximum ? isa::AluOp::kMax : isa::AluOp::kMin, core.view(),
                               out.data(), at);
      CAPTURE(isa::name_of(dtype), maximum);
      for (std::size_t e = 0; e < 5; ++e) {
        const float got = isa::load_as_fp32(&out[e * isa::size_of(dtype)], dtype);
        const float want = maximum ? highest[e] : lowest[e];
        CHECK((std::isnan(want) ? std::isnan(got) : got == want && std::signbit(got) == std::signbit(want)));
      }
    }
  }
}

TEST_CASE("dma_compute: one integer dtype folds exactly, sums modulo its bits in any order", "[isa]") {
  const auto fold = [](DType dtype, isa::AluOp op, const std::vector<std::int64_t>& values) {
    std::vector<std::vector<std::byte>> memory;
    std::vector<const std::byte*> at;
    for (const std::int64_t v : values) {
      memory.emplace_back(isa::size_of(dtype));
      std::memcpy(memory.back().data(), &v, isa::size_of(dtype));
    }
    for (const auto& m : memory) at.push_back(m.data());
    const std::vector<Descriptor> sources(values.size(),
                                          {{1, 1, 1, 1}, hbm(dtype, {}), hbm(dtype, {}), false});
    std::int64_t out = 0;
    TileMemory core;
    isa::execute_dma_compute(sources, op, core.view(), reinterpret_cast<std::byte*>(&out), at);
    return out;
  };
  struct Kind {
    DType dtype;
    std::int64_t low, high;
  };
  for (const Kind& k : {Kind{DType::kInt8, -128, 127}, Kind{DType::kUint8, 0, 255},
                        Kind{DType::kInt16, -32768, 32767}, Kind{DType::kUint16, 0, 65535},
                        Kind{DType::kInt32, -2147483648, 2147483647}, Kind{DType::kUint32, 0, 4294967295}}) {
    const std::int64_t mask = (std::int64_t{1} << (8 * isa::size_of(k.dtype))) - 1;
    CAPTURE(isa::name_of(k.dtype));
    CHECK(fold(k.dtype, isa::AluOp::kAdd, {k.high, k.high, 1}) == ((2 * k.high + 1) & mask));
    CHECK(fold(k.dtype, isa::AluOp::kAdd, {1, k.high, k.high}) == ((2 * k.high + 1) & mask));
    CHECK(fold(k.dtype, isa::AluOp::kAdd, {k.low, k.high - 1, 2}) == ((k.low + k.high + 1) & mask));
    CHECK(fold(k.dtype, isa::AluOp::kMax, {k.low, k.high - 1, k.high}) == (k.high & mask));
    CHECK(fold(k.dtype, isa::AluOp::kMin, {k.high, k.low, k.low + 1}) == (k.low & mask));
  }
}

TEST_CASE("dma_compute: integers combined with another dtype go through fp32 and saturate", "[isa]") {
  std::int32_t a = 2'000'000'000, b = 2'000'000'000, out = 0;
  float c = 1.5F;
  const auto source = [&](DType dtype) {
    return Descriptor{{1, 1, 1, 1}, hbm(DType::kInt32, {}), hbm(dtype, {}), false};
  };
  const auto bytes = [](auto& value) { return reinterpret_cast<std::byte*>(&value); };
  TileMemory core;
  const std::vector<Descriptor> sources{source(DType::kInt32), source(DType::kInt32), source(DType::kFp32)};
  const std::vector<const std::byte*> at{bytes(a), bytes(b), bytes(c)};
  isa::execute_dma_compute(sources, isa::AluOp::kAdd, core.view(), bytes(out), at);
  CHECK(out == std::numeric_limits<std::int32_t>::max());
}

TEST_CASE("dma: a sum reads every source before it writes, so it may end on one of them", "[isa]") {
  auto memory = numbers(600, DType::kFp32, 9);
  const auto before = memory;
  // source 1 is one element ahead of the destination
  Descriptor a{{1, 1, 1, 599}, hbm(DType::kFp32, {0, 0, 0, 1}), hbm(DType::kFp32, {0, 0, 0, 1}), false};
  const std::vector<Descriptor> sources{a, a};
  TileMemory core;
  const std::vector<const std::byte*> at{memory.data(), memory.data() + 4};
  isa::execute_dma_compute(sources, isa::AluOp::kAdd, core.view(), memory.data(), at);
  std::size_t wrong = 0;
  for (std::size_t e = 0; e < 599; ++e)
    wrong +=
        isa::load_as_fp32(&memory[4 * e], DType::kFp32) !=
        isa::load_as_fp32(&before[4 * e], DType::kFp32) + isa::load_as_fp32(&before[4 * e + 4], DType::kFp32);
  CHECK(wrong == 0);
}

TEST_CASE("dma_transpose: transpositions of 2, 3 and 4 dimensions put every element at its exchanged place",
          "[isa]") {
  struct Form {
    std::array<std::uint32_t, 4> count;
    DmaSide dst, src;
  };
  const DType k16 = DType::kBf16, k32 = DType::kFp32;
  const std::vector<Form> forms{
      {{64, 1, 1, 96}, sbuf(k16, 0, 0, {1, 0, 0, 0}, 3), hbm(k16, {100, 0, 0, 1})},         // 2-D
      {{32, 1, 5, 128}, sbuf(k32, 0, 256, {1, 0, 32, 0}, 3), hbm(k32, {640, 0, 128, 1})},   // 3-D
      {{16, 3, 4, 40}, sbuf(k16, 32, 16, {1, 64, 16, 0}, 3), hbm(k16, {480, 160, 40, 1})},  // 4-D
      {{16, 6, 2, 24},
       sbuf(k16, 64, 0, {24, 0, 384, 1}, 1),
       hbm(k16, {24, 384, 2304, 1})},  // exchanges 0 and 1
      {{32, 1, 1, 48}, sbuf(k32, 0, 2048, {1, 0, 0, 0}, 3), sbuf(k32, 64, 512, {0, 0, 0, 1})},  // on chip
  };
  for (const Form& form : forms) {
    const Descriptor d{form.count, form.dst, form.src, false};
    auto memory = noise(1 << 18, 4);
    TileMemory core;
    core.sbuf = noise(core.sbuf.size(), 5);
    TileMemory want = core;
    for_each_index(d.count, [&](const auto& i) {
      std::memcpy(element(want, nullptr, d.dst, i), element(core, memory.data(), d.src, i),
                  isa::size_of(d.src.dtype));
    });
    isa::execute_dma(d, core.view(), nullptr, memory.data());
    CAPTURE(d.count[0], d.count[1], d.count[2], d.count[3]);
    CHECK((core.sbuf == want.sbuf));
  }
}
