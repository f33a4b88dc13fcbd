// SPDX-License-Identifier: Apache-2.0
// Operands of MX (OCP Microscaling Formats 1.0). Scales are E8M0: the power 2^(byte - 127), and NaN for 255.
// A scale belongs to kScaleGroup partitions by four elements of a column (isa/table/table_later.h has the
// layout).
#pragma once

#include <cstdint>
#include <vector>

#include "isa/semantics/arithmetic/core_view.h"
#include "isa/semantics/arithmetic/walk.h"
#include "isa/simd/matmul_loop.h"

namespace tahoma::isa {

// The partition, relative to that of src1, that holds the scales of partitions group * kScaleGroup and on.
unsigned scale_partition(unsigned group);
float scale_from_e8m0(std::uint8_t byte);
// Reads the scales that the instruction's src1 holds.
MicroScales read_scales(const Instruction& i, const CoreView& core);

// Quads of MXFP4 as [partition][quad][column] in array_dtype(), and an operand of them.
std::vector<std::byte> unpacked_quads(const Operand& quads, const Shape& shape);
Operand operand_of_quads(std::vector<std::byte>& unpacked, const Shape& shape);

// Multiplies the numbers in the panels of an operand by their scales; a row of the array has `slices`
// contraction rows. Exact, except that a product beyond fp32's range is infinite, and one below its normal
// numbers rounds to nearest.
void scale_weights(const MicroScales& scales, std::size_t k, unsigned slices, Halves& weights);
void scale_moving(const MicroScales& scales, std::size_t k, unsigned slices, Halves& moving);

// The E8M0 byte of a block whose largest magnitude is `largest`: its exponent, less that of the largest power
// of two of the element type, plus one. 0 for a block of zeros or below the range, 255 if `largest` is not
// finite.
std::uint8_t e8m0_of(float largest, DType element);
// Returns the element of the block nearest to value / 2^(byte - 127), ties to even, saturated at its largest
// number.
std::uint8_t quantised(float value, std::uint8_t byte, DType element);

}  // namespace tahoma::isa
