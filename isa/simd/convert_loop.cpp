// SPDX-License-Identifier: Apache-2.0
#include "isa/simd/convert_loop.h"

#include <cstdint>
#include <limits>
#include <type_traits>

#include "isa/simd/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/simd/convert_loop.cpp"
// Highway includes this file once per target, so the macro must be defined first.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "isa/simd/convert_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tahoma::isa::HWY_NAMESPACE {

// Loads and stores elements as the words that hold them.
template <class T, class D>
HWY_INLINE Words<D> load_words(D, const std::byte* in, std::size_t i) {
  const hn::RebindToUnsigned<D> du;
  const auto* elements = reinterpret_cast<const T*>(in) + i;
  if constexpr (sizeof(T) == 4) {
    return hn::LoadU(du, elements);
  } else {
    return hn::PromoteTo(du, hn::LoadU(hn::Rebind<T, D>(), elements));
  }
}

template <class T, class D>
HWY_INLINE void store_words(D, Words<D> words, std::byte* out, std::size_t i) {
  auto* elements = reinterpret_cast<T*>(out) + i;
  if constexpr (sizeof(T) == 4) {
    hn::StoreU(words, hn::RebindToUnsigned<D>(), elements);
  } else {
    const hn::Rebind<T, D> dt;  // DemoteTo saturates signed words; these fit
    hn::StoreU(hn::DemoteTo(dt, hn::BitCast(Integers<D>(), words)), dt, elements);
  }
}

template <class Convert>
HWY_INLINE void widen_with(Convert convert, const std::byte* in, float* out, std::size_t n) {
  using T = typename Convert::Element;
  const Wide wide;
  const Single one;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) hn::StoreU(convert(wide, load_words<T>(wide, in, i)), wide, out + i);
  for (; i < n; ++i) hn::StoreU(convert(one, load_words<T>(one, in, i)), one, out + i);
}

template <class T, class D>
HWY_INLINE void widen_integers_at(D d, const std::byte* in, float* out, std::size_t i) {
  const auto elements = hn::LoadU(hn::Rebind<T, D>(), reinterpret_cast<const T*>(in) + i);
  hn::StoreU(hn::ConvertTo(d, hn::PromoteTo(Integers<D>(), elements)), d, out + i);
}

template <class T>
HWY_INLINE void widen_integers(const std::byte* in, float* out, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) widen_integers_at<T>(Wide(), in, out, i);
  for (; i < n; ++i) widen_integers_at<T>(Single(), in, out, i);
}

template <class Convert>
HWY_INLINE void narrow_with(Convert convert, const float* in, std::byte* out, std::size_t n) {
  using T = typename Convert::Element;
  const Wide wide;
  const Single one;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store_words<T>(wide, convert(wide, hn::LoadU(wide, in + i)), out, i);
  for (; i < n; ++i) store_words<T>(one, convert(one, hn::LoadU(one, in + i)), out, i);
}

template <class DU>
HWY_INLINE hn::Vec<DU> mixed(DU du, hn::Vec<DU> x) {  // mix32 of isa/core/rounding.h
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), hn::Set(du, 0x85EBCA6BU));
  x = hn::Mul(hn::Xor(x, hn::ShiftRight<13>(x)), hn::Set(du, 0xC2B2AE35U));
  return hn::Xor(x, hn::ShiftRight<16>(x));
}

// This yields the random words of a stream, from a position on.
struct RandomWords {
  std::uint32_t position, stream;
};

template <class D, class Convert>
HWY_INLINE void stochastic_at(D d, Convert convert, const float* in, std::byte* out, std::size_t i,
                              RandomWords words) {
  const hn::RebindToUnsigned<D> du;
  // hn::Iota with a nonzero first number would go through memory, lane by lane.
  const auto first = hn::Set(du, words.position + static_cast<std::uint32_t>(i));
  const auto position = hn::Add(hn::Iota(du, 0), first);
  const auto random = mixed(du, hn::Add(mixed(du, position), hn::Set(du, words.stream)));
  store_words<typename Convert::Element>(d, convert(d, hn::LoadU(d, in + i), random), out, i);
}

template <class Convert>
HWY_INLINE void stochastic_with(Convert convert, const float* in, std::byte* out, std::size_t n,
                                const Rounding& rounding) {
  const RandomWords words{rounding.position, rounding.stream()};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) stochastic_at(Wide(), convert, in, out, i, words);
  for (; i < n; ++i) stochastic_at(Single(), convert, in, out, i, words);
}

