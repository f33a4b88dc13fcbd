// SPDX-License-Identifier: Apache-2.0
// Conversions of one vector between fp32 and the 32-bit words that hold elements of another dtype. Highway
// includes this file once per target, hence the toggling guard.
#if defined(TAHOMA_ISA_CONVERT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAHOMA_ISA_CONVERT_INL_H
#undef TAHOMA_ISA_CONVERT_INL_H
#else
#define TAHOMA_ISA_CONVERT_INL_H
#endif

#include <cstdint>
#include <limits>
#include <type_traits>

#include "isa/core/small_float.h"
#include "isa/simd/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tahoma::isa::HWY_NAMESPACE {

template <class D>
using Integers = hn::RebindToSigned<D>;

inline constexpr std::uint32_t kMagnitude = 0x7FFFFFFFU, kInfinity = 0x7F800000U, kQuiet = 0x00400000U,
                               kTf32Ignored = 0x1FFFU;

struct WidenBf16 {
  using Element = std::uint16_t;
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Words<D> half) const {
    return hn::BitCast(d, hn::ShiftLeft<16>(half));
  }
};

struct WidenTf32 {
  using Element = std::uint32_t;
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Words<D> word) const {
    const hn::RebindToUnsigned<D> du;
    const auto kept = hn::AndNot(hn::Set(du, kTf32Ignored), word);
    const auto nan = hn::RebindMask(du, is_nan(d, hn::BitCast(d, word)));
    return hn::BitCast(d, hn::Or(kept, hn::IfThenElseZero(nan, hn::Set(du, kQuiet))));
  }
};

template <class F, class T>
struct WidenSmall {
  using Element = T;
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Words<D> word) const {
    const hn::RebindToUnsigned<D> du;
    const auto sign = hn::ShiftLeft<F::kSignShift>(hn::And(word, hn::Set(du, F::kSign)));
    const auto magnitude = hn::ShiftLeft<F::kDropped>(hn::And(word, hn::Set(du, F::kSign - 1)));
    const auto infinity = hn::Set(du, F::kInfinity << F::kDropped);
    // This is exact, subnormals included.
    const auto number = hn::BitCast(du, hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, F::kScale)));
    const auto special = hn::Or(hn::Or(magnitude, hn::Set(du, kInfinity)),
                                hn::IfThenElseZero(hn::Gt(magnitude, infinity), hn::Set(du, kQuiet)));
    return hn::BitCast(d, hn::Or(sign, hn::IfThenElse(hn::Lt(magnitude, infinity), number, special)));
  }
};

struct WidenE4M3Fn {
  using Element = std::uint8_t;
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Words<D> word) const {
    using F = Fp8E4M3;
    const hn::RebindToUnsigned<D> du;
    const auto sign = hn::ShiftLeft<F::kSignShift>(hn::And(word, hn::Set(du, F::kSign)));
    const auto magnitude = hn::And(word, hn::Set(du, F::kSign - 1));
    const auto shifted = hn::BitCast(d, hn::ShiftLeft<F::kDropped>(magnitude));
    const auto number = hn::BitCast(du, hn::Mul(shifted, hn::Set(d, F::kScale)));  // exact
    const auto nan = hn::Set(du, kInfinity | kQuiet);
    return hn::BitCast(d,
                       hn::Or(sign, hn::IfThenElse(hn::Eq(magnitude, hn::Set(du, kNanE4M3Fn)), nan, number)));
  }
};

struct NarrowBf16 {
  using Element = std::uint16_t;
  template <class D>
  HWY_INLINE Words<D> operator()(D d, Floats<D> value) const {
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::BitCast(du, value);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1U));
    const auto rounded = hn::ShiftRight<16>(hn::Add(hn::Add(bits, hn::Set(du, 0x7FFFU)), odd));
    const auto nan = hn::Or(hn::ShiftRight<16>(bits), hn::Set(du, 0x0040U));
    return hn::IfThenElse(hn::RebindMask(du, is_nan(d, value)), nan, rounded);
  }
};

