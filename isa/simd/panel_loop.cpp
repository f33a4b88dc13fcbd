// SPDX-License-Identifier: Apache-2.0
#include "isa/simd/panel_loop.h"

#include "isa/simd/highway_targets.h"
#include "isa/simd/matmul_loop.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/simd/panel_loop.cpp"
// Highway includes this file once per target, so the macro must be defined first.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "isa/simd/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tahoma::isa::HWY_NAMESPACE {

using Bits = Words<Wide>;
constexpr hn::RebindToUnsigned<Wide> kWords{};

template <class Element>
HWY_INLINE Bits load_bits(const std::byte* at) {
  if constexpr (sizeof(Element) == 4) {
    return hn::LoadU(kWords, reinterpret_cast<const std::uint32_t*>(at));
  } else {
    const hn::Rebind<Element, Wide> narrow;
    return hn::PromoteTo(kWords, hn::LoadU(narrow, reinterpret_cast<const Element*>(at)));
  }
}

struct Fp32 {
  using Element = std::uint32_t;
  static HWY_INLINE Floats<Wide> widen(Bits bits) { return hn::BitCast(Wide(), bits); }
};

struct Bf16 {
  using Element = std::uint16_t;
  static HWY_INLINE Floats<Wide> widen(Bits bits) { return hn::BitCast(Wide(), hn::ShiftLeft<16>(bits)); }
};

// The low 13 bits are ignored, except that they alone may make the number a NaN.
struct Tf32 {
  using Element = std::uint32_t;
  static HWY_INLINE Floats<Wide> widen(Bits bits) {
    const auto kept = hn::BitCast(Wide(), hn::And(bits, hn::Set(kWords, 0xFFFFE000U)));
    return hn::IfThenElse(is_nan(Wide(), hn::BitCast(Wide(), bits)), quiet_nan(Wide()), kept);
  }
};

// A float with a sign, an exponent with this bias and a mantissa. Shifted to the fp32 positions, its exponent
// is off by the difference of the biases, for subnormals as well. The largest exponent means infinity or NaN.
template <class E, int mantissa, int bias>
struct Small {
  using Element = E;
  static constexpr int kSign = 8 * sizeof(E) - 1;
  static HWY_INLINE Floats<Wide> widen(Bits bits) {
    constexpr std::uint32_t kMagnitude = (1U << kSign) - 1, kLargest = kMagnitude >> mantissa << mantissa;
    const auto magnitude = hn::And(bits, hn::Set(kWords, kMagnitude));
    const auto sign = hn::ShiftLeft<31 - kSign>(hn::AndNot(hn::Set(kWords, kMagnitude), bits));
    const auto shifted = hn::ShiftLeft<23 - mantissa>(magnitude);
    const auto scale = hn::Set(Wide(), std::bit_cast<float>((254U - bias) << 23));
    const auto finite = hn::BitCast(kWords, hn::Mul(hn::BitCast(Wide(), shifted), scale));
    const auto special = hn::Or(shifted, hn::Set(kWords, 0x7F800000U));
    const auto is_special = hn::Eq(hn::And(bits, hn::Set(kWords, kLargest)), hn::Set(kWords, kLargest));
    return hn::BitCast(Wide(), hn::Or(sign, hn::IfThenElse(is_special, special, finite)));
  }
};

// The OCP's E4M3: the largest exponent means numbers, except that all bits set mean a NaN.
struct E4M3Fn {
  using Element = std::uint8_t;
  static HWY_INLINE Floats<Wide> widen(Bits bits) {
    constexpr std::uint32_t kMagnitude = 0x7FU;
    const auto magnitude = hn::And(bits, hn::Set(kWords, kMagnitude));
    const auto sign = hn::ShiftLeft<24>(hn::AndNot(hn::Set(kWords, kMagnitude), bits));
    const auto scale = hn::Set(Wide(), std::bit_cast<float>((254U - 7U) << 23));
    const auto number =
        hn::BitCast(kWords, hn::Mul(hn::BitCast(Wide(), hn::ShiftLeft<20>(magnitude)), scale));
    const auto is_special = hn::Eq(magnitude, hn::Set(kWords, kMagnitude));
    return hn::BitCast(Wide(),
                       hn::Or(sign, hn::IfThenElse(is_special, hn::Set(kWords, 0x7FC00000U), number)));
  }
};

