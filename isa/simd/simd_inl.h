// SPDX-License-Identifier: Apache-2.0
// Building blocks of the SIMD kernels: eight-lane vectors (fewer where the target has fewer), a one-lane
// tail, and the rules that keep the bits equal on every target. Highway includes this file once per target,
// hence the toggling guard.
#if defined(TAHOMA_ISA_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAHOMA_ISA_SIMD_INL_H
#undef TAHOMA_ISA_SIMD_INL_H
#else
#define TAHOMA_ISA_SIMD_INL_H
#endif

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tahoma::isa::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Wide = hn::CappedTag<float, 8>;
using Single = hn::CappedTag<float, 1>;
inline constexpr std::size_t kLanes = HWY_MIN(8, HWY_LANES(float));

template <class D>
using Floats = hn::Vec<D>;
template <class D>
using Words = hn::Vec<hn::RebindToUnsigned<D>>;

// Highway's Ne is ordered on AVX2, so it is false for a NaN; Eq is false for a NaN on every target.
template <class D>
HWY_INLINE hn::Mask<D> is_nan(D, Floats<D> v) {
  return hn::Not(hn::Eq(v, v));
}

// Hosts differ in which NaN an operation returns; all NaNs become this one.
template <class D>
HWY_INLINE Floats<D> quiet_nan(D d) {
  return hn::BitCast(d, hn::Set(hn::RebindToUnsigned<D>(), 0x7FC00000U));
}

template <class D>
HWY_INLINE Floats<D> one_nan(D d, Floats<D> v) {
  return hn::IfThenElse(hn::Eq(v, v), v, quiet_nan(d));
}

// Computes a * b + c with one rounding, even where the target's MulAdd would round twice.
template <class D>
HWY_INLINE Floats<D> fused(D d, Floats<D> a, Floats<D> b, Floats<D> c) {
#if HWY_NATIVE_FMA
  (void)d;
  return hn::MulAdd(a, b, c);
#else
  constexpr std::size_t kMost = 8;
  HWY_ALIGN std::array<float, kMost> x, y, z;
  hn::StoreU(a, d, x.data());
  hn::StoreU(b, d, y.data());
  hn::StoreU(c, d, z.data());
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) z[i] = std::fma(x[i], y[i], z[i]);
  return hn::LoadU(d, z.data());
#endif
}

// Operands that compare equal but differ are +0 and -0: their bitwise AND is +0, their OR -0.
struct Maximum {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> a, Floats<D> b) const {
    const auto larger = hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), hn::Max(a, b));
    return hn::IfThenElse(hn::Or(is_nan(d, a), is_nan(d, b)), quiet_nan(d), larger);
  }
};
struct Minimum {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> a, Floats<D> b) const {
    const auto smaller = hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), hn::Min(a, b));
    return hn::IfThenElse(hn::Or(is_nan(d, a), is_nan(d, b)), quiet_nan(d), smaller);
  }
};

}  // namespace tahoma::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
