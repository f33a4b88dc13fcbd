// SPDX-License-Identifier: Apache-2.0
// The effect of a schedule by the definition in runtime/collective/schedule/schedule.h alone: every chunk of
// every rank is the list of ranks whose inputs it contains. Reports the first fault, or nothing.
#pragma once

#include <string>

#include "runtime/collective/schedule/schedule.h"

namespace tahoma::test {

// Empty when every rank ends with the result of the operation: in each chunk each contribution exactly once.
std::string fault_of(const runtime::collective::Schedule& schedule);

}  // namespace tahoma::test
