// SPDX-License-Identifier: Apache-2.0
// The definition of reductions, in double. Extrema are exact.
#pragma once

#include <vector>

#include "runtime/golden/golden.h"
#include "runtime/run/placement.h"
#include "workloads/reduction/reduction_kernel.h"

namespace tahoma::workloads {

// y[r] over row r of x.
runtime::GoldenResult check_reduction_over_columns(const runtime::HostTensor& x, ReductionOp op,
                                                   const runtime::HostTensor& y,
                                                   const runtime::MadeBy& made_by);
// y[i] over the rows of x in parts[i].
runtime::GoldenResult check_reduction_over_rows(const runtime::HostTensor& x, ReductionOp op,
                                                const std::vector<runtime::Part>& parts,
                                                const runtime::HostTensor& y, const runtime::MadeBy& made_by);

}  // namespace tahoma::workloads
