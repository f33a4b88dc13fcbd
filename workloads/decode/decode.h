// SPDX-License-Identifier: Apache-2.0
// The workload `decode`: a decoding step's attention over a contiguous or paged cache of keys and values.
// Heads of keys and values are sharded over the cores; every core has its heads' cache of all sequences and a
// copy of the page table.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_decode();

}  // namespace tahoma::workloads
