// SPDX-License-Identifier: Apache-2.0
#include "isa/activation_kernel.h"

#include "isa/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/activation_kernel.cpp"
// Highway includes this file once per target and so must see the macro first.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "isa/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tahoma::isa::HWY_NAMESPACE {

struct Copy {
  template <class D>
  HWY_INLINE Floats<D> operator()(D, Floats<D> x) const {
    return x;
  }
};
struct Square {
  template <class D>
  HWY_INLINE Floats<D> operator()(D, Floats<D> x) const {
    return hn::Mul(x, x);
  }
};
struct Relu {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    return Maximum()(d, x, hn::Zero(d));
  }
};
struct Abs {
  template <class D>
  HWY_INLINE Floats<D> operator()(D, Floats<D> x) const {
    return hn::Abs(x);
  }
};
struct Sign {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const auto unit = hn::CopySign(hn::Set(d, 1.0F), x);
    return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, hn::IfThenElse(is_nan(d, x), x, unit));
  }
};
struct Reciprocal {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    return hn::Div(hn::Set(d, 1.0F), x);
  }
};
struct SquareRoot {
  template <class D>
  HWY_INLINE Floats<D> operator()(D, Floats<D> x) const {
    return hn::Sqrt(x);
  }
};

// e^x = 2^n e^r with n the integer nearest to x / ln 2, so |r| <= ln 2 / 2 and e^r = 1 + r + r^2 P(r). P
// interpolates (e^r - 1 - r) / r^2 at Chebyshev points: relative error 2^-27. ln 2 is split so that n times
// its upper part is exact. Products and sums round apart, never fused, since not every target can fuse.
struct Exp {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    const hn::RebindToSigned<D> di;
    const auto limited = hn::Min(hn::Max(x, hn::Set(d, -104.0F)), hn::Set(d, 89.0F));  // NaN: set right below
    const auto shift = hn::Set(d, 0x1.8p23F);  // adding it leaves the rounded integer in the low bits
    const auto shifted = hn::Add(hn::Mul(limited, hn::Set(d, 0x1.715476p0F)), shift);
    const auto n = hn::Sub(shifted, shift);
    auto r = hn::Sub(limited, hn::Mul(n, hn::Set(d, 0x1.63p-1F)));
    r = hn::Sub(r, hn::Mul(n, hn::Set(d, -0x1.bd0106p-13F)));

    auto p = hn::Set(d, 0x1.6d4366p-10F);
    p = hn::Add(hn::Mul(p, r), hn::Set(d, 0x1.120ba6p-7F));
    p = hn::Add(hn::Mul(p, r), hn::Set(d, 0x1.5554e8p-5F));
    p = hn::Add(hn::Mul(p, r), hn::Set(d, 0x1.5554dcp-3F));
    p = hn::Add(hn::Mul(p, r), hn::Set(d, 0.5F));
    const auto power = hn::Add(hn::Set(d, 1.0F), hn::Add(r, hn::Mul(hn::Mul(r, r), p)));

    // 2^n in two factors, since n reaches from -150 to 128; only the second product can round.
    const auto integer = hn::Sub(hn::BitCast(di, shifted), hn::BitCast(di, shift));
    const auto half = hn::ShiftRight<1>(integer);
    const auto result = hn::Mul(hn::Mul(power, two_to(d, half)), two_to(d, hn::Sub(integer, half)));
    return hn::IfThenElse(is_nan(d, x), x, result);
  }

 private:
  template <class D>
  static HWY_INLINE Floats<D> two_to(D d, hn::Vec<hn::RebindToSigned<D>> n) {
    const hn::RebindToSigned<D> di;
    return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
  }
};

template <class Fn>
HWY_INLINE void apply(Fn fn, const float* in, float* out, std::size_t n) {
  const Wide d;
  const Single one;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) hn::StoreU(one_nan(d, fn(d, hn::LoadU(d, in + i))), d, out + i);
  for (; i < n; ++i) hn::StoreU(one_nan(one, fn(one, hn::LoadU(one, in + i))), one, out + i);
}

void activation(ActFn fn, const float* in, float* out, std::size_t n) {
  switch (fn) {
    case ActFn::kCopy:
      return apply(Copy(), in, out, n);
    case ActFn::kSquare:
      return apply(Square(), in, out, n);
    case ActFn::kRelu:
      return apply(Relu(), in, out, n);
    case ActFn::kAbs:
      return apply(Abs(), in, out, n);
    case ActFn::kSign:
      return apply(Sign(), in, out, n);
    case ActFn::kExp:
      return apply(Exp(), in, out, n);
    case ActFn::kReciprocal:
      return apply(Reciprocal(), in, out, n);
    case ActFn::kSqrt:
      return apply(SquareRoot(), in, out, n);
  }
}

}  // namespace tahoma::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tahoma::isa {

HWY_EXPORT(activation);

void activation_row(ActFn fn, const float* in, float* out, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(activation)(fn, in, out, n);
}

}  // namespace tahoma::isa
#endif
