// SPDX-License-Identifier: Apache-2.0
// Building blocks of the activation functions: polynomials, sums and products with their rounding error, and
// e^x with a separate power of two. Products and sums round separately unless `fused` is requested, because
// not every target can fuse. u below is 2^-24, half a unit in the last place of 1. Highway includes this file
// once per target, hence the toggling guard.
#if defined(TAHOMA_ISA_ACTIVATION_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAHOMA_ISA_ACTIVATION_INL_H
#undef TAHOMA_ISA_ACTIVATION_INL_H
#else
#define TAHOMA_ISA_ACTIVATION_INL_H
#endif

#include <array>
#include <cstddef>

#include "isa/simd/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tahoma::isa::HWY_NAMESPACE {

template <class Fn, class D>
HWY_INLINE void apply_at(Fn fn, D d, const float* in, float* out) {
  const auto x = hn::LoadU(d, in);
  const auto y = one_nan(d, fn(d, x));
  hn::StoreU(hn::IfThenElse(is_nan(d, x), quiet_nan(d), y), d, out);
}

// Computes out[i] = fn(in[i]), eight lanes at a time and one by one at the end. Functions need
// not handle NaNs.
template <class Fn>
HWY_INLINE void apply(Fn fn, const float* in, float* out, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) apply_at(fn, Wide(), in + i, out + i);
  for (; i < n; ++i) apply_at(fn, Single(), in + i, out + i);
}

// Evaluates c[0] + c[1] t + c[2] t^2 + ... by Horner's rule.
template <class D, std::size_t terms>
HWY_INLINE Floats<D> polynomial(D d, Floats<D> t, const std::array<float, terms>& c) {
  auto sum = hn::Set(d, c[terms - 1]);
  for (std::size_t k = terms - 1; k-- > 0;) sum = hn::Add(hn::Mul(sum, t), hn::Set(d, c[k]));
  return sum;
}

template <class D>
HWY_INLINE hn::Mask<D> is_negative(D d, Floats<D> x) {  // not -0
  return hn::Lt(x, hn::Zero(d));
}

// ---- unevaluated sums hi + lo, |lo| at most about an ulp of hi

template <class D>
struct Pair {
  Floats<D> hi, lo;
};

// The result is exact unless a part underflows.
template <class D>
HWY_INLINE Pair<D> exact_product(D d, Floats<D> a, Floats<D> b) {
  const auto hi = hn::Mul(a, b);
  return {hi, fused(d, a, b, hn::Neg(hi))};
}

template <class D>
HWY_INLINE Pair<D> exact_sum(D, Floats<D> a, Floats<D> b) {
  const auto hi = hn::Add(a, b);
  const auto part = hn::Sub(hi, a);
  return {hi, hn::Add(hn::Sub(a, hn::Sub(hi, part)), hn::Sub(b, part))};
}

// The relative error is about 2^-45.
template <class D>
HWY_INLINE Pair<D> pair_product(D d, Pair<D> a, Pair<D> b) {
  auto p = exact_product(d, a.hi, b.hi);
  p.lo = hn::Add(p.lo, hn::Add(hn::Mul(a.hi, b.lo), hn::Mul(a.lo, b.hi)));
  return p;
}

template <class D>
HWY_INLINE Pair<D> pair_of(D d, float hi, float lo) {
  return {hn::Set(d, hi), hn::Set(d, lo)};
}

// ---- the exponential

// mantissa * first * second. The factors are powers of two, two of them because one cannot reach 2^-150; only
// the second product can round, and only into a subnormal number.
template <class D>
struct Scaled {
  Floats<D> mantissa, first, second;
};

template <class D>
HWY_INLINE Floats<D> two_to(D d, hn::Vec<hn::RebindToSigned<D>> n) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

// Multiplies v by the powers of two of e.
template <class D>
HWY_INLINE Floats<D> scale(D, Floats<D> v, Scaled<D> e) {
  return hn::Mul(hn::Mul(v, e.first), e.second);
}

