// SPDX-License-Identifier: Apache-2.0
// Quantisation to fp8 and back on one core. A group is a row, or 128 columns of a row (the last group of a
// row may be shorter):
//   scale = max(largest |x| of the group, 2^-100) / largest finite number of the fp8 type
//   y = x / scale, rounded to fp8; back: x = y scale
// The largest element of a group becomes the largest number of the type, so nothing overflows.
//
// |x| uses the vector engine's four-a-cycle mode (16-bit x) or the scalar engine (fp32); its maximum uses the
// vector engine. The scalar engine divides a row, by a product; if groups are blocks, the vector engine and
// GpSimd share the division, which takes a scale for each element.
//
// Not supported: rows of more than 16384 columns; scales that are powers of two.
#pragma once

#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::workloads {

inline constexpr unsigned kBlockColumns = 128;

enum class Group : std::uint8_t { kRow, kBlock };

struct QuantiseShape {
  std::uint64_t rows = 0, columns = 0;
  isa::DType wide = isa::DType::kBf16;       // of x
  isa::DType narrow = isa::DType::kFp8E4M3;  // of y
  Group group = Group::kRow;
  std::uint64_t groups() const {  // groups of a row
    return group == Group::kRow ? 1 : (columns + kBlockColumns - 1) / kBlockColumns;
  }
};

inline constexpr float kLeastMaximum = 0x1p-100F;
float largest_of(isa::DType fp8);

// Arguments: x [rows, columns], y [rows, columns], scale [rows, groups].
isa::Program quantise_program(const model::MachineParams& machine, const QuantiseShape& shape);
// Arguments: y [rows, columns], scale [rows, groups], x [rows, columns].
isa::Program dequantise_program(const model::MachineParams& machine, const QuantiseShape& shape);

}  // namespace tahoma::workloads
