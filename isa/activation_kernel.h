// SPDX-License-Identifier: Apache-2.0
// The scalar engine's functions on rows of fp32. They use IEEE operations only, never the host's mathematics
// library, so every host gives the same bits. square, sqrt and reciprocal are correctly rounded; copy, relu,
// abs and sign are exact; exp is within 2 ulp of the true value, subnormal results included, 0 below -104 and
// infinite above 88.73. Every NaN becomes 0x7fc00000. relu(-0) = +0, sign(-0) = -0, abs clears the sign.
//
// The hardware's exp is a table of its own whose error AWS does not publish: these bits are Tahoma's, not
// silicon's.
#pragma once

#include <cstddef>

#include "isa/instruction.h"

namespace tahoma::isa {

// out[i] = fn(in[i]); out may be in.
void activation_row(ActFn fn, const float* in, float* out, std::size_t n);

}  // namespace tahoma::isa
