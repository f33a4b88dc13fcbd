// SPDX-License-Identifier: Apache-2.0
#include "isa/simd/row_loop.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "isa/simd/alu.h"
#include "isa/simd/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/simd/row_loop.cpp"
// Highway includes this file once per target, so the macro must be defined first.
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "isa/simd/simd_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tahoma::isa::HWY_NAMESPACE {

struct Plus {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> a, Floats<D> b) const {
    return one_nan(d, hn::Add(a, b));
  }
};
struct Minus {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> a, Floats<D> b) const {
    return one_nan(d, hn::Sub(a, b));
  }
};
struct Times {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> a, Floats<D> b) const {
    return one_nan(d, hn::Mul(a, b));
  }
};
struct Over {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> a, Floats<D> b) const {
    return one_nan(d, hn::Div(a, b));
  }
};
struct Left {
  template <class D>
  HWY_INLINE Floats<D> operator()(D, Floats<D> a, Floats<D>) const {
    return a;
  }
};
struct Inverse {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> a, Floats<D>) const {
    return one_nan(d, hn::Div(hn::Set(d, 1.0F), a));
  }
};
struct Magnitude {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> a, Floats<D>) const {
    return one_nan(d, hn::Abs(a));
  }
};

// Gives 1 where a relation holds, else +0. For a NaN only "not equal" holds.
template <class Relation>
struct Truth {
  template <class D>
  HWY_INLINE Floats<D> operator()(D d, Floats<D> a, Floats<D> b) const {
    return hn::IfThenElseZero(Relation()(d, a, b), hn::Set(d, 1.0F));
  }
};
#define TAHOMA_RELATION(name, holds)                                         \
  struct name {                                                              \
    template <class D>                                                       \
    HWY_INLINE hn::Mask<D> operator()(D d, Floats<D> a, Floats<D> b) const { \
      (void)d;                                                               \
      return holds;                                                          \
    }                                                                        \
  }
template <class D>
HWY_INLINE hn::Mask<D> nonzero(D d, Floats<D> v) {
  return hn::Not(hn::Eq(v, hn::Zero(d)));
}
TAHOMA_RELATION(Equal, hn::Eq(a, b));
TAHOMA_RELATION(NotEqual, hn::Not(hn::Eq(a, b)));
TAHOMA_RELATION(AtLeast, hn::Ge(a, b));
TAHOMA_RELATION(Above, hn::Gt(a, b));
TAHOMA_RELATION(AtMost, hn::Le(a, b));
TAHOMA_RELATION(Below, hn::Lt(a, b));
TAHOMA_RELATION(Both, hn::And(nonzero(d, a), nonzero(d, b)));
TAHOMA_RELATION(Either, hn::Or(nonzero(d, a), nonzero(d, b)));
TAHOMA_RELATION(OnlyOne, hn::Xor(nonzero(d, a), nonzero(d, b)));
#undef TAHOMA_RELATION

template <class D, class Op>
HWY_INLINE void alu_at(D d, Op op, Row a, Row b, float* out, std::size_t i) {
  hn::StoreU(op(d, hn::LoadU(d, a.at + (i & a.mask)), hn::LoadU(d, b.at + (i & b.mask))), d, out + i);
}

template <class Op>
HWY_INLINE void alu_with(Op op, Row a, Row b, float* out, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) alu_at(Wide(), op, a, b, out, i);
  for (; i < n; ++i) alu_at(Single(), op, a, b, out, i);
}