void widen(DType dtype, const std::byte* in, float* out, std::size_t n) {
  switch (dtype) {
    case DType::kBf16:
      return widen_with(WidenBf16(), in, out, n);
    case DType::kFp16:
      return widen_with(WidenSmall<Fp16, std::uint16_t>(), in, out, n);
    case DType::kTf32:
      return widen_with(WidenTf32(), in, out, n);
    case DType::kFp8E4M3:
      return widen_with(WidenSmall<Fp8E4M3, std::uint8_t>(), in, out, n);
    case DType::kFp8E5M2:
      return widen_with(WidenSmall<Fp8E5M2, std::uint8_t>(), in, out, n);
    case DType::kFp8E3M4:
      return widen_with(WidenSmall<Fp8E3M4, std::uint8_t>(), in, out, n);
    case DType::kFp8E4M3Fn:
      return widen_with(WidenE4M3Fn(), in, out, n);
    case DType::kUint8:
      return widen_integers<std::uint8_t>(in, out, n);
    case DType::kInt8:
      return widen_integers<std::int8_t>(in, out, n);
    case DType::kInt16:
      return widen_integers<std::int16_t>(in, out, n);
    case DType::kUint16:
      return widen_integers<std::uint16_t>(in, out, n);
    case DType::kFp32:
    case DType::kInt32:
    case DType::kUint32:
      return;  // no row conversion
  }
}

void narrow(DType dtype, const float* in, std::byte* out, std::size_t n) {
  switch (dtype) {
    case DType::kBf16:
      return narrow_with(NarrowBf16(), in, out, n);
    case DType::kFp16:
      return narrow_with(NarrowSmall<Fp16, std::uint16_t>(), in, out, n);
    case DType::kTf32:
      return narrow_with(NarrowTf32(), in, out, n);
    case DType::kFp8E4M3:
      return narrow_with(NarrowSmall<Fp8E4M3, std::uint8_t>(), in, out, n);
    case DType::kFp8E5M2:
      return narrow_with(NarrowSmall<Fp8E5M2, std::uint8_t>(), in, out, n);
    case DType::kFp8E3M4:
      return narrow_with(NarrowSmall<Fp8E3M4, std::uint8_t>(), in, out, n);
    case DType::kFp8E4M3Fn:
      return narrow_with(NarrowE4M3Fn(), in, out, n);
    case DType::kUint8:
      return narrow_with(NarrowInteger<std::uint8_t>(), in, out, n);
    case DType::kInt8:
      return narrow_with(NarrowInteger<std::int8_t>(), in, out, n);
    case DType::kInt16:
      return narrow_with(NarrowInteger<std::int16_t>(), in, out, n);
    case DType::kUint16:
      return narrow_with(NarrowInteger<std::uint16_t>(), in, out, n);
    case DType::kFp32:
    case DType::kInt32:
    case DType::kUint32:
      return;  // no row conversion
  }
}

void narrow_stochastic(DType dtype, const float* in, std::byte* out, std::size_t n,
                       const Rounding& rounding) {
  switch (dtype) {
    case DType::kBf16:
      return stochastic_with(StochasticWideExponent<NarrowBf16, 16, false>(), in, out, n, rounding);
    case DType::kFp16:
      return stochastic_with(StochasticSmall<Fp16, std::uint16_t>(), in, out, n, rounding);
    case DType::kTf32:
      return stochastic_with(StochasticWideExponent<NarrowTf32, 13, true>(), in, out, n, rounding);
    case DType::kFp8E4M3:
      return stochastic_with(StochasticSmall<Fp8E4M3, std::uint8_t>(), in, out, n, rounding);
    case DType::kFp8E5M2:
      return stochastic_with(StochasticSmall<Fp8E5M2, std::uint8_t>(), in, out, n, rounding);
    case DType::kFp8E3M4:
      return stochastic_with(StochasticSmall<Fp8E3M4, std::uint8_t>(), in, out, n, rounding);
    case DType::kFp8E4M3Fn:
      return stochastic_with(StochasticE4M3Fn(), in, out, n, rounding);
    default:
      return;  // does not round stochastically
  }
}

}  // namespace tahoma::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tahoma::isa {

HWY_EXPORT(widen);
HWY_EXPORT(narrow);
HWY_EXPORT(narrow_stochastic);

bool has_row_conversion(DType dtype) {
  return dtype != DType::kFp32 && dtype != DType::kInt32 && dtype != DType::kUint32;
}

void widen_row(DType dtype, const std::byte* in, float* out, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(widen)(dtype, in, out, n);
}

void narrow_row(DType dtype, const float* in, std::byte* out, std::size_t n, Rounding* rounding) {
  if (rounding == nullptr || !rounds_stochastically(dtype)) {
    return HWY_DYNAMIC_DISPATCH(narrow)(dtype, in, out, n);
  }
  HWY_DYNAMIC_DISPATCH(narrow_stochastic)(dtype, in, out, n, *rounding);
  rounding->position += static_cast<std::uint32_t>(n);
}

}  // namespace tahoma::isa
#endif
