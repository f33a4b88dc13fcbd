// SPDX-License-Identifier: Apache-2.0
// The scalar engine's functions on rows of fp32. They use IEEE operations only, never the host's mathematics
// library, so every host and every SIMD target gives the same bits. activation_functions.h states what each
// function computes, its error bound and where the silicon guarantees a result. Every NaN becomes 0x7fc00000.
//
// The hardware's functions are tables whose error AWS does not publish: these bits are Tahoma's, not
// silicon's.
#pragma once

#include <cstddef>

#include "isa/core/instruction.h"

namespace tahoma::isa {

// Computes out[i] = fn(in[i]); out may equal in. `alpha` is prelu's slope below 0; no other
// function reads it.
void activation_row(ActFn fn, const float* in, float* out, std::size_t n, float alpha = 0.0F);

}  // namespace tahoma::isa
