// SPDX-License-Identifier: Apache-2.0
// y[i] = table[ids[i]] on one core. Row numbers go to SBUF; they gather 128 rows at a time, one row per
// partition, which are then stored. The number of ids and rows is arbitrary; a row too wide for SBUF is
// E-RUN-020.
#pragma once

#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::workloads {

struct EmbeddingShape {
  std::uint64_t ids = 0, rows = 0, columns = 0;
  isa::DType dtype = isa::DType::kBf16;
};

// Arguments: ids [ids, 1] int32, table [rows, columns], y [ids, columns].
isa::Program embedding_program(const model::MachineParams& machine, const EmbeddingShape& shape);

}  // namespace tahoma::workloads