struct NarrowTf32 {
  using Element = std::uint32_t;
  template <class D>
  HWY_INLINE Words<D> operator()(D d, Floats<D> value) const {
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::BitCast(du, value);
    const auto odd = hn::And(hn::ShiftRight<13>(bits), hn::Set(du, 1U));
    const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, kTf32Ignored >> 1)), odd);
    const auto nan = hn::Or(bits, hn::Set(du, kQuiet));
    return hn::AndNot(hn::Set(du, kTf32Ignored),
                      hn::IfThenElse(hn::RebindMask(du, is_nan(d, value)), nan, rounded));
  }
};

// Returns infinity, or the NaN that `magnitude` becomes.
template <class F, class DU>
HWY_INLINE hn::Vec<DU> special_small(DU du, hn::Vec<DU> magnitude) {
  const auto payload = hn::And(hn::ShiftRight<F::kDropped>(magnitude), hn::Set(du, F::kQuiet - 1));
  const auto nan = hn::Or(payload, hn::Set(du, F::kInfinity | F::kQuiet));
  return hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, kInfinity)), nan, hn::Set(du, F::kInfinity));
}

template <class F, class T>
struct NarrowSmall {
  using Element = T;
  template <class D>
  HWY_INLINE Words<D> operator()(D d, Floats<D> value) const {
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::BitCast(du, value);
    const auto sign = hn::And(hn::ShiftRight<F::kSignShift>(bits), hn::Set(du, F::kSign));
    const auto magnitude = hn::And(bits, hn::Set(du, kMagnitude));
    const auto odd = hn::And(hn::ShiftRight<F::kDropped>(magnitude), hn::Set(du, 1U));
    constexpr std::uint32_t half = (1U << (F::kDropped - 1)) - 1;
    const auto normal =
        hn::ShiftRight<F::kDropped>(hn::Add(hn::Sub(magnitude, hn::Set(du, F::kRebias - half)), odd));
    const auto adder = hn::Set(du, F::kStepAdder);
    const auto steps = hn::Add(hn::BitCast(d, magnitude), hn::BitCast(d, adder));
    const auto small = hn::Sub(hn::BitCast(du, steps), adder);
    auto word = hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, F::kSmallestNormal)), small, normal);
    word =
        hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, F::kBeyond - 1)), special_small<F>(du, magnitude), word);
    return hn::Or(sign, word);
  }
};

// Infinities, NaNs and numbers that round beyond the largest one become a NaN.
struct NarrowE4M3Fn {
  using Element = std::uint8_t;
  template <class D>
  HWY_INLINE Words<D> operator()(D d, Floats<D> value) const {
    using F = Fp8E4M3;
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::BitCast(du, value);
    const auto sign = hn::And(hn::ShiftRight<F::kSignShift>(bits), hn::Set(du, F::kSign));
    const auto magnitude = hn::And(bits, hn::Set(du, kMagnitude));
    const auto odd = hn::And(hn::ShiftRight<F::kDropped>(magnitude), hn::Set(du, 1U));
    constexpr std::uint32_t half = (1U << (F::kDropped - 1)) - 1;
    const auto normal =
        hn::ShiftRight<F::kDropped>(hn::Add(hn::Sub(magnitude, hn::Set(du, F::kRebias - half)), odd));
    const auto is_small = hn::Lt(magnitude, hn::Set(du, F::kSmallestNormal));
    const auto word = hn::Min(normal, hn::Set(du, kNanE4M3Fn));
    return hn::IfThenElse(is_small, NarrowSmall<F, std::uint8_t>()(d, value), hn::Or(sign, word));
  }
};

// The limits of 8- and 16-bit integers are exact in fp32, so the clamp may precede the rounding.
template <class T>
struct NarrowInteger {
  using Element = std::make_unsigned_t<T>;
  template <class D>
  HWY_INLINE Words<D> operator()(D d, Floats<D> value) const {
    const hn::RebindToUnsigned<D> du;
    const auto low = hn::Set(d, static_cast<float>(std::numeric_limits<T>::min()));
    const auto high = hn::Set(d, static_cast<float>(std::numeric_limits<T>::max()));
    const auto number = hn::IfThenElseZero(hn::Eq(value, value), value);
    const auto rounded = hn::NearestInt(hn::Min(hn::Max(number, low), high));
    return hn::And(hn::BitCast(du, rounded), hn::Set(du, std::uint32_t{std::numeric_limits<Element>::max()}));
  }
};

