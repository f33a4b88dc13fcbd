// SPDX-License-Identifier: Apache-2.0
// Whether the stacks of the chips carried equal loads, on machines whose cores and stacks do not divide. The
// allocator (stack_allocator.h) cuts no tensor, so few large tensors may leave the loads unequal.
#pragma once

#include <string>

#include "model/base/measurements.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::runtime {

// A sentence if the busiest stack of a chip moved more than 1.1 times what the busiest one would have moved
// with the bytes of every core distributed over its part of the stacks; "" if not.
std::string uneven_stacks(const model::ChipParams& chip, const base::RunMeasurement& run);

}  // namespace tahoma::runtime
