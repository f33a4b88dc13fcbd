// SPDX-License-Identifier: Apache-2.0
// One core's part of a vector addition as a program: tiles of all partitions by `columns`. One in-order queue
// holds the loads of all tiles, a tile's a before its b. Each sum is stored as soon as it is complete, from
// another queue, which waits for every store at the end: when the program is done, y is complete.
#pragma once

#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::workloads {

struct VectorAddShape {
  std::uint64_t rows = 128, columns = 1000;  // of the core's part seen as a matrix: whole tiles of rows
  isa::DType dtype = isa::DType::kFp32;
};

// Arguments "a", "b" and "y", [rows, columns] each. Rows must be a multiple of the machine's partitions.
// Throws UserError E-RUN-020 if the tiles of one step do not fit into SBUF.
isa::Program vector_add_program(const model::MachineParams& machine, const VectorAddShape& shape);

}  // namespace tahoma::workloads
