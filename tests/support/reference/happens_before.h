// SPDX-License-Identifier: Apache-2.0
// An independent judge of semaphores: from emitted streams alone it derives which operations must be complete
// when another one starts, whatever the timing, and names a conflicting pair that nothing orders. Shares no
// code with the scheduler; cubic in the number of operations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/core/program.h"
#include "runtime/builder/scheduler.h"

namespace tahoma::tests {

// Operation `i` in program order must be findable in the streams: an engine instruction by imm == i + 1, a
// transfer by descriptor == i. Returns a sentence about the first unordered conflict, or nothing.
std::optional<std::string> find_race(const std::vector<runtime::Op>& ops, const isa::Program& program);

}  // namespace tahoma::tests
