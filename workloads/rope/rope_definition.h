// SPDX-License-Identifier: Apache-2.0
// The definition of rotary position embedding, in double. Tolerance: each product is rounded to the dtype,
// with half a unit of |x cos| and of |x sin| counted in full; their sum is rounded to fp32.
#pragma once

#include "runtime/golden/golden.h"

namespace tahoma::workloads {

struct RopeTensors {
  const runtime::HostTensor &x, &table, &y;        // x, y [tokens, heads, d]; table [rows, d]
  const runtime::HostTensor* positions = nullptr;  // [tokens, 1]; without it token t uses row t
  bool interleaved = false;
};

runtime::GoldenResult check_rope(const RopeTensors& tensors, const runtime::MadeBy& made_by);

}  // namespace tahoma::workloads