template <class Format>
void widen_rows(const std::byte* values, std::size_t n, float* at, std::size_t stride) {
  constexpr std::size_t kSize = sizeof(typename Format::Element);
  for (std::size_t i = 0; i < n; i += kMovingPanel, at += stride)
    for (std::size_t j = 0; j < kMovingPanel; j += kLanes)
      hn::StoreU(Format::widen(load_bits<typename Format::Element>(values + (i + j) * kSize)), Wide(),
                 at + j);
}

void widen_panels(DType dtype, const std::byte* values, std::size_t n, float* at, std::size_t stride) {
  switch (dtype) {
    case DType::kBf16:
      return widen_rows<Bf16>(values, n, at, stride);
    case DType::kFp16:
      return widen_rows<Small<std::uint16_t, 10, 15>>(values, n, at, stride);
    case DType::kTf32:
      return widen_rows<Tf32>(values, n, at, stride);
    case DType::kFp8E4M3:
      return widen_rows<Small<std::uint8_t, 3, 7>>(values, n, at, stride);
    case DType::kFp8E5M2:
      return widen_rows<Small<std::uint8_t, 2, 15>>(values, n, at, stride);
    case DType::kFp8E3M4:
      return widen_rows<Small<std::uint8_t, 4, 3>>(values, n, at, stride);
    case DType::kFp8E4M3Fn:
      return widen_rows<E4M3Fn>(values, n, at, stride);
    default:
      return widen_rows<Fp32>(values, n, at, stride);
  }
}

template <class D>
HWY_INLINE hn::Mask<D> is_finite(D d, Floats<D> v) {
  const hn::RebindToUnsigned<D> words;
  const auto exponent = hn::Set(words, 0x7F800000U);
  return hn::RebindMask(d, hn::Ne(hn::And(hn::BitCast(words, v), exponent), exponent));
}

template <class D>
HWY_INLINE bool split_at(D d, float* high, float* low) {
  const hn::RebindToUnsigned<D> words;
  const auto x = hn::LoadU(d, high);
  const auto bits = hn::BitCast(words, x);
  const auto above = hn::Set(words, 0x7FFFF000U), none = hn::Zero(words);
  const auto finite = is_finite(d, x);
  const auto all_low = hn::RebindMask(d, hn::Eq(hn::And(bits, above), none));
  const auto cut = hn::BitCast(d, hn::And(bits, hn::Set(words, 0xFFFFF000U)));
  const auto upper = hn::IfThenElse(hn::AndNot(all_low, finite), cut, x);
  hn::StoreU(upper, d, high);
  hn::StoreU(hn::IfThenElseZero(finite, hn::Sub(x, upper)), d, low);
  return hn::AllTrue(d, finite);
}

bool split_all(float* high, float* low, std::size_t n) {
  bool finite = true;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) finite &= split_at(Wide(), high + i, low + i);
  for (; i < n; ++i) finite &= split_at(Single(), high + i, low + i);
  return finite;
}

bool finite_all(const float* values, std::size_t n) {
  bool finite = true;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    finite &= hn::AllTrue(Wide(), is_finite(Wide(), hn::LoadU(Wide(), values + i)));
  for (; i < n; ++i) finite &= hn::AllTrue(Single(), is_finite(Single(), hn::LoadU(Single(), values + i)));
  return finite;
}

}  // namespace tahoma::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tahoma::isa {

HWY_EXPORT(widen_panels);
HWY_EXPORT(split_all);
HWY_EXPORT(finite_all);

void widen_into_panels(DType dtype, const std::byte* values, std::size_t n, float* at, std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(widen_panels)(dtype, values, n, at, stride);
}

bool split_halves(float* high, float* low, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(split_all)(high, low, n);
}

bool all_finite(const float* values, std::size_t n) { return HWY_DYNAMIC_DISPATCH(finite_all)(values, n); }

}  // namespace tahoma::isa
#endif
