// SPDX-License-Identifier: Apache-2.0
// Parameters of a chip's HBM stacks.
#pragma once

#include "model/base/params.h"

namespace tahoma::model {

struct HbmParams {
  std::uint64_t stacks;
  base::Bytes capacity;       // of one stack
  base::Bandwidth bandwidth;  // of one stack, reads and writes together
  base::Duration read_latency;
  void declare(base::ParamTree& t);
};

}  // namespace tahoma::model
