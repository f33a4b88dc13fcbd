// SPDX-License-Identifier: Apache-2.0
// An independent check of semaphores. From emitted streams alone it derives which operations must be complete
// when another one starts, at any timing, and names a conflicting pair that is not ordered. Shares no code
// with the scheduler; cubic in the number of operations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/core/program.h"
#include "runtime/builder/scheduler.h"

namespace tahoma::tests {

// Operation `i` in program order must be identifiable in the streams: an engine instruction by imm == i + 1,
// a transfer by descriptor == i. Returns a sentence about the first unordered conflict, or nothing.
std::optional<std::string> find_race(const std::vector<runtime::Op>& ops, const isa::Program& program);

}  // namespace tahoma::tests
