// SPDX-License-Identifier: Apache-2.0
// Conversion of tensors of each dtype from and to .npy files.
//
//   dtype                    read from                                     written as
//   fp32, int*, uint*        the element type of the same bits             the same
//   fp16                     "<f2", or "<f4" rounded                       "<f2"
//   bf16                     raw bits "<u2" or "|V2", or "<f4" rounded     "<f4", exactly
//   fp8_*                    raw bits "|u1" or "|V1", or "<f4" rounded     "<f4", exactly
//   tf32                     "<f4" rounded                                 "<f4", exactly
//
// Rounding is to nearest, ties to even (isa/core/dtype.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/core/dtype.h"
#include "runtime/host/npy.h"

namespace tahoma::runtime {

// The element types from which a tensor of `dtype` may be read, best first.
std::vector<std::string> npy_types_of(isa::DType dtype);

// Converts the elements of an array of one of those types to `dtype` in memory.
std::vector<std::byte> from_npy(NpyArray array, isa::DType dtype);
NpyArray to_npy(isa::DType dtype, const std::vector<std::uint64_t>& shape,
                const std::vector<std::byte>& values);

}  // namespace tahoma::runtime
