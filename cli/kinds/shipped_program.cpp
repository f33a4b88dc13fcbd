// SPDX-License-Identifier: Apache-2.0
// The kinds of the shipped `tahoma` and of the tests. The installed library omits this file, so that a
// program outside this repository defines its own list.
#include "cli/kinds/registry.h"

namespace tahoma::runtime {

const std::vector<WorkloadKind>& workload_kinds() { return workloads::shipped_kinds(); }

}  // namespace tahoma::runtime
