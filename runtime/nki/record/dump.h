// SPDX-License-Identifier: Apache-2.0
// A trace as text: tensors, then one line for each instruction. It is what a person looks at first when a
// kernel fails.
#pragma once

#include <string>

#include "runtime/nki/record/trace.h"

namespace tahoma::runtime::nki {

std::string dump(const Trace& trace);

}  // namespace tahoma::runtime::nki
