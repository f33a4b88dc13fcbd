// SPDX-License-Identifier: Apache-2.0
// The golden definition of the sum of two tensors: one rounding to the output's dtype, and for outputs of 16
// bits one rounding to fp32 before it.
#pragma once

#include "runtime/golden/golden.h"

namespace tahoma::workloads {

// y = a + b, all three of one shape and dtype.
runtime::GoldenResult check_sum(const runtime::HostTensor& a, const runtime::HostTensor& b,
                                const runtime::HostTensor& y, const runtime::MadeBy& made_by);

}  // namespace tahoma::workloads
