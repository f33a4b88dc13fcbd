// SPDX-License-Identifier: Apache-2.0
// Functions that are exact or consist of one or two IEEE operations.
#include "isa/simd/activation_groups.h"
#include "isa/simd/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/simd/activation_exact.cpp"
// Highway includes this file once per target, so the macro must be defined first.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "isa/simd/activation_inl.h"

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
struct Prelu {
  float alpha;
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    return hn::IfThenElse(is_negative(d, x), hn::Mul(hn::Set(d, alpha), x), x);
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
    return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, hn::CopySign(hn::Set(d, 1.0F), x));
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
struct ReciprocalRoot {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> x) const {
    return hn::Div(hn::Set(d, 1.0F), hn::Sqrt(x));
  }
};

void exact_functions(ActFn fn, const float* in, float* out, std::size_t n, float alpha) {
  switch (fn) {
    case ActFn::kCopy:
      return apply(Copy(), in, out, n);
    case ActFn::kSquare:
      return apply(Square(), in, out, n);
    case ActFn::kRelu:
      return apply(Relu(), in, out, n);
    case ActFn::kPrelu:
      return apply(Prelu{alpha}, in, out, n);
    case ActFn::kAbs:
      return apply(Abs(), in, out, n);
    case ActFn::kSign:
      return apply(Sign(), in, out, n);
    case ActFn::kReciprocal:
      return apply(Reciprocal(), in, out, n);
    case ActFn::kSqrt:
      return apply(SquareRoot(), in, out, n);
    case ActFn::kRsqrt:
      return apply(ReciprocalRoot(), in, out, n);
    default:
      return;
  }
}

}  // namespace tahoma::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tahoma::isa {

HWY_EXPORT(exact_functions);

void exact_row(ActFn fn, const float* in, float* out, std::size_t n, float alpha) {
  HWY_DYNAMIC_DISPATCH(exact_functions)(fn, in, out, n, alpha);
}

}  // namespace tahoma::isa
#endif
