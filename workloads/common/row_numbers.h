// SPDX-License-Identifier: Apache-2.0
// Inputs that number the rows of another tensor: token ids, page tables, labels. Silicon reads whatever the
// number addresses; here the numbers are checked before the run.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/run/inputs.h"

namespace tahoma::workloads {

// CaseTensor::refuse takes this: E-RUN-099 for the first int32 value outside 0 .. rows - 1.
std::function<void(const runtime::HostTensor&)> refuse_rows_beyond(std::uint64_t rows);

// CaseTensor::make takes this: int32 values from the seed, evenly spread over 0 .. rows - 1.
std::function<void(runtime::HostTensor&, std::uint64_t seed)> any_rows_below(std::uint64_t rows);

// Value number `index` of an int32 tensor.
std::int32_t row_number(const runtime::HostTensor& tensor, std::uint64_t index);

}  // namespace tahoma::workloads
