// SPDX-License-Identifier: Apache-2.0
// The normal distribution: Phi(x), its density and the error function, all through the upper tail
//   Q(a) = 1 - Phi(a) = e^(-a^2 / 2) W / (1 + 1.25 a),   a >= 0,
// in which W stays within [0.5, 0.6] and is a polynomial of q = (a - 4) / (a + 4). The argument of e is known
// exactly, so tails keep their relative accuracy as far as fp32 reaches.
#include "isa/simd/activation_groups.h"
#include "isa/simd/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/simd/activation_gauss.cpp"
// Highway includes this file once per target, so the macro must be defined first.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "isa/simd/activation_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tahoma::isa::HWY_NAMESPACE {

// m Q(a) e^(a^2 / 2) for a in [0, 15.5], where m is 1 or the mantissa of e^(-a^2 / 2). The minimax polynomial
// excludes the constant 1/2, so it is at most 0.1 and its rounding error is small: the relative error is
// 2^-26.7 from the coefficients and 2.5 u in total, not counting that of m.
template <class D>
HWY_INLINE Floats<D> tail_of(D d, Floats<D> a, Floats<D> m) {
  const std::array<float, 11> c{0x1.103c66p-4F,  -0x1.40a26cp-4F,  -0x1.bd7dbcp-7F, 0x1.b7b832p-5F,
                                -0x1.88e9aap-5F, 0x1.923714p-6F,   -0x1.a22b04p-8F, -0x1.1c1256p-11F,
                                0x1.dc021ep-11F, -0x1.097868p-14F, -0x1.80f8a4p-14F};
  const auto four = hn::Set(d, 4.0F);
  const auto q = hn::Div(hn::Sub(a, four), hn::Add(a, four));
  const auto w = hn::Add(hn::Mul(m, hn::Set(d, 0.5F)), hn::Mul(m, polynomial(d, q, c)));
  return hn::Div(w, fused(d, a, hn::Set(d, 1.25F), hn::Set(d, 1.0F)));
}

// From here on e^(-a^2 / 2) underflows to zero.
template <class D>
HWY_INLINE Floats<D> magnitude(D d, Floats<D> x) {
  return hn::Min(hn::Abs(x), hn::Set(d, 15.5F));
}

// Computes e^(-a^2 factor) for a factor of 1 or 1/2 and a^2 factor up to 126.
template <class D>
HWY_INLINE Scaled<D> bell(D d, Floats<D> a, float factor) {
  return ExpOf<D>::pair(d, exact_product(d, a, hn::Mul(a, hn::Set(d, -factor))));
}

// erf(a) / a - 1 for a^2 in [0, 0.5625]: the minimax polynomial, 2^-29.
template <class D>
HWY_INLINE Floats<D> erf_ratio(D d, Floats<D> square) {
  const std::array<float, 6> c{0x1.06eba8p-3F,  -0x1.81273ap-2F, 0x1.ce2acep-4F,
                               -0x1.b7a75cp-6F, 0x1.4f1888p-8F,  -0x1.613e18p-11F};
  return polynomial(d, square, c);
}

// Phi(x) - 1/2 = erf(x / sqrt(2)) / 2, for |x| at most 0.6.
template <class D>
HWY_INLINE Floats<D> central(D d, Floats<D> x) {
  const auto scaled = hn::Mul(x, hn::Set(d, 0x1.6a09e6p-2F));  // sqrt(1/8)
  const auto half_square = hn::Mul(hn::Mul(x, x), hn::Set(d, 0.5F));
  return hn::Add(scaled, hn::Mul(scaled, erf_ratio(d, half_square)));
}

template <class D>
HWY_INLINE hn::Mask<D> is_central(D d, Floats<D> x) {
  return hn::Lt(hn::Abs(x), hn::Set(d, 0.6F));
}

// For small x the term 1/2 dominates Phi(x) and gives the smallest rounding error; the tail formula takes
// over where it no longer does.
struct Gelu {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const auto a = magnitude(d, x);
    const auto e = bell(d, a, 0.5F);
    const auto tail = tail_of(d, a, e.mantissa);
    const auto left = scale(d, hn::Mul(hn::Neg(a), tail), e);
    const auto right = hn::Mul(x, hn::Sub(hn::Set(d, 1.0F), scale(d, tail, e)));
    const auto near = hn::Mul(x, hn::Add(hn::Set(d, 0.5F), central(d, x)));
    return hn::IfThenElse(is_central(d, x), near, hn::IfThenElse(is_negative(d, x), left, right));
  }
};

// Phi(x) + x phi(x) with the density phi(x) = e^(-x^2 / 2) / sqrt(2 pi). The value at -a is Q(a) - a phi(a),
// and at a it is 1 less that.
struct GeluDx {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const auto a = magnitude(d, x);
    const auto e = bell(d, a, 0.5F);
    const auto density = hn::Set(d, 0x1.988454p-2F);
    const auto ratio = tail_of(d, a, hn::Set(d, 1.0F));
    const auto left = scale(d, hn::Mul(e.mantissa, fused(d, a, hn::Neg(density), ratio)), e);
    const auto right = hn::Sub(hn::Set(d, 1.0F), left);
    const auto slope = scale(d, hn::Mul(e.mantissa, hn::Mul(x, density)), e);
    const auto near = hn::Add(hn::Set(d, 0.5F), hn::Add(central(d, x), slope));
    return hn::IfThenElse(is_central(d, x), near, hn::IfThenElse(is_negative(d, x), left, right));
  }
};

// Below 0.75 the polynomial is used; above, 1 - 2 Q(sqrt(2) x), where the tail is at most 0.29.
struct Erf {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const auto a = hn::Min(hn::Abs(x), hn::Set(d, 10.5F));
    const auto small = hn::Add(a, hn::Mul(a, erf_ratio(d, hn::Mul(a, a))));
    const auto e = bell(d, a, 1.0F);
    const auto tail = tail_of(d, hn::Mul(a, hn::Set(d, 0x1.6a09e6p0F)), e.mantissa);
    const auto large = hn::Sub(hn::Set(d, 1.0F), scale(d, hn::Add(tail, tail), e));
    return hn::CopySign(hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.75F)), small, large), x);
  }
};

struct ErfDx {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const auto e = bell(d, hn::Min(hn::Abs(x), hn::Set(d, 11.0F)), 1.0F);
    return scale(d, hn::Mul(e.mantissa, hn::Set(d, 0x1.20dd76p0F)), e);
  }
};

void gauss_functions(ActFn fn, const float* in, float* out, std::size_t n) {
  switch (fn) {
    case ActFn::kGelu:
      return apply(Gelu(), in, out, n);
    case ActFn::kGeluDx:
      return apply(GeluDx(), in, out, n);
    case ActFn::kErf:
      return apply(Erf(), in, out, n);
    case ActFn::kErfDx:
      return apply(ErfDx(), in, out, n);
    default:
      return;
  }
}

}  // namespace tahoma::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tahoma::isa {

HWY_EXPORT(gauss_functions);

void gauss_row(ActFn fn, const float* in, float* out, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(gauss_functions)(fn, in, out, n);
}

}  // namespace tahoma::isa
#endif