// e^x = 2^n e^r with n the integer nearest to x / ln 2, so |r| <= ln 2 / 2 and e^r = 1 + r + r^2 P(r). P
// interpolates (e^r - 1 - r) / r^2 at Chebyshev points: relative error 2^-27. ln 2 is split so that n times
// its upper part is exact. The mantissa is in [0.7, 1.42] with a relative error of at most 1.5 u.
template <class D>
class ExpOf {
 public:
  // It is valid for hi in [-170, 170] and |lo| of a few ulp of hi.
  static HWY_INLINE Scaled<D> pair(D d, Pair<D> x) {
    const Reduced reduced = reduce(d, x.hi);
    return finish(d, reduced.n, hn::Add(reduced.r, x.lo));
  }
  static HWY_INLINE Scaled<D> single(D d, Floats<D> x) {
    const Reduced reduced = reduce(d, x);
    return finish(d, reduced.n, reduced.r);
  }

 private:
  struct Reduced {
    hn::Vec<hn::RebindToSigned<D>> n;
    Floats<D> r;
  };
  static HWY_INLINE Reduced reduce(D d, Floats<D> x) {
    const hn::RebindToSigned<D> di;
    const auto shift = hn::Set(d, 0x1.8p23F);  // adding it leaves the rounded integer in the low bits
    const auto shifted = hn::Add(hn::Mul(x, hn::Set(d, 0x1.715476p0F)), shift);
    const auto n = hn::Sub(shifted, shift);
    auto r = hn::Sub(x, hn::Mul(n, hn::Set(d, 0x1.63p-1F)));
    r = hn::Sub(r, hn::Mul(n, hn::Set(d, -0x1.bd0106p-13F)));
    return {hn::Sub(hn::BitCast(di, shifted), hn::BitCast(di, shift)), r};
  }
  static HWY_INLINE Scaled<D> finish(D d, hn::Vec<hn::RebindToSigned<D>> n, Floats<D> r) {
    const std::array<float, 5> c{0.5F, 0x1.5554dcp-3F, 0x1.5554e8p-5F, 0x1.120ba6p-7F, 0x1.6d4366p-10F};
    const auto square = hn::Mul(hn::Mul(r, r), polynomial(d, r, c));
    const auto half = hn::ShiftRight<1>(n);
    return {hn::Add(hn::Set(d, 1.0F), hn::Add(r, square)), two_to(d, half), two_to(d, hn::Sub(n, half))};
  }
};

// At this limit even 126 e^x is far below half of the smallest fp32 number. Functions of e^x clamp x to it,
// so that the exponent stays in range.
inline constexpr float kVanishing = -126.0F;

// Computes e^-|x|, clamped once it has vanished.
template <class D>
HWY_INLINE Scaled<D> exp_of_minus_abs(D d, Floats<D> x) {
  return ExpOf<D>::single(d, hn::Max(hn::Neg(hn::Abs(x)), hn::Set(d, kVanishing)));
}

// f - log(1 + f) = s (f - s^2 P(s^2)) with s = f / (2 + f), for f in [sqrt(1/2) - 1, 1]; from log(1 + f) =
// 2 artanh(s) = 2 s + s^3 P(s^2). P is the minimax polynomial: 2^-33. In log(1 + f) = f - this, the errors
// made here weigh at most 0.45.
template <class D>
HWY_INLINE Floats<D> log_correction(D d, Floats<D> f) {
  const std::array<float, 5> c{0x1.555558p-1F, 0x1.9996d8p-2F, 0x1.250510p-2F, 0x1.b72bb6p-3F,
                               0x1.f08b0cp-3F};
  const auto s = hn::Div(f, hn::Add(hn::Set(d, 2.0F), f));
  const auto square = hn::Mul(s, s);
  return hn::Mul(s, hn::Sub(f, hn::Mul(square, polynomial(d, square, c))));
}

}  // namespace tahoma::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
