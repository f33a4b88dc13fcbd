// SPDX-License-Identifier: Apache-2.0
#include "isa/simd/activation_groups.h"
#include "isa/simd/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/simd/activation_trigonometric.cpp"
// Highway includes this file once per target, so the macro must be defined first.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "isa/simd/activation_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tahoma::isa::HWY_NAMESPACE {

// sin |x| = (-1)^k sin r with r = |x| - k pi in [-pi/2, pi/2] and sin r = r + r^3 P(r^2), 2^-27. pi is the
// sum of three fp32 numbers; |x| minus k times the first is exact, and the rest is kept to twice the
// precision: a float may lie within 2^-24 of a multiple of pi, and its sine is that distance. The result is
// NaN above 2^15, where the three numbers no longer suffice.
struct Sin {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const hn::RebindToSigned<D> di;
    const std::array<float, 4> c{-0x1.55554cp-3F, 0x1.110edap-7F, -0x1.9f70eep-13F, 0x1.5dc8c4p-19F};
    const auto a = hn::Abs(x);
    const auto too_large = hn::Gt(a, hn::Set(d, 0x1p15F));
    const auto near = hn::Min(a, hn::Set(d, 0x1p15F));
    const auto shift = hn::Set(d, 0x1.8p23F);  // adding it leaves the rounded integer in the low bits
    const auto shifted = hn::Add(hn::Mul(near, hn::Set(d, 0x1.45f306p-2F)), shift);
    const auto k = hn::Neg(hn::Sub(shifted, shift));
    const auto first = fused(d, k, hn::Set(d, 0x1.921fb6p1F), near);
    const auto second = exact_product(d, k, hn::Set(d, -0x1.777a5cp-24F));
    const auto r = exact_sum(d, first, second.hi);
    const auto low = hn::Add(r.lo, hn::Add(second.lo, hn::Mul(k, hn::Set(d, -0x1.ee59dap-49F))));
    const auto square = hn::Mul(r.hi, r.hi);
    const auto cube = hn::Mul(hn::Mul(r.hi, square), polynomial(d, square, c));
    const auto value = hn::Add(r.hi, hn::Add(cube, low));
    const auto odd = hn::BitCast(d, hn::ShiftLeft<31>(hn::BitCast(di, shifted)));  // in the sign bit
    const auto sign = hn::Xor(odd, hn::And(x, hn::Set(d, -0.0F)));
    return hn::IfThenElse(too_large, quiet_nan(d), hn::Xor(value, sign));
  }
};

// arctan |x| = base + arctan t with t = |x|, (|x| - 1) / (|x| + 1) or -1 / |x| around the bases 0, pi/4 and
// pi/2, so |t| <= sqrt(2) - 1, and arctan t = t + t^3 P(t^2), 2^-30.
struct Arctan {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const std::array<float, 5> c{-0x1.55554ap-2F, 0x1.9991e2p-3F, -0x1.23b9a2p-3F, 0x1.b22454p-4F,
                                 -0x1.f2e58ap-5F};
    const auto one = hn::Set(d, 1.0F);
    const auto a = hn::Abs(x);
    const auto large = hn::Gt(a, hn::Set(d, 0x1.3504f4p1F));    // sqrt(2) + 1
    const auto middle = hn::Gt(a, hn::Set(d, 0x1.a8279ap-2F));  // sqrt(2) - 1
    const auto choose = [&](auto l, auto m, auto s)
                            HWY_ATTR { return hn::IfThenElse(large, l, hn::IfThenElse(middle, m, s)); };
    const auto t = hn::Div(choose(hn::Neg(one), hn::Sub(a, one), a), choose(a, hn::Add(a, one), one));
    const auto base = choose(hn::Set(d, 0x1.921fb6p0F), hn::Set(d, 0x1.921fb6p-1F), hn::Zero(d));
    const auto low = choose(hn::Set(d, -0x1.777a5cp-25F), hn::Set(d, -0x1.777a5cp-26F), hn::Zero(d));
    const auto square = hn::Mul(t, t);
    const auto cube = hn::Mul(hn::Mul(t, square), polynomial(d, square, c));
    return hn::CopySign(hn::Add(base, hn::Add(t, hn::Add(cube, low))), x);
  }
};

void trigonometric_functions(ActFn fn, const float* in, float* out, std::size_t n) {
  switch (fn) {
    case ActFn::kSin:
      return apply(Sin(), in, out, n);
    case ActFn::kArctan:
      return apply(Arctan(), in, out, n);
    default:
      return;
  }
}

}  // namespace tahoma::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tahoma::isa {

HWY_EXPORT(trigonometric_functions);

void trigonometric_row(ActFn fn, const float* in, float* out, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(trigonometric_functions)(fn, in, out, n);
}

}  // namespace tahoma::isa
#endif
