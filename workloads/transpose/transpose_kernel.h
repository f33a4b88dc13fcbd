// SPDX-License-Identifier: Apache-2.0
// y = x^T on one core, for elements of 2 or 4 bytes, which are copied bit by bit. There are two ways:
//  - by the tensor engine: strips of x of up to 2048 rows are loaded in tiles of 128 rows. The array
//    transposes blocks of 128 x 128 into PSUM, the vector engine moves a bank of them to SBUF, and rows of y
//    are stored in pieces as long as a strip has rows;
//  - by the DMA engines' transposing path, directly from HBM into SBUF, 128 columns of x at a time. If the
//    number of rows is not a multiple of 16, a last transfer overlaps the previous one; fewer than 16 rows
//    are read element by element.
//
// Not supported: 1-byte elements.
#pragma once

#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"
#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

enum class TransposeBy : std::uint8_t { kTensor, kDma };

struct TransposeShape {
  std::uint64_t rows = 0, columns = 0;  // of x
  std::uint64_t first = 0, count = 0;   // columns of x that this core transposes
  unsigned element_bytes = 2;           // 2 or 4
  TransposeBy by = TransposeBy::kTensor;
};

// The dtype in which elements of this size are transferred; only the bits matter.
isa::DType carrier(unsigned element_bytes);

// x [rows, columns], y [count, rows], of the carrier's dtype; each may be columns of a wider matrix.
struct TransposeViews {
  runtime::HbmView x, y;
};

// Appends it to a kernel that may contain other work.
void emit_transpose(runtime::Kernel& kernel, const model::MachineParams& machine, const TransposeShape& shape,
                    const TransposeViews& views);

// Arguments: x [rows, columns], y [count, rows].
isa::Program transpose_program(const model::MachineParams& machine, const TransposeShape& shape);

}  // namespace tahoma::workloads
