// SPDX-License-Identifier: Apache-2.0
// Compares transfers with a plain loop over the descriptor's elements.
#include <catch2/catch.hpp>

#include "isa/semantics/semantics.h"
#include "tests/support/bench/tile_memory.h"

namespace {

using namespace tahoma;
using isa::Descriptor, isa::DmaSide, isa::DType, isa::Space;
using test::TileMemory, test::same_number;

constexpr DType kAll[] = {DType::kFp32,  DType::kBf16,  DType::kFp16,    DType::kInt32,   DType::kUint32,
                          DType::kUint8, DType::kTf32,  DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp8E3M4,
                          DType::kInt8,  DType::kInt16, DType::kUint16};
// One of each size and kind of conversion, as all pairs would take too long (conversion_test.cpp has them).
constexpr DType kPaired[] = {DType::kFp32,  DType::kBf16,   DType::kFp8E4M3,
                             DType::kInt32, DType::kUint16, DType::kUint8};
constexpr std::size_t kHbmBytes = 1U << 19, kHbmMiddle = kHbmBytes / 2;

// HBM on both sides plus a core; sides begin in the middle, so that strides may be negative.
struct World {
  TileMemory core;
  std::vector<std::byte> dst = std::vector<std::byte>(kHbmBytes), src = std::vector<std::byte>(kHbmBytes);

  std::byte* at(const DmaSide& side, std::vector<std::byte>& hbm, const std::array<std::uint32_t, 4>& i) {
    const auto size = static_cast<std::ptrdiff_t>(isa::size_of(side.dtype));
    std::ptrdiff_t element = 0;
    for (std::size_t d = side.space == Space::kHbm ? 0 : 1; d < 4; ++d)
      element += std::ptrdiff_t{side.stride[d]} * i[d];
    if (side.space == Space::kHbm) return hbm.data() + kHbmMiddle + element * size;
    return core.view().at(side.space, side.partition + i[0], side.offset) + element * size;
  }
  void run(const Descriptor& d) {
    isa::execute_dma(d, core.view(), dst.data() + kHbmMiddle, src.data() + kHbmMiddle);
  }
};

template <class F>
void for_each_index(const std::array<std::uint32_t, 4>& count, F&& f) {
  std::array<std::uint32_t, 4> i{};
  for (i[0] = 0; i[0] < count[0]; ++i[0]) {
    for (i[1] = 0; i[1] < count[1]; ++i[1]) {
      for (i[2] = 0; i[2] < count[2]; ++i[2]) {
        for (i[3] = 0; i[3] < count[3]; ++i[3]) f(i);
      }
    }
  }
}

struct Form {
  std::array<std::uint32_t, 4> count;
  DmaSide dst, src;
};

// Every pair of spaces; contiguous, gathering, scattering, transposing and backward patterns.
std::vector<Form> forms() {
  const auto hbm = [](std::array<std::int32_t, 4> stride) {
    return DmaSide{Space::kHbm, DType::kFp32, 0, 0, 0, 0, stride};
  };
  const auto chip = [](Space space, unsigned partition, std::uint64_t offset,
                       std::array<std::int32_t, 4> stride) {
    return DmaSide{space, DType::kFp32, static_cast<std::uint8_t>(partition), isa::kNone, 0, offset, stride};
  };
  return {
      {{128, 1, 1, 300}, chip(Space::kSbuf, 0, 256, {0, 0, 0, 1}), hbm({320, 0, 0, 1})},
      {{100, 1, 1, 77}, hbm({77, 0, 0, 1}), chip(Space::kSbuf, 28, 12, {0, 0, 0, 1})},
      {{1, 1, 1, 9000}, hbm({0, 0, 0, 1}), hbm({0, 0, 0, 1})},
      {{6, 5, 4, 7}, hbm({1, 6, 30, 120}), hbm({140, 28, 7, 1})},
      {{32, 2, 3, 8}, chip(Space::kPsum, 64, 64, {0, 48, 16, 2}), hbm({-100, 24, -8, 1})},
      {{16, 1, 4, 16}, chip(Space::kSbuf, 0, 512, {0, 0, 16, 1}), chip(Space::kPsum, 32, 0, {0, 0, 1, 4})},
      {{128, 1, 1, 1}, chip(Space::kSbuf, 0, 0, {0, 0, 0, 1}), hbm({1, 0, 0, 0})},
      {{20, 1, 1, 50}, chip(Space::kSbuf, 0, 0, {0, 0, 0, 1}), hbm({0, 0, 0, 1})},
  };
}

float value_at(std::byte* at, DType dtype) { return isa::load_as_fp32(at, dtype); }

// Fills both sides, runs, and compares every element with want(old dst, src); nothing else may have changed.
template <class Want>
void check(World& w, const Descriptor& d, test::Numbers& numbers, Want want) {
  for_each_index(d.count, [&](const auto& i) {
    isa::store_from_fp32(w.at(d.src, w.src, i), d.src.dtype, numbers.any());
    isa::store_from_fp32(w.at(d.dst, w.dst, i), d.dst.dtype, numbers.any());
  });
  World before = w;
  w.run(d);
  std::size_t wrong = 0;
  for_each_index(d.count, [&](const auto& i) {
    std::byte* held = before.at(d.dst, before.dst, i);
    const float value =
        want(value_at(held, d.dst.dtype), value_at(before.at(d.src, before.src, i), d.src.dtype));
    std::array<std::byte, 4> bytes{};
    isa::store_from_fp32(bytes.data(), d.dst.dtype, value);
    std::byte* now = w.at(d.dst, w.dst, i);
    wrong += !same_number(value_at(now, d.dst.dtype), value_at(bytes.data(), d.dst.dtype));
  });
  CHECK(wrong == 0);
  for_each_index(d.count, [&](const auto& i) {
    std::memcpy(before.at(d.dst, before.dst, i), w.at(d.dst, w.dst, i), isa::size_of(d.dst.dtype));
  });
  CHECK(w.core.sbuf == before.core.sbuf);
  CHECK(w.core.psum == before.core.psum);
  CHECK(w.dst == before.dst);
  CHECK(w.src == before.src);
}

}  // namespace

