// SPDX-License-Identifier: Apache-2.0
// The logistic function s(t) = 1 / (1 + e^-t) and functions derived from it. With z = e^-|t| no term
// overflows, and s(t) = 1 / (1 + z) or, for negative t, z / (1 + z) where the power of two of z is
// multiplied in last.
#include "isa/simd/activation_groups.h"
#include "isa/simd/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/simd/activation_logistic.cpp"
// Highway includes this file once per target, so the macro must be defined first.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "isa/simd/activation_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tahoma::isa::HWY_NAMESPACE {

// Computes e^-|t| for a t known to twice the precision, because e^t multiplies an error of t by |t|.
template <class D>
HWY_INLINE Scaled<D> exp_of_minus_abs(D d, Pair<D> t) {
  const auto hi = hn::Max(hn::Neg(hn::Abs(t.hi)), hn::Set(d, kVanishing));
  return ExpOf<D>::pair(d, {hi, hn::IfThenElse(is_negative(d, t.hi), t.lo, hn::Neg(t.lo))});
}

// Limit at which s(+-126) is 1 or 0 in fp32; it keeps products of t finite.
template <class D>
HWY_INLINE Floats<D> limited(D d, Floats<D> x, float limit) {
  return hn::Min(hn::Max(x, hn::Set(d, -limit)), hn::Set(d, limit));
}

// Computes x s(t), where x and t have the same sign.
template <class D>
HWY_INLINE Floats<D> gated(D d, Floats<D> x, Floats<D> t, Scaled<D> e) {
  const auto negative = is_negative(d, t);
  const auto z = scale(d, e.mantissa, e);
  const auto left = hn::Mul(hn::Max(x, hn::Set(d, kVanishing)), e.mantissa);
  const auto quotient = hn::Div(hn::IfThenElse(negative, left, x), hn::Add(hn::Set(d, 1.0F), z));
  return hn::IfThenElse(negative, scale(d, quotient, e), quotient);
}

// d/dt t s(t) = s + t s (1 - s):
//   t >= 0:  (1 + z (1 + t)) / (1 + z)^2       t < 0:  z (1 + t + z) / (1 + z)^2
// 1 + t is exact where 1 + t + z cancels, about t = -1.278.
template <class D>
HWY_INLINE Floats<D> gated_slope(D d, Pair<D> t) {
  const auto one = hn::Set(d, 1.0F);
  const auto negative = is_negative(d, t.hi);
  const auto e = exp_of_minus_abs(d, t);
  const auto z = scale(d, e.mantissa, e);
  const auto one_plus_t = hn::Add(one, limited(d, t.hi, 126.0F));
  const auto right = hn::Add(one, hn::Mul(z, one_plus_t));
  const auto left = hn::Mul(e.mantissa, hn::Add(one_plus_t, hn::Add(z, t.lo)));
  const auto square = hn::Add(one, hn::Mul(z, hn::Add(z, hn::Set(d, 2.0F))));  // (1 + z)^2
  const auto quotient = hn::Div(hn::IfThenElse(negative, left, right), square);
  return hn::IfThenElse(negative, scale(d, quotient, e), quotient);
}

struct Sigmoid {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const auto negative = is_negative(d, x);
    const auto one = hn::Set(d, 1.0F);
    const auto e = exp_of_minus_abs(d, x);
    const auto z = scale(d, e.mantissa, e);
    const auto quotient = hn::Div(hn::IfThenElse(negative, e.mantissa, one), hn::Add(one, z));
    return hn::IfThenElse(negative, scale(d, quotient, e), quotient);
  }
};
struct Silu {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    return gated(d, x, x, exp_of_minus_abs(d, x));
  }
};
struct SiluDx {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    return gated_slope(d, Pair<D>{x, hn::Zero(d)});
  }
};

template <class D>
HWY_INLINE Pair<D> times_1_702(D d, Floats<D> x) {
  auto t = exact_product(d, x, hn::Set(d, 0x1.b3b646p0F));
  t.lo = hn::Add(t.lo, hn::Mul(x, hn::Set(d, -0x1.78d4fep-26F)));
  return t;
}

struct GeluSigmoid {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const auto t = times_1_702(d, limited(d, x, 126.0F));
    return gated(d, x, x, exp_of_minus_abs(d, t));
  }
};
// With t = 1.702 x, d/dx x s(t) = s + t s (1 - s), which is silu's derivative at t.
struct GeluSigmoidDx {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    return gated_slope(d, times_1_702(d, limited(d, x, 126.0F)));
  }
};
// (1 + tanh y) / 2 = s(2y), so this is x s(t) with t = sqrt(8 / pi) x (1 + 0.044715 x^2).
struct GeluTanh {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const auto near = limited(d, x, 16.0F);
    const auto cubic =
        pair_product(d, exact_product(d, near, near), pair_of(d, 0x1.6e4e26p-5F, 0x1.a9003ep-30F));
    auto sum = exact_sum(d, hn::Set(d, 1.0F), cubic.hi);
    sum.lo = hn::Add(sum.lo, cubic.lo);
    const auto factor = pair_product(d, sum, pair_of(d, 0x1.988454p0F, -0x1.857936p-25F));
    const auto t = pair_product(d, factor, Pair<D>{near, hn::Zero(d)});
    return gated(d, x, x, exp_of_minus_abs(d, t));
  }
};

void logistic_functions(ActFn fn, const float* in, float* out, std::size_t n) {
  switch (fn) {
    case ActFn::kSigmoid:
      return apply(Sigmoid(), in, out, n);
    case ActFn::kSilu:
      return apply(Silu(), in, out, n);
    case ActFn::kSiluDx:
      return apply(SiluDx(), in, out, n);
    case ActFn::kGeluSigmoid:
      return apply(GeluSigmoid(), in, out, n);
    case ActFn::kGeluSigmoidDx:
      return apply(GeluSigmoidDx(), in, out, n);
    case ActFn::kGeluTanh:
      return apply(GeluTanh(), in, out, n);
    default:
      return;
  }
}

}  // namespace tahoma::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tahoma::isa {

HWY_EXPORT(logistic_functions);

void logistic_row(ActFn fn, const float* in, float* out, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(logistic_functions)(fn, in, out, n);
}

}  // namespace tahoma::isa
#endif
