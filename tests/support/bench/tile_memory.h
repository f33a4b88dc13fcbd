// SPDX-License-Identifier: Apache-2.0
// A core's memories as plain arrays, with element access by the definition of a tile's address, one element
// at a time: the reference of tests of instruction semantics. Also runs a law on every SIMD target of this
// host.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "hwy/targets.h"
#include "isa/semantics/semantics.h"

namespace tahoma::test {

inline constexpr std::size_t kSbufStride = 16384, kPsumStride = 8192, kPartitions = 128;

struct TileMemory {
  std::vector<std::byte> sbuf = std::vector<std::byte>(kPartitions * kSbufStride);
  std::vector<std::byte> psum = std::vector<std::byte>(kPartitions * kPsumStride);
  isa::Weights weights;
  isa::LaneState lanes;

  isa::CoreView view() { return {sbuf.data(), kSbufStride, psum.data(), kPsumStride, &weights, &lanes}; }

  std::byte* at(const isa::Tile& tile, unsigned p, const std::array<unsigned, 4>& index) {
    std::ptrdiff_t element = 0;
    for (std::size_t d = 0; d < 4; ++d) element += std::ptrdiff_t{tile.stride[d]} * index[d];
    const bool in_psum = tile.space == isa::Space::kPsum;
    std::byte* row = in_psum ? psum.data() + (tile.partition + p) * kPsumStride
                             : sbuf.data() + (tile.partition + p) * kSbufStride;
    return row + tile.offset + element * static_cast<std::ptrdiff_t>(isa::size_of(tile.dtype));
  }
  float get(const isa::Tile& tile, unsigned p, const std::array<unsigned, 4>& index) {
    return isa::load_as_fp32(at(tile, p, index), tile.dtype);
  }
  void set(const isa::Tile& tile, unsigned p, const std::array<unsigned, 4>& index, float value) {
    isa::store_from_fp32(at(tile, p, index), tile.dtype, value);
  }
  // The bits as an integer, for any dtype.
  std::uint32_t bits(const isa::Tile& tile, unsigned p, const std::array<unsigned, 4>& index) {
    std::uint32_t value = 0;
    std::memcpy(&value, at(tile, p, index), isa::size_of(tile.dtype));
    return value;
  }
  float column(const isa::Scalar& scalar, unsigned p) {
    if (!scalar.is_tile) return scalar.imm;
    const isa::Tile tile{scalar.space, isa::DType::kFp32, scalar.partition, scalar.offset, {}};
    return get(tile, p, {});
  }
};

// f(p, {i0, i1, i2, i3}) for every element of a shape, in ascending order.
template <class F>
void for_each_element(const isa::Shape& shape, F&& f) {
  for (unsigned p = 0; p < shape.partitions; ++p) {
    for (unsigned a = 0; a < shape.count[0]; ++a) {
      for (unsigned b = 0; b < shape.count[1]; ++b) {
        for (unsigned c = 0; c < shape.count[2]; ++c) {
          for (unsigned d = 0; d < shape.count[3]; ++d) f(p, std::array<unsigned, 4>{a, b, c, d});
        }
      }
    }
  }
}

inline isa::Shape row_shape(unsigned partitions, unsigned columns) {
  return {static_cast<std::uint16_t>(partitions), {1, 1, 1, static_cast<std::uint16_t>(columns)}};
}

// Strides of a dense tile of this shape.
inline std::array<std::int16_t, 4> dense_strides(const isa::Shape& shape) {
  std::array<std::int16_t, 4> stride{};
  int step = 1;
  for (std::size_t d = 4; d-- > 0; step *= shape.count[d]) stride[d] = static_cast<std::int16_t>(step);
  return stride;
}

// Numbers of every kind: ordinary, large, tiny, subnormal, zeros, infinities and occasionally NaNs with
// payloads.
class Numbers {
 public:
  explicit Numbers(unsigned seed) : engine_(seed) {}
  std::uint32_t word() { return static_cast<std::uint32_t>(engine_()); }
  unsigned below(unsigned limit) { return static_cast<unsigned>(engine_() % limit); }
  float ordinary() { return std::uniform_real_distribution<float>(-4.0F, 4.0F)(engine_); }
  float any() {
    switch (below(12)) {
      case 0:
        return std::bit_cast<float>(static_cast<std::uint32_t>(engine_()));
      case 1:
        return std::ldexp(ordinary(), -130);
      case 2:
        return std::ldexp(ordinary(), 125);
      case 3:
        return below(2) == 0 ? 0.0F : -0.0F;
      case 4:
        return below(8) != 0 ? 1.0F : std::copysign(std::numeric_limits<float>::infinity(), ordinary());
      default:
        return ordinary();
    }
  }

 private:
  std::mt19937 engine_;
};

// Equal bits, all NaNs counting as one.
inline bool same_number(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}
inline bool same_bits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

// Runs f once for each SIMD target of the host, the scalar fallback included.
template <class F>
void on_every_simd_target(F&& f) {
  const std::int64_t all = hwy::SupportedTargets();
  for (std::int64_t rest = all; rest != 0; rest &= rest - 1) {
    hwy::SetSupportedTargetsForTest(rest & -rest);
    hwy::GetChosenTarget().DeInit();
    f();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().DeInit();
}

}  // namespace tahoma::test
