// SPDX-License-Identifier: Apache-2.0
#include "isa/simd/activation_loop.h"

#include "isa/simd/activation_groups.h"

namespace tahoma::isa {

void activation_row(ActFn fn, const float* in, float* out, std::size_t n, float alpha) {
  switch (fn) {
    case ActFn::kCopy:
    case ActFn::kSquare:
    case ActFn::kRelu:
    case ActFn::kPrelu:
    case ActFn::kAbs:
    case ActFn::kSign:
    case ActFn::kReciprocal:
    case ActFn::kSqrt:
    case ActFn::kRsqrt:
      return exact_row(fn, in, out, n, alpha);
    case ActFn::kExp:
    case ActFn::kTanh:
    case ActFn::kSoftplus:
    case ActFn::kMish:
    case ActFn::kLog:
      return exponential_row(fn, in, out, n);
    case ActFn::kSigmoid:
    case ActFn::kSilu:
    case ActFn::kSiluDx:
    case ActFn::kGeluSigmoid:
    case ActFn::kGeluSigmoidDx:
    case ActFn::kGeluTanh:
      return logistic_row(fn, in, out, n);
    case ActFn::kGelu:
    case ActFn::kGeluDx:
    case ActFn::kErf:
    case ActFn::kErfDx:
      return gauss_row(fn, in, out, n);
    case ActFn::kSin:
    case ActFn::kArctan:
      return trigonometric_row(fn, in, out, n);
  }
}

}  // namespace tahoma::isa