// The stochastic conversions take one word of random bits per element.
template <class Nearest, unsigned dropped, bool in_place>
struct StochasticWideExponent {  // bf16 and tf32: the exponent is fp32's own
  using Element = typename Nearest::Element;
  template <class D>
  HWY_INLINE Words<D> operator()(D d, Floats<D> value, Words<D> random) const {
    const hn::RebindToUnsigned<D> du;
    constexpr std::uint32_t below = (1U << dropped) - 1;
    const auto bits = hn::BitCast(du, value), infinity = hn::Set(du, kInfinity);
    const auto sum = hn::Add(bits, hn::And(random, hn::Set(du, below)));
    const auto cut = in_place ? hn::AndNot(hn::Set(du, below), sum) : hn::ShiftRight<dropped>(sum);
    return hn::IfThenElse(hn::Eq(hn::And(bits, infinity), infinity), Nearest()(d, value), cut);
  }
};

template <class F, class T>
struct StochasticSmall {
  using Element = T;
  template <class D>
  HWY_INLINE Words<D> operator()(D d, Floats<D> value, Words<D> random) const {
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::BitCast(du, value);
    const auto sign = hn::And(hn::ShiftRight<F::kSignShift>(bits), hn::Set(du, F::kSign));
    const auto magnitude = hn::And(bits, hn::Set(du, kMagnitude));
    const auto below = hn::And(random, hn::Set(du, (1U << F::kDropped) - 1));
    const auto normal =
        hn::ShiftRight<F::kDropped>(hn::Add(hn::Sub(magnitude, hn::Set(du, F::kRebias)), below));
    const auto is_small = hn::Lt(magnitude, hn::Set(du, F::kSmallestNormal));
    const auto small = subnormal(d, hn::IfThenElseZero(is_small, magnitude), random);
    auto word = hn::IfThenElse(is_small, small, normal);
    word =
        hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, F::kBeyond - 1)), special_small<F>(du, magnitude), word);
    return hn::Or(sign, word);
  }

 private:
  // Counts whole steps, plus one if the fraction of a step and the random fraction sum to at least 1;
  // both have 31 bits.
  template <class D>
  HWY_INLINE static Words<D> subnormal(D d, Words<D> magnitude, Words<D> random) {
    const hn::RebindToUnsigned<D> du;
    const Integers<D> di;
    const auto steps = hn::Mul(hn::BitCast(d, magnitude), hn::Set(d, F::kSteps));
    const auto whole = hn::ConvertTo(di, steps);
    const auto rest = hn::Mul(hn::Sub(steps, hn::ConvertTo(d, whole)), hn::Set(d, 0x1p31F));
    const auto fraction = hn::BitCast(du, hn::ConvertTo(di, rest));
    const auto carry = hn::ShiftRight<31>(hn::Add(fraction, hn::And(random, hn::Set(du, kMagnitude))));
    return hn::Add(hn::BitCast(du, whole), carry);
  }
};

struct StochasticE4M3Fn {
  using Element = std::uint8_t;
  template <class D>
  HWY_INLINE Words<D> operator()(D d, Floats<D> value, Words<D> random) const {
    using F = Fp8E4M3;
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::BitCast(du, value);
    const auto sign = hn::And(hn::ShiftRight<F::kSignShift>(bits), hn::Set(du, F::kSign));
    const auto magnitude = hn::And(bits, hn::Set(du, kMagnitude));
    const auto below = hn::And(random, hn::Set(du, (1U << F::kDropped) - 1));
    const auto normal =
        hn::ShiftRight<F::kDropped>(hn::Add(hn::Sub(magnitude, hn::Set(du, F::kRebias)), below));
    const auto is_small = hn::Lt(magnitude, hn::Set(du, F::kSmallestNormal));
    const auto word = hn::Min(normal, hn::Set(du, kNanE4M3Fn));
    return hn::IfThenElse(is_small, StochasticSmall<F, std::uint8_t>()(d, value, random), hn::Or(sign, word));
  }
};

}  // namespace tahoma::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
