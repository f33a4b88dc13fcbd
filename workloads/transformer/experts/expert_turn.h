// SPDX-License-Identifier: Apache-2.0
// One feed-forward part of a mixture of experts in a run.
#pragma once

#include <cstddef>

namespace tahoma::workloads {

struct ExpertTurn {
  std::size_t microbatch = 0, layer = 0, slice = 0;  // among the layers of the stage that have experts
};

}  // namespace tahoma::workloads
