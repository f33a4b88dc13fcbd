// SPDX-License-Identifier: Apache-2.0
// y[i] = table[ids[i]] on one core. Row numbers go to SBUF; they gather 128 rows at a time, one row per
// partition, which are then stored. The number of ids and rows is arbitrary; a row too wide for SBUF is
// E-RUN-020.
#pragma once

#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"
#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

struct EmbeddingShape {
  std::uint64_t ids = 0, rows = 0, columns = 0;
  isa::DType dtype = isa::DType::kBf16;
};

// ids [ids, 1] int32, which must be control values, table [rows, columns], y [ids, columns].
struct EmbeddingViews {
  runtime::HbmView ids, table, y;
};

// Appends it to a kernel that may contain other work.
void emit_embedding(runtime::Kernel& kernel, const model::MachineParams& machine, const EmbeddingShape& shape,
                    const EmbeddingViews& views);

// Arguments: ids [ids, 1] int32, table [rows, columns], y [ids, columns].
isa::Program embedding_program(const model::MachineParams& machine, const EmbeddingShape& shape);

}  // namespace tahoma::workloads
