// SPDX-License-Identifier: Apache-2.0
// NumPy .npy files, versions 1.0 and 2.0, little endian, C order. Only the element types of tensors are
// supported: no structured types, no pickled objects, no memory mapping.
//
// Element types (`descr`, always written as below after reading):
//   "<f4" float32   "<f2" float16   "<i4" int32   "<i2" int16   "|i1" int8   "<u4" uint32   "<u2" uint16
//   "|u1" uint8     "|V2", "|V1"  16 and 8 raw bits: the types as which ml_dtypes saves bfloat16 and float8
// runtime/host/npy_dtype.h lists the element types of each tensor dtype.
//
// Errors are UserError with the place "path:byte N", where N is the offset in the file
// at which parsing failed:
//   E-NPY-001 unreadable file      E-NPY-002 not a .npy file (magic)     E-NPY-003 format version
//   E-NPY-004 malformed header     E-NPY-005 element type                E-NPY-006 Fortran order
//   E-NPY-007 shorter than its shape says   E-NPY-008 longer than its shape says
// Callers that know the shape and type of the tensor throw E-NPY-010 (wrong element type for the tensor) and
// E-NPY-011 (wrong shape). write_npy throws E-OUT-003.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tahoma::runtime {

struct NpyArray {
  std::string descr;                 // one of the above
  std::vector<std::uint64_t> shape;  // outermost first; empty for a scalar, which has one element
  std::vector<std::byte> bytes;      // C order, elements * element_size(descr)
  std::uint64_t elements() const;
};

// Returns the bytes per element of a supported descr, 0 for any other.
std::size_t element_size(const std::string& descr);

NpyArray read_npy(const std::string& path);
void write_npy(const std::string& path, const NpyArray& array);  // version 1.0, header padded to 64 bytes

}  // namespace tahoma::runtime
