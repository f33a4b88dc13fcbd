// SPDX-License-Identifier: Apache-2.0
// Reads tensors from .safetensors files (shards of a checkpoint): only the named tensor is read, not the rest
// of the file. The format is the one published with the safetensors library: the u64 little-endian length of
// a JSON header that gives each tensor's dtype, shape and [begin, end) in the data that follow it, C order.
//
//   dtype of the file        read as
//   F32, BF16, F16, F8_E5M2  the tensor's own dtype if it is the same, bit by bit; otherwise widened to fp32,
//                            which is rounded to the tensor's dtype, to nearest even
//   I32 I16 I8 U32 U16 U8    an integer tensor of the same type
// Other dtypes are refused, including F8_E4M3, whose largest value is 448; that of the
// machine's format is 240.
//
// Errors (UserError, place = file, or file#tensor):
//   E-STF-001 unreadable file   E-STF-002 malformed header   E-STF-003 no such tensor, with the nearest
//   E-STF-004 an element type that this tensor cannot be read from   E-STF-005 wrong shape
//   E-STF-006 a data range that does not match the shape or is outside the file
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/core/dtype.h"

namespace tahoma::runtime {

// "model.safetensors#layers.0.weight"; without '#', the tensor with the name of the input.
bool names_safetensors(const std::string& path);

// A tensor with the element type of its file, of which one of `dtype` can be read.
struct StoredTensor {
  isa::DType dtype = isa::DType::kFp32;
  std::vector<std::byte> values;
};
StoredTensor read_stored(const std::string& path, const std::string& input_name, isa::DType dtype,
                         const std::vector<std::uint64_t>& shape);
std::vector<std::byte> converted(StoredTensor stored, isa::DType to);

std::vector<std::byte> read_safetensors(const std::string& path, const std::string& input_name,
                                        isa::DType dtype, const std::vector<std::uint64_t>& shape);

}  // namespace tahoma::runtime
