// SPDX-License-Identifier: Apache-2.0
// exp, log, and functions that are quotients or logarithms of exponentials. All but exp and log use
// z = e^-|x|, which never overflows, and handle its power of two separately where a small z makes
// the result small.
#include <limits>

#include "isa/simd/activation_groups.h"
#include "isa/simd/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/simd/activation_exponential.cpp"
// Highway includes this file once per target, so the macro must be defined first.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "isa/simd/activation_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tahoma::isa::HWY_NAMESPACE {

struct Exp {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const auto limited = hn::Min(hn::Max(x, hn::Set(d, -104.0F)), hn::Set(d, 89.0F));
    const auto e = ExpOf<D>::single(d, limited);
    return scale(d, e.mantissa, e);
  }
};

// Below 0.6: x + x^3 P(x^2), 2^-28. Above: 1 - 2z / (1 + z) with z = e^-2|x|; the quotient is at most 0.47,
// so its 2.5 u weigh 2.2 u of the result's 0.53 or less.
struct Tanh {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const std::array<float, 5> c{-0x1.55553ep-2F, 0x1.1109bep-3F, -0x1.b89abap-5F, 0x1.54c3c2p-6F,
                                 -0x1.828776p-8F};
    const auto one = hn::Set(d, 1.0F);
    const auto magnitude = hn::Abs(x);
    const auto e = exp_of_minus_abs(d, hn::Add(magnitude, magnitude));
    const auto z = scale(d, e.mantissa, e);
    const auto large = hn::Sub(one, hn::Div(hn::Add(z, z), hn::Add(one, z)));
    const auto square = hn::Mul(x, x);
    const auto small = hn::Add(magnitude, hn::Mul(hn::Mul(magnitude, square), polynomial(d, square, c)));
    return hn::CopySign(hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0.6F)), small, large), x);
  }
};

// max(x, 0) + log(1 + z): a sum of numbers of one sign.
struct Softplus {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const auto e = exp_of_minus_abs(d, x);
    const auto z = scale(d, e.mantissa, e);
    const auto logarithm = hn::Sub(z, log_correction(d, z));
    return hn::Add(hn::IfThenElse(hn::Gt(x, hn::Zero(d)), x, hn::Zero(d)), logarithm);
  }
};

// tanh(log(1 + e^x)) = ((1 + e^x)^2 - 1) / ((1 + e^x)^2 + 1). Expressed in z, as the difference from 1, which
// is small on both sides and therefore has a small rounding error:
//   x >= 0:  1 - 2z^2 / (1 + 2z + 2z^2)        x < 0:  z (1 - z (1 + z) / (2 + z (2 + z)))
struct Mish {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const auto one = hn::Set(d, 1.0F), two = hn::Set(d, 2.0F);
    const auto negative = is_negative(d, x);
    const auto e = exp_of_minus_abs(d, x);
    const auto z = scale(d, e.mantissa, e);
    const auto two_z = hn::Add(z, z);
    const auto two_z_squared = hn::Mul(z, two_z);
    const auto numerator = hn::IfThenElse(negative, hn::Mul(z, hn::Add(one, z)), two_z_squared);
    const auto denominator = hn::IfThenElse(negative, hn::Add(two, hn::Mul(z, hn::Add(two, z))),
                                            hn::Add(hn::Add(one, two_z), two_z_squared));
    const auto ratio = hn::Sub(one, hn::Div(numerator, denominator));
    const auto left = hn::Mul(hn::Max(x, hn::Set(d, kVanishing)), e.mantissa);
    return hn::IfThenElse(negative, scale(d, hn::Mul(left, ratio), e), hn::Mul(x, ratio));
  }
};

// x = 2^n (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), both exact; ln 2 is split so that n times its upper
// part is exact too. For n = 0 the error is relative to f, so log keeps its accuracy around 1.
struct Log {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const hn::RebindToSigned<D> di;
    const auto zero = hn::Zero(d);
    const auto subnormal = hn::Lt(x, hn::Set(d, 0x1p-126F));
    const auto normal = hn::IfThenElse(subnormal, hn::Mul(x, hn::Set(d, 0x1p25F)), x);
    const auto bits = hn::BitCast(di, normal);
    const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3F3504F3)));  // of sqrt(1/2)
    const auto fraction = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent)));
    const auto n = hn::Sub(hn::ConvertTo(d, exponent), hn::IfThenElse(subnormal, hn::Set(d, 25.0F), zero));
    const auto f = hn::Sub(fraction, hn::Set(d, 1.0F));
    const auto low = hn::Sub(log_correction(d, f), hn::Mul(n, hn::Set(d, -0x1.bd0106p-13F)));
    const auto result = hn::Sub(hn::Mul(n, hn::Set(d, 0x1.63p-1F)), hn::Sub(low, f));
    const auto infinity = hn::Set(d, std::numeric_limits<float>::infinity());
    const auto at_edge = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity),
                                        hn::IfThenElse(hn::Eq(x, infinity), infinity, result));
    return hn::IfThenElse(is_negative(d, x), quiet_nan(d), at_edge);
  }
};

void exponential_functions(ActFn fn, const float* in, float* out, std::size_t n) {
  switch (fn) {
    case ActFn::kExp:
      return apply(Exp(), in, out, n);
    case ActFn::kTanh:
      return apply(Tanh(), in, out, n);
    case ActFn::kSoftplus:
      return apply(Softplus(), in, out, n);
    case ActFn::kMish:
      return apply(Mish(), in, out, n);
    case ActFn::kLog:
      return apply(Log(), in, out, n);
    default:
      return;
  }
}

}  // namespace tahoma::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tahoma::isa {

HWY_EXPORT(exponential_functions);

void exponential_row(ActFn fn, const float* in, float* out, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(exponential_functions)(fn, in, out, n);
}

}  // namespace tahoma::isa
#endif
