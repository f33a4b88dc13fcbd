// SPDX-License-Identifier: Apache-2.0
// The function groups behind activation_row, one source file each. Each computes out[i] = fn(in[i]) for the
// functions of its group and does nothing for any other.
#pragma once

#include <cstddef>

#include "isa/core/instruction.h"

namespace tahoma::isa {

// copy, square, relu, prelu, abs, sign, reciprocal, sqrt, rsqrt
void exact_row(ActFn fn, const float* in, float* out, std::size_t n, float alpha);
// exp, tanh, softplus, mish, log
void exponential_row(ActFn fn, const float* in, float* out, std::size_t n);
// sigmoid, silu, silu_dx, gelu_apprx_sigmoid, gelu_apprx_sigmoid_dx, gelu_apprx_tanh
void logistic_row(ActFn fn, const float* in, float* out, std::size_t n);
// gelu, gelu_dx, erf, erf_dx
void gauss_row(ActFn fn, const float* in, float* out, std::size_t n);
// sin, arctan
void trigonometric_row(ActFn fn, const float* in, float* out, std::size_t n);

}  // namespace tahoma::isa