TEST_CASE("dma_copy: copies and casts every pattern between dtypes of every kind", "[isa]") {
  test::Numbers numbers(71);
  World w;
  for (const Form& form : forms()) {
    for (const DType to : kPaired) {
      for (const DType from : kPaired) {
        Descriptor d{form.count, form.dst, form.src, false};
        d.dst.dtype = to;
        d.src.dtype = from;
        CAPTURE(isa::name_of(to), isa::name_of(from), d.count[0], d.count[3]);
        check(w, d, numbers, [](float, float src) { return src; });
      }
    }
  }
}

TEST_CASE("dma: accumulation adds in fp32 and rounds once to the destination", "[isa]") {
  test::Numbers numbers(72);
  World w;
  for (const Form& form : forms()) {
    for (const auto& [to, from] :
         {std::array{DType::kFp32, DType::kFp32}, std::array{DType::kBf16, DType::kBf16},
          std::array{DType::kFp32, DType::kBf16}, std::array{DType::kFp16, DType::kFp32}}) {
      Descriptor d{form.count, form.dst, form.src, true};
      d.dst.dtype = to;
      d.src.dtype = from;
      CAPTURE(isa::name_of(to), isa::name_of(from), d.count[0], d.count[3]);
      check(w, d, numbers, [](float held, float src) { return held + src; });
    }
  }
}

TEST_CASE("dma: equal dtypes move bits unchanged", "[isa]") {
  test::Numbers numbers(73);
  World w;
  for (const Form& form : forms()) {
    for (const DType dtype : kAll) {
      Descriptor d{form.count, form.dst, form.src, false};
      d.dst.dtype = d.src.dtype = dtype;
      const std::size_t size = isa::size_of(dtype);
      for_each_index(d.count, [&](const auto& i) {
        const std::uint32_t bits = numbers.below(0xFFFFFFFFU);
        std::memcpy(w.at(d.src, w.src, i), &bits, size);
      });
      w.run(d);
      std::size_t wrong = 0;
      for_each_index(d.count, [&](const auto& i) {
        wrong += std::memcmp(w.at(d.dst, w.dst, i), w.at(d.src, w.src, i), size) != 0;
      });
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("dma: odd byte addresses in HBM are legal", "[isa]") {
  World w;
  Descriptor d{{1, 1, 1, 100},
               {Space::kHbm, DType::kBf16, 0, 0, 0, 0, {0, 0, 0, 1}},
               {Space::kHbm, DType::kFp32, 0, 1, 0, 0, {0, 0, 0, 1}},
               false};
  std::byte* src = w.src.data() + 1001;
  std::byte* dst = w.dst.data() + 2003;
  for (unsigned i = 0; i < 100; ++i) isa::store_from_fp32(src + 4 * i, DType::kFp32, static_cast<float>(i));
  isa::execute_dma(d, w.core.view(), dst, src);
  d.accumulate = true;
  isa::execute_dma(d, w.core.view(), dst, src);
  for (unsigned i = 0; i < 100; ++i) CHECK(value_at(dst + 2 * i, DType::kBf16) == static_cast<float>(2 * i));
}

TEST_CASE("dma: a count of zero moves nothing", "[isa]") {
  World w;
  const World before = w;
  w.src[kHbmMiddle] = std::byte{7};
  const DmaSide side{Space::kHbm, DType::kFp32, 0, 0, 0, 0, {1, 1, 1, 1}};
  w.run({{4, 0, 2, 8}, side, side, false});
  CHECK(w.dst == before.dst);
}
