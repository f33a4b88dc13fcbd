// SPDX-License-Identifier: Apache-2.0
// The golden definition of RMS normalisation, in double. The machine's relative error is half that of the sum
// of squares (runtime/golden/golden.h has the rule), plus a few roundings and the 2 ulp of its rsqrt.
#pragma once

#include "runtime/golden/golden.h"

namespace tahoma::workloads {

// y[r] = x[r] / sqrt(mean(x[r]^2) + epsilon) * g with x, y [rows, columns] and g [1, columns].
runtime::GoldenResult check_rms_norm(const runtime::HostTensor& x, const runtime::HostTensor& g,
                                     const runtime::HostTensor& y, double epsilon,
                                     const runtime::MadeBy& made_by);

}  // namespace tahoma::workloads
