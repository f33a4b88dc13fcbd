// SPDX-License-Identifier: Apache-2.0
// A machine in a forked child whose parent has elaborated one.
#pragma once

namespace tahoma::model {

// Forgets the parent's machine, so that the child can elaborate its own. The child must not use the former
// again.
void forget_parent_machine();

}  // namespace tahoma::model
