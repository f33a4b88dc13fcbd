// SPDX-License-Identifier: Apache-2.0
// The definition of quantisation and its inverse, in double.
#pragma once

#include "runtime/golden/golden.h"
#include "workloads/quantise/quantise_kernel.h"

namespace tahoma::workloads {

runtime::GoldenResult check_scales(const runtime::HostTensor& x, const QuantiseShape& shape,
                                   const runtime::HostTensor& scale, const runtime::MadeBy& made_by);
runtime::GoldenResult check_quantised(const runtime::HostTensor& x, const QuantiseShape& shape,
                                      const runtime::HostTensor& y, const runtime::MadeBy& made_by);
runtime::GoldenResult check_dequantised(const runtime::HostTensor& y, const runtime::HostTensor& scale,
                                        const QuantiseShape& shape, const runtime::HostTensor& x,
                                        const runtime::MadeBy& made_by);

}  // namespace tahoma::workloads
