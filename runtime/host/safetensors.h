// SPDX-License-Identifier: Apache-2.0
// Tensors out of .safetensors files (a checkpoint's shards): one named tensor is read, the rest of the file
// is not. Format as published with the safetensors library: u64 little-endian length of a JSON header that
// gives each tensor's dtype, shape and [begin, end) in the data behind it, C order.
//
//   dtype of the file        becomes
//   F32, BF16, F16, F8_E5M2  the tensor's own dtype where it is the same, bit by bit; else widened to fp32,
//                            which rounds to the tensor's dtype, to nearest even
//   I32 I16 I8 U32 U16 U8    an integer tensor of the same type
// Others are refused; so is F8_E4M3, whose largest value is 448 where the machine's format ends at 240.
//
// Errors (UserError, place = file, or file#tensor):
//   E-STF-001 unreadable file   E-STF-002 malformed header   E-STF-003 no such tensor, with the nearest
//   E-STF-004 an element type that this tensor is not made from   E-STF-005 another shape
//   E-STF-006 a place in the data that is not as long as the shape says, or outside the file
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/core/dtype.h"

namespace tahoma::runtime {

// "model.safetensors#layers.0.weight", or without '#' the tensor with the input's own name.
bool names_safetensors(const std::string& path);

std::vector<std::byte> read_safetensors(const std::string& path, const std::string& input_name,
                                        isa::DType dtype, const std::vector<std::uint64_t>& shape);

}  // namespace tahoma::runtime
