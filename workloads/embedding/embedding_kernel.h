// SPDX-License-Identifier: Apache-2.0
// y[i] = table[ids[i]] on one core: row numbers go to SBUF, 128 rows at a time are gathered by them, a row to
// a partition, and stored. Any number of ids, any rows; a row wider than SBUF has room for is E-RUN-020.
#pragma once

#include "isa/core/program.h"
#include "model/system/machine_params.h"

namespace tahoma::workloads {

struct EmbeddingShape {
  std::uint64_t ids = 0, rows = 0, columns = 0;
  isa::DType dtype = isa::DType::kBf16;
};

// Arguments: ids [ids, 1] int32, table [rows, columns], y [ids, columns].
isa::Program embedding_program(const model::MachineParams& machine, const EmbeddingShape& shape);

}  // namespace tahoma::workloads
