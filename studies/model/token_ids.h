// SPDX-License-Identifier: Apache-2.0
// Token ids as the input `ids` of the workload `transformer`.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/host/npy.h"

namespace tahoma::runtime {

// [sequences, tokens] of int32.
NpyArray token_ids_array(const std::vector<std::int64_t>& ids, std::uint64_t sequences);

}  // namespace tahoma::runtime
