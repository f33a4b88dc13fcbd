// SPDX-License-Identifier: Apache-2.0
// What a schedule does, by the definition in runtime/collective/schedule/schedule.h and nothing else: every chunk of
// every rank as the list of those whose inputs are in it. Says what is wrong, or nothing.
#pragma once

#include <string>

#include "runtime/collective/schedule/schedule.h"

namespace tahoma::test {

// Empty when every rank ends with what the operation owes it: of each chunk each contribution exactly once.
std::string fault_of(const runtime::collective::Schedule& schedule);

}  // namespace tahoma::test