void alu(AluOp op, Row a, Row b, float* out, std::size_t n) {
  switch (op) {
    case AluOp::kAdd:
      return alu_with(Plus(), a, b, out, n);
    case AluOp::kSubtract:
      return alu_with(Minus(), a, b, out, n);
    case AluOp::kMult:
      return alu_with(Times(), a, b, out, n);
    case AluOp::kDivide:
      return alu_with(Over(), a, b, out, n);
    case AluOp::kMax:
      return alu_with(Maximum(), a, b, out, n);
    case AluOp::kMin:
      return alu_with(Minimum(), a, b, out, n);
    case AluOp::kIsEqual:
      return alu_with(Truth<Equal>(), a, b, out, n);
    case AluOp::kIsNotEqual:
      return alu_with(Truth<NotEqual>(), a, b, out, n);
    case AluOp::kIsGe:
      return alu_with(Truth<AtLeast>(), a, b, out, n);
    case AluOp::kIsGt:
      return alu_with(Truth<Above>(), a, b, out, n);
    case AluOp::kIsLe:
      return alu_with(Truth<AtMost>(), a, b, out, n);
    case AluOp::kIsLt:
      return alu_with(Truth<Below>(), a, b, out, n);
    case AluOp::kLogicalAnd:
      return alu_with(Truth<Both>(), a, b, out, n);
    case AluOp::kLogicalOr:
      return alu_with(Truth<Either>(), a, b, out, n);
    case AluOp::kLogicalXor:
      return alu_with(Truth<OnlyOne>(), a, b, out, n);
    case AluOp::kReciprocal:
      return alu_with(Inverse(), a, b, out, n);
    case AluOp::kAbs:
      return alu_with(Magnitude(), a, b, out, n);
    case AluOp::kAbsMax:
    case AluOp::kAbsMin:
    case AluOp::kPower:
    case AluOp::kRsqrt:  // through doubles: one number at a time
      for (std::size_t i = 0; i < n; ++i) out[i] = isa::alu(op, a.at[i & a.mask], b.at[i & b.mask]);
      return;
    default:
      return alu_with(Left(), a, b, out, n);
  }
}

template <class D>
HWY_INLINE void multiply_add_at(D d, Row a, Row b, Row c, float* out, std::size_t i) {
  const auto va = hn::LoadU(d, a.at + (i & a.mask));
  const auto vb = hn::LoadU(d, b.at + (i & b.mask));
  const auto vc = hn::LoadU(d, c.at + (i & c.mask));
  hn::StoreU(one_nan(d, fused(d, va, vb, vc)), d, out + i);
}

void multiply_add(Row a, Row b, Row c, float* out, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) multiply_add_at(Wide(), a, b, c, out, i);
  for (; i < n; ++i) multiply_add_at(Single(), a, b, c, out, i);
}

template <class D>
HWY_INLINE void choose_at(D d, Row condition, Row a, Row b, float* out, std::size_t i) {
  const auto holds = nonzero(d, hn::LoadU(d, condition.at + (i & condition.mask)));
  const auto va = hn::LoadU(d, a.at + (i & a.mask));
  hn::StoreU(hn::IfThenElse(holds, va, hn::LoadU(d, b.at + (i & b.mask))), d, out + i);
}

void choose(Row condition, Row a, Row b, float* out, std::size_t n) {
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) choose_at(Wide(), condition, a, b, out, i);
  for (; i < n; ++i) choose_at(Single(), condition, a, b, out, i);
}

template <class Op>
HWY_INLINE float extremum_with(Op op, float first, const float* in, std::size_t n) {
  const Wide d;
  const Single one;
  auto best = hn::Set(d, first);
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) best = op(d, best, hn::LoadU(d, in + i));
  HWY_ALIGN std::array<float, kRepeats> lanes;
  hn::StoreU(best, d, lanes.data());
  auto result = hn::Set(one, first);
  for (std::size_t k = 0; k < kLanes; ++k) result = op(one, result, hn::LoadU(one, lanes.data() + k));
  for (; i < n; ++i) result = op(one, result, hn::LoadU(one, in + i));
  return hn::GetLane(result);
}

float extremum(AluOp op, float first, const float* in, std::size_t n) {
  return op == AluOp::kMax ? extremum_with(Maximum(), first, in, n) : extremum_with(Minimum(), first, in, n);
}

}  // namespace tahoma::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tahoma::isa {

HWY_EXPORT(alu);
HWY_EXPORT(multiply_add);
HWY_EXPORT(choose);
HWY_EXPORT(extremum);

void alu_row(AluOp op, Row a, Row b, float* out, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(alu)(op, a, b, out, n);
}

void multiply_add_row(Row a, Row b, Row c, float* out, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(multiply_add)(a, b, c, out, n);
}

void choose_row(Row condition, Row a, Row b, float* out, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(choose)(condition, a, b, out, n);
}

float extremum_of_row(AluOp op, float first, const float* in, std::size_t n) {
  return HWY_DYNAMIC_DISPATCH(extremum)(op, first, in, n);
}

}  // namespace tahoma::isa
#endif
