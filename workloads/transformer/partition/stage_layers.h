// SPDX-License-Identifier: Apache-2.0
// The layers of each stage of a pipeline. Stages need not have equally many: embedding and logits are work of
// the first and the last one, and a number of layers may have no suitable divisor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tahoma::workloads {

// "2,2,1" as numbers; equal parts for an empty text, which requires a divisor of the layers. UserError
// E-MDL-001 at workload.stages unless there is a number of at least 1 for each stage, and they add up to the
// layers.
std::vector<std::uint64_t> layers_of_stages(const std::string& text, std::uint64_t layers,
                                            std::uint64_t stages);

}  // namespace tahoma::workloads
