// SPDX-License-Identifier: Apache-2.0
// A trace as text: tensors, then one line for each instruction. Inspect it first when a kernel fails.
#pragma once

#include <string>

#include "frontend/nki/record/trace.h"

namespace tahoma::runtime::nki {

std::string dump(const Trace& trace);

}  // namespace tahoma::runtime::nki
